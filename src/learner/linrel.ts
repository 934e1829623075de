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
 */

import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { z } from 'zod';
import type { Archive } from '../archive.js';
import type { EventLog } from '../log/event-log.js';
import { strict } from '../policy/spec-faults.js';
import { ContextReader } from './context.js';
import type { Algorithm, Numerics } from './learner.js';
import { rows } from './linear-model.js';
import { checkContexts } from './linear-parameters.js';
import { tieTolerance } from './parameters.js';
import { ScoredLearner } from './scored.js';
import { squares } from './state-arrays.js';

export const linrelSchema = strict({
  alpha: z.number().min(0).default(1).describe('Multiplies both terms of the width; 1 is the paper'),
  delta: z.number().gt(0).lt(1).default(0.05).describe('δ: probability with which a bound may fail'),
  horizon: z.int().min(1).optional().describe('T: number of rounds; default: the events of the log'),
  tieTolerance,
});

export type LinrelParameters = z.output<typeof linrelSchema>;

/** Eigenvalues this close below 1 count as 1: with one-hot contexts they are 1 but for rounding. */
const ROUNDING = 1e-9;

/** Error of an eigenvalue up to which scores agree to the default tie tolerance. */
const TRUSTED = 1e-6;

class Linrel extends ScoredLearner {
  private readonly context: ContextReader;
  private readonly dimension: number;
  private readonly alpha: number;
  /** √(ln(2TK/δ)) */
  private readonly factor: number;
  /** Z Zᵀ: [K, d, d]; Z y: [K, d]. */
  private readonly gram: Float64Array;
  private readonly sums: Float64Array;
  private readonly updates: Uint32Array;
  /** Per arm: eigenvalues [d], U [d, d] by rows, U Z y [d]. */
  private readonly values: Float64Array;
  private readonly vectors: Float64Array;
  private readonly rotated: Float64Array;
  private readonly stale: Uint8Array;

  constructor({ alpha, delta, horizon, tieTolerance }: LinrelParameters, log: EventLog) {
    const arms = log.arms.ids.length;
    super(arms, tieTolerance);
    this.context = new ContextReader(log);
    const d = this.context.dimension;
    this.dimension = d;
    this.alpha = alpha;
    this.factor = Math.sqrt(Math.log((2 * Math.max(1, horizon ?? log.events) * arms) / delta));
    this.gram = new Float64Array(arms * d * d);
    this.sums = new Float64Array(arms * d);
    this.updates = new Uint32Array(arms);
    this.values = new Float64Array(arms * d);
    this.vectors = new Float64Array(arms * d * d);
    this.rotated = new Float64Array(arms * d);
    this.stale = new Uint8Array(arms).fill(1);
  }

  protected prepare(event: number): void {
    this.context.load(event);
  }

  /** ucb of an arm */
  protected score(arm: number): number {
    if (this.stale[arm] === 1) this.decompose(arm);
    const { dimension: d, values, vectors, rotated } = this;
    const { x } = this.context;
    let [mean, a2, v2] = [0, 0, 0];
    for (let j = 0, at = arm * d; j < d; j++, at++) {
      let component = 0;
      for (let i = 0, row = at * d; i < d; i++) component += vectors[row + i] * x[i];
      if (values[at] >= 1 - ROUNDING) {
        mean += (component * rotated[at]) / values[at];
        a2 += (component * component) / values[at];
      } else v2 += component * component;
    }
    return mean + this.alpha * (Math.sqrt(a2) * this.factor + Math.sqrt(v2));
  }

  update(event: number, arm: number, payoff: number): void {
    this.context.load(event);
    const { x } = this.context;
    const { dimension: d, gram, sums } = this;
    for (let i = 0, at = arm * d * d; i < d; i++) {
      sums[arm * d + i] += payoff * x[i];
      for (let j = 0; j < d; j++) gram[at++] += x[i] * x[j];
    }
    this.updates[arm]++;
    this.stale[arm] = 1;
  }

  /** Λ, U and U Z y of an arm; made when next asked for. */
  private decompose(arm: number): void {
    const { dimension: d, gram, sums, values, vectors, rotated } = this;
    const square = Matrix.from1DArray(d, d, gram.subarray(arm * d * d, (arm + 1) * d * d));
    const eigen = new EigenvalueDecomposition(square, { assumeSymmetric: true });
    const columns = eigen.eigenvectorMatrix;
    for (let j = 0, at = arm * d; j < d; j++, at++) {
      values[at] = eigen.realEigenvalues[j];
      rotated[at] = 0;
      for (let i = 0; i < d; i++) {
        const u = columns.get(i, j);
        vectors[at * d + i] = u;
        rotated[at] += u * sums[arm * d + i];
      }
    }
    this.stale[arm] = 0;
  }

  carry(archive: Archive): void {
    archive.array(this.gram);
    archive.array(this.sums);
    archive.array(this.updates);
    // What follows from them is made again when it is asked for.
    if (archive.reading) this.stale.fill(1);
  }

  /** The eigenvalues of Z Zᵀ, computed, are off by up to about d 2⁻⁵³ of its trace, and those of 1 decide. */
  numerics(): Numerics {
    const { dimension: d, gram } = this;
    let trace = 0;
    for (let first = 0; first < gram.length; first += d * d) {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += gram[first + i * d + i];
      trace = Math.max(trace, sum);
    }
    const error = d * 2 ** -53 * trace;
    const trouble =
      error <= TRUSTED
        ? null
        : `eigenvalues of its contexts are off by up to ${error.toPrecision(2)} where they are compared with 1, so its scores are not to be relied on; bring context columns to sizes of at most 1, as LinRel assumes`;
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
    squares('sums of products', arms.ids.length, contexts.dimension),
    squares('eigenvectors', arms.ids.length, contexts.dimension),
  ],
  create: (parameters, log) => new Linrel(parameters, log),
};
