/**
 * `linrel`: associative reinforcement learning with linear value functions.
 *
 * P. Auer: Using confidence bounds for exploitation-exploration trade-offs. JMLR 3 (2002), section 4, algorithm LinRel,
 * run by itself (without the master algorithm SupLinRel, whose trial sets serve the proof). The paper has one feature
 * vector z_i per alternative and one weight vector; here the vector of arm i is the context x in the i-th of K
 * blocks, which makes it one model per arm. Assumes ‖x‖ ≤ 1, as the paper does: scale the contexts.
 *
 * With Z the matrix whose columns are the contexts at which the arm was shown, y their payoffs, and Z Zᵀ = Uᵀ Λ U its
 * eigen-decomposition: z̃ = U x; ũ holds its entries of eigenvalues λ_j ≥ 1, ṽ the rest; a = (ũᵀ Λ⁻¹ U Z)ᵀ;
 *
 *     ucb = a·y + ‖a‖ √(ln(2TK/δ)) + ‖ṽ‖,   a·y = Σ_{λ_j ≥ 1} z̃_j (U Z y)_j / λ_j,   ‖a‖² = Σ_{λ_j ≥ 1} z̃_j² / λ_j
 *
 * Z Zᵀ is never formed, whose rounding would drown an eigenvalue of 1 beside a large one. R, upper triangular with RᵀR = Z Zᵀ, is
 * kept by rotating each context into it (Givens; Golub & Van Loan, Matrix Computations, 6.5.3), q = R⁻ᵀ Z y beside it. With
 * R Uᵀ = W Σ (`jacobi.ts`), W of orthonormal columns, λ_j = σ_j² and (U Z y)_j / λ_j = (Wᵀq)_j / σ_j.
 */

import { Matrix, SVD } from 'ml-matrix';
import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import type { Blame } from '../broken.js';
import { ContextReader } from '../context.js';
import type { Algorithm, Numerics } from '../learner.js';
import { ScoredLearner } from '../scored.js';
import { tieTolerance } from '../set/parameters.js';
import { squares } from '../state-arrays.js';
import { scalingHelps } from './conditioning.js';
import { orthogonalize } from './jacobi.js';
import { rows } from './linear-model.js';
import { blameLinear, checkContexts } from './linear-parameters.js';

export const linrelSchema = strict({
  alpha: z.number().min(0).default(1).describe('Multiplies both terms of the width; 1 is the paper'),
  delta: z.number().gt(0).lt(1).default(0.05).describe('δ: probability with which a bound may fail'),
  horizon: z.int().min(1).optional().describe('T: number of rounds; default: the events of the log'),
  tieTolerance,
});

export type LinrelParameters = z.output<typeof linrelSchema>;

/** Eigenvalues this close below 1 count as 1: with one-hot contexts they are 1 but for rounding. */
const ROUNDING = 1e-9;

/** Singular values below this are far enough from 1. */
const NEGLIGIBLE = 1e-6;

/** Error of an eigenvalue up to which scores agree to the default tie tolerance. */
const TRUSTED = 1e-6;

class Linrel extends ScoredLearner {
  private readonly context: ContextReader;
  private readonly dimension: number;
  private readonly alpha: number;
  /** √(ln(2TK/δ)) */
  private readonly factor: number;
  /** R with q as its last column, by rows: [K, d, d + 1]; Z y: [K, d]. */
  private readonly factors: Float64Array;
  private readonly sums: Float64Array;
  private readonly updates: Uint32Array;
  /** Per arm: σ [d], U [d, d] by rows, (Wᵀq)_j / σ_j [d]. */
  private readonly values: Float64Array;
  private readonly vectors: Float64Array;
  private readonly weights: Float64Array;
  private readonly stale: Uint8Array;
  /** R by columns; what is left of a context on its way through R. */
  private readonly columns: Float64Array;
  private readonly rest: Float64Array;
  /** Of the score made last. */
  private mean = 0;
  private width = 0;

  constructor(
    { alpha, delta, horizon, tieTolerance }: LinrelParameters,
    private readonly log: EventLog,
  ) {
    const arms = log.arms.ids.length;
    super(arms, tieTolerance);
    this.context = new ContextReader(log);
    const d = this.context.dimension;
    this.dimension = d;
    this.alpha = alpha;
    this.factor = Math.sqrt(Math.log((2 * Math.max(1, horizon ?? log.events) * arms) / delta));
    this.factors = new Float64Array(arms * d * (d + 1));
    this.sums = new Float64Array(arms * d);
    this.updates = new Uint32Array(arms);
    this.values = new Float64Array(arms * d);
    this.vectors = new Float64Array(arms * d * d);
    this.weights = new Float64Array(arms * d);
    this.stale = new Uint8Array(arms).fill(1);
    this.columns = new Float64Array(d * d);
    this.rest = new Float64Array(d + 1);
  }

  protected prepare(event: number): void {
    this.context.load(event);
  }

  /** ucb of an arm */
  protected score(arm: number): number {
    if (this.stale[arm] === 1) this.decompose(arm);
    const { dimension: d, values, vectors, weights } = this;
    const { x } = this.context;
    let [mean, a2, v2] = [0, 0, 0];
    for (let j = 0, at = arm * d; j < d; j++, at++) {
      let component = 0;
      for (let i = 0, row = at * d; i < d; i++) component += vectors[row + i] * x[i];
      if (values[at] * values[at] >= 1 - ROUNDING) {
        mean += component * weights[at];
        a2 += (component / values[at]) ** 2;
      } else v2 += component * component;
    }
    this.mean = mean;
    this.width = Math.sqrt(a2) * this.factor + Math.sqrt(v2);
    return mean + this.alpha * this.width;
  }

  protected blame(arm: number): Blame {
    this.score(arm);
    return blameLinear(this.mean, this.width, 'alpha');
  }

  update(event: number, arm: number, payoff: number): void {
    this.context.load(event);
    const { x } = this.context;
    const { dimension: d, factors, sums, rest } = this;
    for (let i = 0; i < d; i++) sums[arm * d + i] += payoff * x[i];
    rest.set(x);
    rest[d] = payoff;
    for (let i = 0, row = arm * d * (d + 1); i < d; i++, row += d + 1) {
      if (rest[i] === 0) continue;
      const length = Math.hypot(factors[row + i], rest[i]);
      const [cosine, sine] = [factors[row + i] / length, rest[i] / length];
      factors[row + i] = length;
      for (let j = i + 1; j <= d; j++) {
        const [kept, left] = [factors[row + j], rest[j]];
        factors[row + j] = cosine * kept + sine * left;
        rest[j] = cosine * left - sine * kept;
      }
    }
    this.updates[arm]++;
    this.stale[arm] = 1;
  }

  /** Σ, U and Wᵀq / Σ of an arm; made when next asked for. */
  private decompose(arm: number): void {
    const { dimension: d, factors, values, vectors, weights, columns } = this;
    const first = arm * d * (d + 1);
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) columns[j * d + i] = factors[first + i * (d + 1) + j];
    orthogonalize(columns, vectors.subarray(arm * d * d, (arm + 1) * d * d), d, NEGLIGIBLE);
    for (let j = 0, at = arm * d; j < d; j++, at++) {
      let [square, product] = [0, 0];
      for (let i = 0; i < d; i++) {
        square += columns[j * d + i] ** 2;
        product += columns[j * d + i] * factors[first + i * (d + 1) + d];
      }
      values[at] = Math.sqrt(square);
      weights[at] = square === 0 ? 0 : product / square;
    }
    this.stale[arm] = 0;
  }

  carry(archive: Archive): void {
    archive.array(this.factors);
    archive.array(this.sums);
    archive.array(this.updates);
    // What follows from them is made again when it is asked for.
    if (archive.reading) this.stale.fill(1);
  }

  /**
   * `eigenvalueError` is an estimate and no bound: rotations and decomposition change a column by some (d + √n) 2⁻⁵³ of its length, n updates adding up like a random walk; so
   * singular values by that times R's own largest at most, or times the condition number of R's columns at length 1, relative
   * to their size. Those of 1 decide, and λ = σ² is off by twice as much.
   */
  numerics(): Numerics {
    const { dimension: d, factors, updates } = this;
    let error = 0;
    for (const [arm, n] of updates.entries()) {
      const first = arm * d * (d + 1);
      const r = Array.from({ length: d }, (_, i) => [
        ...factors.subarray(first + i * (d + 1), first + i * (d + 1) + d),
      ]);
      const lengths = r.map((_, j) => Math.hypot(...r.map((row) => row[j])));
      const unit = r.map((row) =>
        row.map((value, j) => (lengths[j] === 0 ? Number(row === r[j]) : value / lengths[j])),
      );
      const { diagonal } = new SVD(new Matrix(unit), {
        computeLeftSingularVectors: false,
        computeRightSingularVectors: false,
      });
      const condition = Math.max(...diagonal) / Math.min(...diagonal);
      error = Math.max(error, 2 * (d + Math.sqrt(n)) * 2 ** -53 * Math.min(condition, Math.hypot(...lengths)));
    }
    const trouble =
      error <= TRUSTED
        ? null
        : `eigenvalues of its contexts may be off by ${error.toPrecision(2)} where they are compared with 1, so its scores are not to be relied on; ${scalingHelps(this.log) ? 'bring context columns to sizes of at most 1, as LinRel assumes, with --scale max (in code: scale)' : 'LinRel assumes contexts of size 1 at most'}`;
    return { counts: {}, largest: { eigenvalueError: error }, trouble };
  }

  state(): Record<string, unknown> {
    return { updates: [...this.updates], payoffSums: rows(this.sums, this.dimension) };
  }
}

export const linrel: Algorithm<LinrelParameters> = {
  name: 'linrel',
  summary: 'LinRel: confidence bounds from the eigenvectors of the contexts each arm was shown at (disjoint models)',
  source: 'Auer, Using confidence bounds for exploitation-exploration trade-offs (JMLR 3, 2002), algorithm LinRel',
  schema: linrelSchema,
  kind: 'real',
  check: (_, log) => checkContexts('linrel', log),
  open: async (parameters, { events }) => {
    const horizon = parameters.horizon ?? Math.max(1, events);
    return async () => ({ ...parameters, horizon });
  },
  arrays: (_, { arms, contexts }) => [
    squares('triangular factors', arms.ids.length, contexts.dimension),
    squares('eigenvectors', arms.ids.length, contexts.dimension),
  ],
  create: (parameters, log) => new Linrel(parameters, log),
};
