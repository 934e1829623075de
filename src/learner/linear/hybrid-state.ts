/**
 * The hybrid linear model of Li et al. (WWW 2010), Algorithm 2: E[r] = zᵀβ + xᵀθ_a; what is learnt, whatever candidates look
 * like. With the paper's A₀, A_a, B_a, b_a, and C_a = A_a⁻¹B_a, η_a = A_a⁻¹b_a, its score terms of a candidate are, for
 * w = z − C_aᵀx,
 *
 *     zᵀβ̂ + xᵀθ̂_a = wᵀβ̂ + xᵀη_a,      s = wᵀA₀⁻¹w + xᵀA_a⁻¹x,
 *
 * and an update of arm c by (x, z, r), with v = A_c⁻¹x, q = xᵀv, u = A₀⁻¹w, is a rank-1 step everywhere:
 *
 *     A₀ ← A₀ + w wᵀ/(1+q),  β̂ ← β̂ + u (r − wᵀβ̂ − xᵀη_c)/(1+s),   s = q + uᵀw,
 *     A_c ← A_c + x xᵀ,  C_c ← C_c + v wᵀ/(1+q),  η_c ← η_c + v (r − xᵀη_c)/(1+q).
 *
 * The paper's A₀ = λI + Σ z zᵀ − Σ_a B_aᵀA_a⁻¹B_a is what is left of large numbers: where contexts say nearly all of z (a
 * product z = f ⊗ x does, given enough events), it stays near λ while Σ z zᵀ grows with the events. Here nothing is ever
 * subtracted from it, and of both kinds of matrix the root of the inverse is kept (`root-update.ts`).
 */

import type { Archive } from '../../archive.js';
import type { HybridShape } from './hybrid-map.js';
import { dot, packedSize } from './packed.js';
import { multiplyRoot, rootForm, updateRoot } from './root-update.js';
import { type Solved, solvedRoot, worseOf } from './solved.js';

export class HybridState {
  /** β̂ */
  readonly beta: Float64Array;
  /** Roots of A₀⁻¹, packed, and of A_a⁻¹: [K, d (d + 1) / 2]; C_a: [K, d, k]; η_a: [K, d]. */
  readonly sharedRoot: Float64Array;
  readonly root: Float64Array;
  readonly c: Float64Array;
  readonly eta: Float64Array;
  /** Of the last update: w, u, v, 1/(1 + q), 1/(1 + s), and (r − zᵀβ̂ − xᵀθ̂)/(1 + s). */
  readonly w: Float64Array;
  readonly u: Float64Array;
  readonly v: Float64Array;
  ownShrink = 0;
  shrink = 0;
  step = 0;
  /** b_a: [K, d] */
  private readonly b: Float64Array;
  private readonly y: Float64Array;
  private readonly sharedY: Float64Array;

  constructor(
    private readonly shape: HybridShape,
    lambda: number,
  ) {
    const { arms, d, k } = shape;
    this.beta = new Float64Array(k);
    this.sharedRoot = new Float64Array(packedSize(k));
    this.root = new Float64Array(arms * packedSize(d));
    this.c = new Float64Array(arms * d * k);
    this.eta = new Float64Array(arms * d);
    this.w = new Float64Array(k);
    this.u = new Float64Array(k);
    this.v = new Float64Array(d);
    this.b = new Float64Array(arms * d);
    this.y = new Float64Array(d);
    this.sharedY = new Float64Array(k);
    const prior = 1 / Math.sqrt(lambda);
    for (let i = 0; i < k; i++) this.sharedRoot[packedSize(i) + i] = prior;
    for (let arm = 0; arm < arms; arm++)
      for (let i = 0; i < d; i++) this.root[arm * packedSize(d) + packedSize(i) + i] = prior;
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

  /** wᵀA₀⁻¹w + xᵀA_a⁻¹x */
  variance(arm: number, x: Float64Array, w: Float64Array): number {
    return rootForm(this.sharedRoot, 0, w) + rootForm(this.root, arm * packedSize(this.shape.d), x);
  }

  learn(arm: number, x: Float64Array, z: Float64Array, payoff: number): void {
    const { shape, w, u, v, c, eta, b, root, sharedRoot, y, sharedY, beta } = this;
    const { d, k } = shape;
    this.residue(arm, x, z, w);
    const residual = payoff - dot(eta, arm * d, x);
    multiplyRoot(root, arm * packedSize(d), x, y);
    multiplyRoot(sharedRoot, 0, w, sharedY);
    const own = updateRoot(root, arm * packedSize(d), y, 1, v);
    this.ownShrink = 1 / own;
    this.shrink = this.ownShrink / updateRoot(sharedRoot, 0, sharedY, this.ownShrink, u);
    this.step = this.shrink * (residual - dot(w, 0, beta));
    for (let j = 0; j < k; j++) beta[j] += u[j] * this.step;
    for (let i = 0, at = arm * d * k; i < d; i++) {
      const gain = v[i] * this.ownShrink;
      b[arm * d + i] += payoff * x[i];
      eta[arm * d + i] += gain * residual;
      for (let j = 0; j < k; j++) c[at++] += gain * w[j];
    }
  }

  /** θ̂_a = η_a − C_aβ̂ of all arms: [K, d]. */
  theta(): Float64Array {
    const { c, eta, beta, shape } = this;
    return Float64Array.from(eta, (own, n) => own - dot(c, n * shape.k, beta));
  }

  /** Condition of A_a and A₀, and the residual of A_a η_a = b_a. */
  solved(): Solved {
    const { shape, root, sharedRoot, eta, b, beta } = this;
    const { arms, d } = shape;
    let worst = solvedRoot({ entries: sharedRoot, of: 'inverse' }, beta, null);
    for (let arm = 0; arm < arms; arm++) {
      const entries = root.subarray(arm * packedSize(d), (arm + 1) * packedSize(d));
      const [from, to] = [arm * d, (arm + 1) * d];
      worst = worseOf(worst, solvedRoot({ entries, of: 'inverse' }, eta.subarray(from, to), b.subarray(from, to)));
    }
    return worst;
  }

  carry(archive: Archive): void {
    const { beta, sharedRoot, root, c, eta, b } = this;
    for (const part of [beta, sharedRoot, root, c, eta, b]) archive.array(part);
  }
}
