/** The sums behind the hybrid model: what was seen, before anything is solved. */

import { InputError } from '../errors.js';
import { factor, invertFactored, packedSize } from './cholesky.js';
import { addOuter } from './packed.js';

/** Lengths: K arms, contexts of d, e of m (d or d + 1), z of k. */
export interface HybridShape {
  readonly arms: number;
  readonly d: number;
  readonly m: number;
  readonly k: number;
}

export class HybridSums {
  /** λI + Σ z zᵀ, packed, and Σ r z. */
  readonly zz: Float64Array;
  readonly rz: Float64Array;
  /** A_a = λI + Σ x xᵀ: [K, d (d + 1) / 2]; B_a = Σ x zᵀ: [K, m, k]; b_a = Σ r x: [K, m]; rows from d on stay 0. */
  readonly a: Float64Array;
  readonly bz: Float64Array;
  readonly b: Float64Array;

  constructor(
    private readonly shape: HybridShape,
    lambda: number,
  ) {
    const { arms, d, m, k } = shape;
    this.zz = new Float64Array(packedSize(k));
    this.rz = new Float64Array(k);
    this.a = new Float64Array(arms * packedSize(d));
    this.bz = new Float64Array(arms * m * k);
    this.b = new Float64Array(arms * m);
    for (let i = 0; i < k; i++) this.zz[packedSize(i) + i] = lambda;
    for (let arm = 0; arm < arms; arm++) {
      for (let i = 0; i < d; i++) this.a[arm * packedSize(d) + packedSize(i) + i] = lambda;
    }
  }

  add(arm: number, x: Float64Array, z: Float64Array, payoff: number): void {
    const { d, m, k } = this.shape;
    addOuter(this.zz, 0, z, 1);
    addOuter(this.a, arm * packedSize(d), x, 1);
    for (let j = 0; j < k; j++) this.rz[j] += payoff * z[j];
    for (let i = 0, at = arm * m * k; i < d; i++) {
      this.b[arm * m + i] += payoff * x[i];
      for (let j = 0; j < k; j++) this.bz[at++] += x[i] * z[j];
    }
  }

  /**
   * The paper's A₀ = λI + Σ z zᵀ − Σ_a B_aᵀA_a⁻¹B_a and b₀ = Σ r z − Σ_a B_aᵀA_a⁻¹b_a, and what it takes to get there.
   *
   * @param sharedInverse out: A₀⁻¹
   * @param inverse out: A_a⁻¹
   * @param c out: C_a = A_a⁻¹B_a, [K, m, k]
   * @param eta out: A_a⁻¹b_a, [K, m]
   * @returns b₀
   * @throws InputError where a matrix is numerically singular.
   */
  solve(sharedInverse: Float64Array, inverse: Float64Array, c: Float64Array, eta: Float64Array): Float64Array {
    const { arms, d, m, k } = this.shape;
    inverse.set(this.a);
    sharedInverse.set(this.zz);
    const b0 = this.rz.slice();
    for (let arm = 0; arm < arms; arm++) {
      invert(inverse, d, arm * packedSize(d));
      this.solveArm(arm, inverse, c, eta);
      for (let i = 0; i < d; i++) {
        const row = (arm * m + i) * k;
        for (let j = 0, at = 0; j < k; j++) {
          b0[j] -= c[row + j] * this.b[arm * m + i];
          for (let l = 0; l <= j; l++) sharedInverse[at++] -= c[row + j] * this.bz[row + l];
        }
      }
    }
    invert(sharedInverse, k, 0);
    return b0;
  }

  private solveArm(arm: number, inverse: Float64Array, c: Float64Array, eta: Float64Array): void {
    const { d, m, k } = this.shape;
    const { b, bz } = this;
    const from = arm * packedSize(d);
    c.fill(0, arm * m * k, (arm + 1) * m * k);
    eta.fill(0, arm * m, (arm + 1) * m);
    for (let i = 0; i < d; i++) {
      const row = (arm * m + i) * k;
      for (let n = 0; n < d; n++) {
        const weight = inverse[from + (n <= i ? packedSize(i) + n : packedSize(n) + i)];
        eta[arm * m + i] += weight * b[arm * m + n];
        for (let j = 0, at = (arm * m + n) * k; j < k; j++) c[row + j] += weight * bz[at + j];
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
