/**
 * The hybrid linear model of Li et al. (WWW 2010), Algorithm 2: E[r] = zᵀβ + xᵀθ_a.
 *
 * The paper keeps A₀, b₀ (β eliminated over arms) and A_a, B_a, b_a. Kept here, besides the sums Σ z zᵀ, Σ r z, A_a, B_a,
 * b_a, is what the scores need: A₀⁻¹, β̂ = A₀⁻¹b₀ and, per arm, A_a⁻¹, C_a = A_a⁻¹B_a, η_a = A_a⁻¹b_a. With
 * w = z − C_aᵀx the paper's terms are
 *
 *     zᵀβ̂ + xᵀθ̂_a = wᵀβ̂ + xᵀη_a,      s = wᵀA₀⁻¹w + xᵀA_a⁻¹x,
 *
 * and an update by (x, z, r) with v = A_a⁻¹x, q = xᵀv is two rank-1 steps:
 *
 *     A₀ ← A₀ + w wᵀ/(1+q),   b₀ ← b₀ + w (r − xᵀη_a)/(1+q),   A_a⁻¹ ← A_a⁻¹ − v vᵀ/(1+q),
 *     C_a ← C_a + v wᵀ/(1+q),  η_a ← η_a + v (r − xᵀη_a)/(1+q).
 *
 * All is computed afresh from the sums after 1, 2, 4, … and then every 512 updates, so that rounding does not add up.
 */

import { factor, invertFactored, packedSize } from './cholesky.js';
import { HybridSums } from './hybrid-sums.js';
import { addOuter, dot, multiplySymmetric, quadratic } from './packed.js';

const REFRESH = 512;

export class HybridModel {
  /** Updates of each arm. */
  readonly updates: Uint32Array;
  /** β̂, length k. */
  readonly beta: Float64Array;
  private readonly sums: HybridSums;
  /** A₀⁻¹, packed. */
  private readonly sharedInverse: Float64Array;
  /** A_a⁻¹: [K, d (d + 1) / 2]; C_a: [K, d, k]; η_a: [K, d]. */
  private readonly inverse: Float64Array;
  private readonly c: Float64Array;
  private readonly eta: Float64Array;
  private readonly w: Float64Array;
  private readonly v: Float64Array;
  private readonly u: Float64Array;
  private total = 0;

  /** @param k length of z. */
  constructor(
    private readonly arms: number,
    private readonly d: number,
    private readonly k: number,
    lambda: number,
  ) {
    this.updates = new Uint32Array(arms);
    this.beta = new Float64Array(k);
    this.sums = new HybridSums(arms, d, k, lambda);
    this.sharedInverse = new Float64Array(packedSize(k));
    this.inverse = new Float64Array(arms * packedSize(d));
    this.c = new Float64Array(arms * d * k);
    this.eta = new Float64Array(arms * d);
    this.w = new Float64Array(k);
    this.v = new Float64Array(d);
    this.u = new Float64Array(k);
    this.refresh();
  }

  /** zᵀβ̂ + xᵀθ̂_a + α √s */
  score(arm: number, x: Float64Array, z: Float64Array, alpha: number): number {
    this.residual(arm, x, z);
    const mean = dot(this.w, 0, this.beta) + dot(this.eta, arm * this.d, x);
    if (alpha === 0) return mean;
    const s = quadratic(this.sharedInverse, 0, this.w) + quadratic(this.inverse, arm * packedSize(this.d), x);
    return mean + alpha * Math.sqrt(Math.max(0, s));
  }

  learn(arm: number, x: Float64Array, z: Float64Array, payoff: number): void {
    const { d, k, w, v, u, c, eta, beta, inverse, sharedInverse } = this;
    this.sums.add(arm, x, z, payoff);
    this.residual(arm, x, z);
    const from = arm * packedSize(d);
    multiplySymmetric(inverse, from, x, v);
    const q = dot(v, 0, x);
    const error = payoff - dot(eta, arm * d, x);
    // β̂ learns √(1+q)⁻¹ (w, error); by Sherman and Morrison A₀⁻¹w shrinks by 1 + wᵀA₀⁻¹w/(1+q).
    multiplySymmetric(sharedInverse, 0, w, u);
    const shrink = 1 / (1 + q + dot(u, 0, w));
    const step = shrink * (error - dot(w, 0, beta));
    for (let i = 0; i < k; i++) beta[i] += u[i] * step;
    addOuter(sharedInverse, 0, u, -shrink);
    for (let i = 0, at = arm * d * k; i < d; i++) {
      const gain = v[i] / (1 + q);
      eta[arm * d + i] += gain * error;
      for (let j = 0; j < k; j++) c[at++] += gain * w[j];
    }
    addOuter(inverse, from, v, -1 / (1 + q));
    this.updates[arm]++;
    const n = ++this.total;
    if (n % REFRESH === 0 || (n < REFRESH && (n & (n - 1)) === 0)) this.refresh();
  }

  /** θ̂_a = A_a⁻¹(b_a − B_aβ̂) = η_a − C_aβ̂ of all arms: [K, d]. */
  theta(): Float64Array {
    return this.eta.map((eta, row) => eta - dot(this.c, row * this.k, this.beta));
  }

  /** w = z − C_aᵀx */
  private residual(arm: number, x: Float64Array, z: Float64Array): void {
    const { w, c, d, k } = this;
    for (let j = 0; j < k; j++) w[j] = z[j];
    for (let i = 0, at = arm * d * k; i < d; i++, at += k) {
      if (x[i] === 0) continue;
      for (let j = 0; j < k; j++) w[j] -= c[at + j] * x[i];
    }
  }

  /** Everything from the sums: the paper's A₀ = λI + Σ z zᵀ − Σ_a B_aᵀA_a⁻¹B_a and b₀ = Σ r z − Σ_a B_aᵀA_a⁻¹b_a. */
  private refresh(): void {
    const { arms, d, k, sums, inverse, c, eta, beta, sharedInverse } = this;
    inverse.set(sums.a);
    sharedInverse.set(sums.zz);
    const b0 = sums.rz.slice();
    for (let arm = 0; arm < arms; arm++) {
      const from = arm * packedSize(d);
      sums.demand(factor(inverse, d, from));
      invertFactored(inverse, d, from);
      sums.solve(arm, inverse, c, eta);
      for (let i = 0; i < d; i++) {
        const row = (arm * d + i) * k;
        for (let j = 0, at = 0; j < k; j++) {
          b0[j] -= c[row + j] * sums.b[arm * d + i];
          for (let l = 0; l <= j; l++) sharedInverse[at++] -= c[row + j] * sums.bz[row + l];
        }
      }
    }
    sums.demand(factor(sharedInverse, k));
    invertFactored(sharedInverse, k);
    multiplySymmetric(sharedInverse, 0, b0, beta);
  }
}
