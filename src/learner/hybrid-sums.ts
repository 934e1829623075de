/**
 * The sums behind the hybrid model: what was seen, before anything is solved.
 *
 * The paper's A₀ = λI + Σ z zᵀ − Σ_a B_aᵀA_a⁻¹B_a is what is left of large numbers: where contexts say nearly all of z (a
 * product z = f ⊗ x does, given enough events), it stays near λ while Σ z zᵀ grows with the events. So it is not formed that
 * way. An event of arm a with context x, shared z and payoff r, w = z − C_aᵀx and q = xᵀA_a⁻¹x, as they were before it, adds
 *
 *     A₀ += w wᵀ / (1 + q),    b₀ += w (r − xᵀη_a) / (1 + q),    C_a = A_a⁻¹B_a,  η_a = A_a⁻¹b_a,
 *
 * which Sherman and Morrison's formula gives when B_aᵀA_a⁻¹B_a is written out before and after. Nothing is ever subtracted
 * from A₀, whatever z is, and w is small where it matters little.
 */

import type { Archive } from '../archive.js';
import { InputError } from '../errors.js';
import { factor, invertFactored, packedSize } from './cholesky.js';
import type { HybridShape } from './hybrid-map.js';
import { addOuter } from './packed.js';

export class HybridSums {
  /** A₀, packed, and b₀. */
  readonly a0: Float64Array;
  readonly b0: Float64Array;
  /** A_a = λI + Σ x xᵀ: [K, d (d + 1) / 2]; B_a = Σ x zᵀ: [K, d, k]; b_a = Σ r x: [K, d]. */
  private readonly a: Float64Array;
  private readonly bz: Float64Array;
  private readonly b: Float64Array;

  constructor(
    private readonly shape: HybridShape,
    lambda: number,
  ) {
    const { arms, d, k } = shape;
    this.a0 = new Float64Array(packedSize(k));
    this.b0 = new Float64Array(k);
    this.a = new Float64Array(arms * packedSize(d));
    this.bz = new Float64Array(arms * d * k);
    this.b = new Float64Array(arms * d);
    for (let i = 0; i < k; i++) this.a0[packedSize(i) + i] = lambda;
    for (let arm = 0; arm < arms; arm++) {
      for (let i = 0; i < d; i++) this.a[arm * packedSize(d) + packedSize(i) + i] = lambda;
    }
  }

  /**
   * Takes in an event of `arm`.
   *
   * @param w z − C_aᵀx
   * @param q xᵀA_a⁻¹x
   * @param residual r − xᵀη_a
   */
  add(
    arm: number,
    x: Float64Array,
    z: Float64Array,
    payoff: number,
    w: Float64Array,
    q: number,
    residual: number,
  ): void {
    const { d, k } = this.shape;
    const weight = 1 / (1 + q);
    addOuter(this.a0, 0, w, weight);
    addOuter(this.a, arm * packedSize(d), x, 1);
    for (let j = 0; j < k; j++) this.b0[j] += weight * residual * w[j];
    for (let i = 0, at = arm * d * k; i < d; i++) {
      this.b[arm * d + i] += payoff * x[i];
      for (let j = 0; j < k; j++) this.bz[at++] += x[i] * z[j];
    }
  }

  carry(archive: Archive): void {
    for (const sums of [this.a0, this.b0, this.a, this.bz, this.b]) archive.array(sums);
  }

  /**
   * @param sharedInverse out: A₀⁻¹
   * @param inverse out: A_a⁻¹
   * @param c out: C_a, [K, d, k]
   * @param eta out: η_a, [K, d]
   * @throws InputError where a matrix is numerically singular.
   */
  solve(sharedInverse: Float64Array, inverse: Float64Array, c: Float64Array, eta: Float64Array): void {
    const { arms, d, k } = this.shape;
    inverse.set(this.a);
    sharedInverse.set(this.a0);
    for (let arm = 0; arm < arms; arm++) {
      invert(inverse, d, arm * packedSize(d));
      this.solveArm(arm, inverse, c, eta);
    }
    invert(sharedInverse, k, 0);
  }

  private solveArm(arm: number, inverse: Float64Array, c: Float64Array, eta: Float64Array): void {
    const { d, k } = this.shape;
    const { b, bz } = this;
    const from = arm * packedSize(d);
    c.fill(0, arm * d * k, (arm + 1) * d * k);
    eta.fill(0, arm * d, (arm + 1) * d);
    for (let i = 0; i < d; i++) {
      const row = (arm * d + i) * k;
      for (let n = 0; n < d; n++) {
        const weight = inverse[from + (n <= i ? packedSize(i) + n : packedSize(n) + i)];
        eta[arm * d + i] += weight * b[arm * d + n];
        for (let j = 0, at = (arm * d + n) * k; j < k; j++) c[row + j] += weight * bz[at + j];
      }
    }
  }
}

/** A packed matrix becomes its inverse. */
function invert(matrix: Float64Array, n: number, from: number): void {
  if (!factor(matrix, n, from)) {
    throw new InputError({
      problem: 'a matrix of linucb-hybrid is numerically singular',
      hint: 'use a larger lambda, or contexts and arm features of size about 1',
    });
  }
  invertFactored(matrix, n, from);
}
