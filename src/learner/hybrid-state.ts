/**
 * The hybrid linear model of Li et al. (WWW 2010), Algorithm 2: E[r] = zᵀβ + xᵀθ_a; what is learnt, whatever candidates look
 * like. With the paper's A₀, A_a, B_a, b_a, and C_a = A_a⁻¹B_a, η_a = A_a⁻¹b_a, its score terms of a candidate are, for
 * w = z − C_aᵀx,
 *
 *     zᵀβ̂ + xᵀθ̂_a = wᵀβ̂ + xᵀη_a,      s = wᵀA₀⁻¹w + xᵀA_a⁻¹x,
 *
 * and an update of arm c by (x, z, r), with v = A_c⁻¹x, q = xᵀv, u = A₀⁻¹w, is a rank-1 step everywhere:
 *
 *     A₀⁻¹ ← A₀⁻¹ − u uᵀ/(1+s),  β̂ ← β̂ + u (r − wᵀβ̂ − xᵀη_c)/(1+s),   s = q + uᵀw,
 *     A_c⁻¹ ← A_c⁻¹ − v vᵀ/(1+q),  C_c ← C_c + v wᵀ/(1+q),  η_c ← η_c + v (r − xᵀη_c)/(1+q).
 *
 * All is computed afresh from sums after 1, 2, 4, … and then every 512 updates, so that rounding does not add up.
 */

import type { Archive } from '../archive.js';
import { packedSize } from './cholesky.js';
import type { HybridShape } from './hybrid-map.js';
import { HybridSums } from './hybrid-sums.js';
import { addOuter, dot, multiplySymmetric } from './packed.js';

const REFRESH = 512;

export class HybridState {
  /** Updates of each arm. */
  readonly updates: Uint32Array;
  /** β̂ */
  readonly beta: Float64Array;
  /** A₀⁻¹ packed; A_a⁻¹: [K, d (d + 1) / 2]; C_a: [K, d, k]; η_a: [K, d]. */
  readonly sharedInverse: Float64Array;
  readonly inverse: Float64Array;
  readonly c: Float64Array;
  readonly eta: Float64Array;
  /** Of the last update: w, u, v, 1/(1 + q), 1/(1 + s), and (r − zᵀβ̂ − xᵀθ̂)/(1 + s). */
  readonly w: Float64Array;
  readonly u: Float64Array;
  readonly v: Float64Array;
  ownShrink = 0;
  shrink = 0;
  step = 0;
  private readonly sums: HybridSums;
  private count = 0;

  constructor(
    private readonly shape: HybridShape,
    lambda: number,
  ) {
    const { arms, d, k } = shape;
    this.updates = new Uint32Array(arms);
    this.beta = new Float64Array(k);
    this.sharedInverse = new Float64Array(packedSize(k));
    this.inverse = new Float64Array(arms * packedSize(d));
    this.c = new Float64Array(arms * d * k);
    this.eta = new Float64Array(arms * d);
    this.w = new Float64Array(k);
    this.u = new Float64Array(k);
    this.v = new Float64Array(d);
    this.sums = new HybridSums(shape, lambda);
    this.refresh();
  }

  /** out = z − C_aᵀx */
  residue(arm: number, x: Float64Array, z: Float64Array, out: Float64Array): void {
    const { c, shape } = this;
    const { d, k } = shape;
    out.set(z);
    for (let i = 0, at = arm * d * k; i < d; i++, at += k) {
      if (x[i] === 0) continue;
      for (let j = 0; j < k; j++) out[j] -= x[i] * c[at + j];
    }
  }

  /** Learns from an event; true where all was computed afresh. */
  learn(arm: number, x: Float64Array, z: Float64Array, payoff: number): boolean {
    const { shape, w, u, v, c, eta, inverse, sharedInverse, beta } = this;
    const { d, k } = shape;
    this.residue(arm, x, z, w);
    multiplySymmetric(sharedInverse, 0, w, u);
    multiplySymmetric(inverse, arm * packedSize(d), x, v);
    const q = dot(v, 0, x);
    const residual = payoff - dot(eta, arm * d, x);
    this.sums.add(arm, x, z, payoff, w, q, residual);
    this.ownShrink = 1 / (1 + q);
    this.shrink = 1 / (1 + q + dot(u, 0, w));
    this.step = this.shrink * (residual - dot(w, 0, beta));
    addOuter(sharedInverse, 0, u, -this.shrink);
    for (let j = 0; j < k; j++) beta[j] += u[j] * this.step;
    for (let i = 0, at = arm * d * k; i < d; i++) {
      const gain = v[i] * this.ownShrink;
      eta[arm * d + i] += gain * residual;
      for (let j = 0; j < k; j++) c[at++] += gain * w[j];
    }
    addOuter(inverse, arm * packedSize(d), v, -this.ownShrink);
    this.updates[arm]++;
    const n = ++this.count;
    const due = n % REFRESH === 0 || (n < REFRESH && (n & (n - 1)) === 0);
    if (due) this.refresh();
    return due;
  }

  /** θ̂_a = η_a − C_aβ̂ of all arms: [K, d]. */
  theta(): Float64Array {
    const { c, eta, beta, shape } = this;
    return Float64Array.from(eta, (own, n) => own - dot(c, n * shape.k, beta));
  }

  carry(archive: Archive): void {
    const { updates, beta, sharedInverse, inverse, c, eta } = this;
    for (const part of [updates, beta, sharedInverse, inverse, c, eta]) archive.array(part);
    this.sums.carry(archive);
    this.count = archive.number(this.count);
  }

  private refresh(): void {
    const { sums, sharedInverse, inverse, c, eta, beta } = this;
    sums.solve(sharedInverse, inverse, c, eta);
    multiplySymmetric(sharedInverse, 0, sums.b0, beta);
  }
}
