/**
 * The hybrid linear model of Li et al. (WWW 2010), Algorithm 2: E[r] = zᵀβ + xᵀθ_a.
 *
 * z is linear in the vector e of an event (its context, where need be with a 1 appended): z = Z_a e. With the paper's
 * A₀, A_a, B_a, b_a and C_a = A_a⁻¹B_a, W_a = Z_a − C_aᵀ (C_aᵀ padded with a zero column for the 1), its score terms are
 *
 *     zᵀβ̂ + xᵀθ̂_a = t_aᵀe,  t_a = W_aᵀβ̂ + A_a⁻¹b_a;      s = eᵀQ_a e,  Q_a = W_aᵀA₀⁻¹W_a + A_a⁻¹,
 *
 * so that scoring costs what it costs the disjoint model. Q_a is the posterior covariance of arm a's coefficients over e,
 * and an update of arm c by (e, r), with v = A_c⁻¹x, q = xᵀv, w = W_c e, u = A₀⁻¹w, is a rank-1 step everywhere:
 *
 *     h_a = W_aᵀu (+ v for a = c):  Q_a ← Q_a − h_a h_aᵀ/(1+s),  t_a ← t_a + h_a (r − t_cᵀe)/(1+s),   s = q + uᵀw,
 *     A₀⁻¹ ← A₀⁻¹ − u uᵀ/(1+s),  β̂ ← β̂ + u (r − t_cᵀe)/(1+s),  A_c⁻¹ ← A_c⁻¹ − v vᵀ/(1+q),  W_c ← W_c − w vᵀ/(1+q).
 *
 * All is computed afresh from plain sums after 1, 2, 4, … and then every 512 updates, so that rounding does not add up.
 */

import { packedSize } from './cholesky.js';
import { ContextForm } from './context-form.js';
import { type HybridShape, HybridSums } from './hybrid-sums.js';
import { addOuter, dot, multiplySymmetric } from './packed.js';

const REFRESH = 512;

export class HybridModel {
  /** e of the event in hand; after writing to it call `load`. */
  readonly e: Float64Array;
  readonly updates: Uint32Array;
  /** β̂ */
  readonly beta: Float64Array;
  private readonly form: ContextForm;
  private readonly sums: HybridSums;
  /** A₀⁻¹ packed; A_a⁻¹: [K, d (d + 1) / 2]; W_aᵀ: [K, m, k]; Q_a: [K, m (m + 1) / 2]; t_a: [K, m]. */
  private readonly sharedInverse: Float64Array;
  private readonly inverse: Float64Array;
  private readonly weights: Float64Array;
  private readonly covariance: Float64Array;
  private readonly total: Float64Array;
  private readonly x: Float64Array;
  private readonly w: Float64Array;
  private readonly u: Float64Array;
  private readonly v: Float64Array;
  private readonly h: Float64Array;
  private count = 0;

  /** @param base Z_aᵀ: [K, m, k]. */
  constructor(
    private readonly shape: HybridShape,
    private readonly base: Float64Array,
    lambda: number,
  ) {
    const { arms, d, m, k } = shape;
    this.e = new Float64Array(m);
    this.x = this.e.subarray(0, d);
    this.form = new ContextForm(this.e);
    this.updates = new Uint32Array(arms);
    this.beta = new Float64Array(k);
    this.sums = new HybridSums(shape, lambda);
    this.sharedInverse = new Float64Array(packedSize(k));
    this.inverse = new Float64Array(arms * packedSize(d));
    this.weights = new Float64Array(arms * m * k);
    this.covariance = new Float64Array(arms * packedSize(m));
    this.total = new Float64Array(arms * m);
    this.w = new Float64Array(k);
    this.u = new Float64Array(k);
    this.v = new Float64Array(d);
    this.h = new Float64Array(m);
    this.refresh();
  }

  load(): void {
    this.form.load();
  }

  /** t_aᵀe = zᵀβ̂ + xᵀθ̂_a */
  mean(arm: number): number {
    return dot(this.total, arm * this.shape.m, this.e);
  }

  /** s_a = eᵀQ_a e */
  variance(arm: number): number {
    return this.form.value(this.covariance, arm * packedSize(this.shape.m));
  }

  learn(arm: number, payoff: number): void {
    const { shape, e, x, w, u, v, h, base, weights, inverse, sharedInverse, covariance, total, beta } = this;
    const { arms, d, m, k } = shape;
    combine(base, arm * m * k, e, w);
    this.sums.add(arm, x, w, payoff);
    combine(weights, arm * m * k, e, w);
    multiplySymmetric(sharedInverse, 0, w, u);
    multiplySymmetric(inverse, arm * packedSize(d), x, v);
    const q = dot(v, 0, x);
    const shrink = 1 / (1 + q + dot(u, 0, w));
    const step = shrink * (payoff - this.mean(arm));
    for (let a = 0; a < arms; a++) {
      for (let i = 0; i < m; i++) h[i] = dot(weights, (a * m + i) * k, u);
      if (a === arm) for (let i = 0; i < d; i++) h[i] += v[i];
      addOuter(covariance, a * packedSize(m), h, -shrink);
      for (let i = 0; i < m; i++) total[a * m + i] += h[i] * step;
    }
    addOuter(sharedInverse, 0, u, -shrink);
    for (let j = 0; j < k; j++) beta[j] += u[j] * step;
    for (let i = 0, at = arm * m * k; i < d; i++) {
      const gain = v[i] / (1 + q);
      for (let j = 0; j < k; j++) weights[at++] -= gain * w[j];
    }
    addOuter(inverse, arm * packedSize(d), v, -1 / (1 + q));
    this.updates[arm]++;
    const n = ++this.count;
    if (n % REFRESH === 0 || (n < REFRESH && (n & (n - 1)) === 0)) this.refresh();
  }

  /** θ̂_a, the first d of t_a − Z_aᵀβ̂, of all arms: [K, d]. */
  theta(): Float64Array {
    const { base, beta, total } = this;
    const { arms, d, m, k } = this.shape;
    return Float64Array.from({ length: arms * d }, (_, n) => {
      const row = Math.floor(n / d) * m + (n % d);
      return total[row] - dot(base, row * k, beta);
    });
  }

  /** Everything from the sums. */
  private refresh(): void {
    const { sums, shape, base, weights, inverse, sharedInverse, covariance, total, beta, u } = this;
    const { arms, d, m, k } = shape;
    const b0 = sums.solve(sharedInverse, inverse, weights, total);
    multiplySymmetric(sharedInverse, 0, b0, beta);
    for (let n = 0; n < weights.length; n++) weights[n] = base[n] - weights[n];
    for (let a = 0; a < arms; a++) {
      for (let i = 0, at = a * packedSize(m); i < m; i++) {
        const row = (a * m + i) * k;
        total[a * m + i] += dot(weights, row, beta);
        multiplySymmetric(sharedInverse, 0, weights.subarray(row, row + k), u);
        for (let j = 0; j <= i; j++, at++) {
          covariance[at] =
            dot(weights, (a * m + j) * k, u) + (i < d ? inverse[a * packedSize(d) + packedSize(i) + j] : 0);
        }
      }
    }
  }
}

/** out = Σ e_i row_i over rows of the length of `out`. */
function combine(rows: Float64Array, from: number, e: Float64Array, out: Float64Array): void {
  out.fill(0);
  for (let i = 0, at = from; i < e.length; i++, at += out.length) {
    if (e[i] === 0) continue;
    for (let j = 0; j < out.length; j++) out[j] += e[i] * rows[at + j];
  }
}
