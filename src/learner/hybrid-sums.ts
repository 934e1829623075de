/** The sums behind the hybrid model: what was seen, before anything is solved. */

import { InputError } from '../errors.js';
import { packedSize } from './cholesky.js';
import { addOuter } from './packed.js';

export class HybridSums {
  /** λI + Σ z zᵀ, packed, and Σ r z. */
  readonly zz: Float64Array;
  readonly rz: Float64Array;
  /** A_a = λI + Σ x xᵀ: [K, d (d + 1) / 2]; B_a = Σ x zᵀ: [K, d, k]; b_a = Σ r x: [K, d]. */
  readonly a: Float64Array;
  readonly bz: Float64Array;
  readonly b: Float64Array;

  constructor(
    arms: number,
    private readonly d: number,
    private readonly k: number,
    lambda: number,
  ) {
    this.zz = new Float64Array(packedSize(k));
    this.rz = new Float64Array(k);
    this.a = new Float64Array(arms * packedSize(d));
    this.bz = new Float64Array(arms * d * k);
    this.b = new Float64Array(arms * d);
    for (let i = 0; i < k; i++) this.zz[packedSize(i) + i] = lambda;
    for (let arm = 0; arm < arms; arm++) {
      for (let i = 0; i < d; i++) this.a[arm * packedSize(d) + packedSize(i) + i] = lambda;
    }
  }

  add(arm: number, x: Float64Array, z: Float64Array, payoff: number): void {
    const { d, k } = this;
    addOuter(this.zz, 0, z, 1);
    addOuter(this.a, arm * packedSize(d), x, 1);
    for (let j = 0; j < k; j++) this.rz[j] += payoff * z[j];
    for (let i = 0, at = arm * d * k; i < d; i++) {
      this.b[arm * d + i] += payoff * x[i];
      for (let j = 0; j < k; j++) this.bz[at++] += x[i] * z[j];
    }
  }

  /** C_a = A_a⁻¹B_a and η_a = A_a⁻¹b_a of one arm, given the inverses of all. */
  solve(arm: number, inverse: Float64Array, c: Float64Array, eta: Float64Array): void {
    const { d, k, b, bz } = this;
    const from = arm * packedSize(d);
    for (let i = 0; i < d; i++) {
      const row = (arm * d + i) * k;
      c.fill(0, row, row + k);
      eta[arm * d + i] = 0;
      for (let m = 0; m < d; m++) {
        const weight = inverse[from + (m <= i ? packedSize(i) + m : packedSize(m) + i)];
        eta[arm * d + i] += weight * b[arm * d + m];
        for (let j = 0, at = (arm * d + m) * k; j < k; j++) c[row + j] += weight * bz[at + j];
      }
    }
  }

  /** @throws InputError where a matrix is numerically singular. */
  demand(positiveDefinite: boolean): void {
    if (positiveDefinite) return;
    throw new InputError({
      problem: 'a matrix of linucb-hybrid is numerically singular',
      hint: 'use a larger lambda, or contexts and arm features of size about 1',
    });
  }
}
