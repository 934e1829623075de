/**
 * Joint-linear policies as they are screened (`../screen.ts`). With the parts of a policy's weights called p (on x), q (on z)
 * and M (on the products), its score of feature row r is
 *
 *     p · x + q · z_r + xᵀM z_r  =  p · x + v_r · y,    y = x or (x, 1) or (1),   v_r = M z_r, then q · z_r,
 *
 * and p · x, which all candidates have in common, is left out. v is derived in f64.
 *
 * The bound. Let S = ‖p‖‖x‖ + ‖q‖Z + ‖M‖‖x‖Z with Z the largest ‖z_r‖ and ‖M‖ the Frobenius norm: by Cauchy and Schwarz
 * it is at least Σ|w_k φ_k| of every row. With ε_n = n·2⁻⁵³/(1 − n·2⁻⁵³), the reference's score of a row, D products of up
 * to three factors added up, is within ε_{D+1} S of its exact value; the derived v_r · y, exact but for v, within
 * ε_{dz} S of v_r · y; and f32 computes it within γ_{d+2} ‖v_r‖‖y‖, d the length of y (`../linear/kernel.ts`). In the
 * difference of two rows p · x cancels exactly and the errors double:
 *
 *     2 γ_{d+8} ‖v‖‖y‖ + 4 ε_{D+8} S    covers it, what evaluating the bound costs included.
 *
 * The kernels know a bound of one product, errorFactor · norm. With B = ‖p‖ + ‖q‖Z + ‖M‖Z, S ≤ (‖x‖ + 1) B, so that
 *
 *     errorFactor = 2 γ_{d+8} ‖y‖ + 2¹⁶ · 4 ε_{D+8} (‖x‖ + 1),    norm = max ‖v_r‖ + 2⁻¹⁶ B
 *
 * is at least that, and hardly more than f32 alone would need. Where w, z or x has a norm above 2⁶⁰ the policy is not screened, so nothing in f64
 * overflows; what underflows there is below 2⁻⁹⁰⁰ and vanishes in the slack.
 */

import { contextCells, poolCells } from '../../log/cells.js';
import type { PoolTable } from '../../log/event-log.js';
import { rowPools } from '../../log/feature-rows.js';
import { type JointParts, jointNames, jointParts } from '../../log/joint-features.js';
import { gamma, LARGEST_NORM, normOf, roundUp, subnormalSlack } from '../linear/kernel.js';
import type { DecisionLog, ScoredFamily } from '../scored-family.js';
import type { Screen } from '../screen.js';
import { featuresOf, type JointPolicies, jointChoiceAt, jointRowAt, jointScoresAt } from './cpu.js';

const SPLIT = 2 ** 16;
const UNIT_64 = 2 ** -53;
/** Derived weights that are kept, in f32 words: a task comes back to its policies chunk after chunk. */
const KEPT_WORDS = 1 << 22;

export const jointScores: ScoredFamily<JointPolicies> = {
  scores: 'rows',
  cells: ({ features }, log) => (features === 'arm' ? poolCells(log) : contextCells(log)),
  columns: ({ features }, { contexts, armFeatures }) =>
    jointNames(features, contexts.columns, armFeatures?.columns ?? []),
  choice: jointChoiceAt,
  scoreCandidates: jointScoresAt,
  screen: (compiled, log) => new JointScreen(compiled, log),
};

class JointScreen implements Screen {
  readonly isDerived = true;
  readonly inputs: string;
  readonly policies: number;
  readonly rows: number;
  readonly dimension: number;
  readonly pools: PoolTable;
  private readonly parts: JointParts;
  private readonly features: ReturnType<typeof featuresOf>;
  private readonly dx: number;
  /** Whether y ends with a 1. */
  private readonly constant: boolean;
  private readonly norms: Float64Array;
  /** Derived weights of policy p in place p modulo the number of places, and whose they are. */
  private readonly kept: (Float32Array | undefined)[];
  private readonly keptPolicy: Int32Array;
  private readonly derived: Float64Array;
  private largestFeatures: number | null = null;

  constructor(
    private readonly compiled: JointPolicies,
    private readonly log: DecisionLog,
  ) {
    this.parts = jointParts(compiled.features);
    this.inputs = `joint-linear ${compiled.features} ${compiled.dimension}`;
    this.features = featuresOf(log);
    this.policies = compiled.policies;
    this.rows = this.features.rows;
    this.dx = log.contexts.dimension;
    this.constant = this.parts.arm;
    this.dimension = (this.parts.products ? this.dx : 0) + (this.constant ? 1 : 0);
    this.pools = rowPools(log);
    this.norms = new Float64Array(compiled.policies).fill(Number.NaN);
    const size = Math.max(1, this.rows * this.dimension);
    const places = Math.max(1, Math.min(compiled.policies, Math.floor(KEPT_WORDS / size)));
    this.kept = new Array<Float32Array | undefined>(places);
    this.keptPolicy = new Int32Array(places).fill(-1);
    this.derived = new Float64Array(this.dimension);
  }

  weights(policy: number): Float32Array {
    const place = policy % this.keptPolicy.length;
    const known = this.kept[place];
    if (known !== undefined && this.keptPolicy[place] === policy) return known;
    const out = known ?? new Float32Array(this.rows * this.dimension);
    this.kept[place] = out;
    this.keptPolicy[place] = policy;
    const most = this.derive(policy, out);
    this.norms[policy] = this.boundNorm(policy, most);
    return out;
  }

  /** Writes v of a policy; returns the largest norm of a row. */
  private derive(policy: number, out: Float32Array): number {
    const { compiled, parts, dx, dimension, constant, derived } = this;
    const { dimension: dz, rows, values: z } = this.features;
    const w = compiled.weights;
    const start = policy * compiled.dimension;
    const q = start + (parts.context ? dx : 0);
    const m = q + (parts.arm ? dz : 0);
    let most = 0;
    for (let r = 0; r < rows; r++) {
      const zAt = r * dz;
      let k = 0;
      if (parts.products) for (; k < dx; k++) derived[k] = dot(w, m + k * dz, z, zAt, dz);
      if (constant) derived[k] = dot(w, q, z, zAt, dz);
      out.set(derived, r * dimension);
      most = Math.max(most, normOf(derived, 0, dimension));
    }
    return most;
  }

  private boundNorm(policy: number, largestRow: number): number {
    const { compiled, parts, dx } = this;
    const { dimension: dz } = this.features;
    const start = policy * compiled.dimension;
    const [onX, onZ] = [parts.context ? dx : 0, parts.arm ? dz : 0];
    const p = normOf(compiled.weights, start, onX);
    const q = normOf(compiled.weights, start + onX, onZ);
    const m = normOf(compiled.weights, start + onX + onZ, compiled.dimension - onX - onZ);
    const z = this.featureNorm();
    // Written so that NaN, from overflow, counts as too large.
    const safe = p + q + m <= LARGEST_NORM && z <= LARGEST_NORM && largestRow <= LARGEST_NORM;
    if (!safe) return Number.POSITIVE_INFINITY;
    return largestRow === 0 ? 0 : (largestRow + (p + (q + m) * z) / SPLIT) * (1 + 2 ** -40);
  }

  /** Z */
  private featureNorm(): number {
    if (this.largestFeatures !== null) return this.largestFeatures;
    const { dimension: dz, rows, values } = this.features;
    let most = 0;
    for (let r = 0; r < rows; r++) most = Math.max(most, normOf(values, r * dz, dz));
    this.largestFeatures = most;
    return most;
  }

  norm(policy: number): number {
    if (Number.isNaN(this.norms[policy])) this.weights(policy);
    return this.norms[policy];
  }

  private contextAt(event: number): number {
    const { row } = this.log.contexts;
    return (row === null ? event : row[event]) * this.dx;
  }

  write(event: number, out: Float32Array | Float64Array, at: number, stride: number): void {
    let to = at;
    if (this.parts.products) {
      const { values } = this.log.contexts;
      const from = this.contextAt(event);
      for (let i = 0; i < this.dx; i++, to += stride) out[to] = values[from + i];
    }
    if (this.constant) out[to] = 1;
  }

  /** ‖x‖, whether or not y holds it. */
  contextNorm(event: number): number {
    const { context, products } = this.parts;
    return context || products ? normOf(this.log.contexts.values, this.contextAt(event), this.dx) : 0;
  }

  /** A bound on ‖y‖. */
  private inputNorm(contextNorm: number): number {
    const { parts, constant } = this;
    if (!parts.products) return 1;
    return constant ? Math.sqrt(contextNorm * contextNorm + 1) * (1 + 2 ** -40) : contextNorm;
  }

  errorFactor(contextNorm: number): number {
    const f32 = 2 * gamma(this.dimension + 8) * this.inputNorm(contextNorm);
    const f64 = 4 * gamma(this.compiled.dimension + 8, UNIT_64) * (contextNorm + 1);
    return roundUp(f32 + SPLIT * f64);
  }

  slack(contextNorm: number, policyNorm: number): number {
    return subnormalSlack(this.dimension, contextNorm + 1, policyNorm);
  }

  choice(policy: number, event: number): number {
    return jointRowAt(this.compiled, this.log, policy, event);
  }
}

function dot(w: Float32Array | Float64Array, wAt: number, z: Float64Array, zAt: number, length: number): number {
  let s = 0;
  for (let j = 0; j < length; j++) s += w[wAt + j] * z[zAt + j];
  return s;
}
