/**
 * A triangular factor of Σ w x xᵀ + λI, for columns of any scale: L Lᵀ = S⁻¹ (Σ w x xᵀ + λI) S⁻¹, S the square roots of the
 * diagonal. With a diagonal of ones what Cholesky's method loses does not depend on the columns' units (van der Sluis, 1969);
 * where little is left of a pivot, the rows √w x are rotated into the factor one by one (Givens), which never forms
 * products and so loses half as many digits.
 */

import type { Archive } from '../../archive.js';
import { packedSize } from './packed.js';

/** Squared pivots down to this are taken from products: steps then have 6 digits, and Newton's method mends the rest. */
const LEAST_PIVOT = 1e-10;

export class NormalFactor {
  /** S */
  private readonly sizes: Float64Array;
  /** L, packed (see packed.ts). */
  private readonly l: Float64Array;
  private readonly row: Float64Array;
  /** The smallest of L's diagonal, at most 1: about one over the condition number of S-scaled rows. */
  pivot = 1;

  /** @param d columns. */
  constructor(private readonly d: number) {
    this.sizes = new Float64Array(d);
    this.l = new Float64Array(packedSize(d));
    this.row = new Float64Array(d);
  }

  /**
   * @param values [n, d]
   * @param weights w ≥ 0 of the n rows.
   * @returns false where the matrix is numerically singular, or overflows.
   */
  make(values: Float64Array, weights: Float64Array, n: number, lambda: number): boolean {
    this.products(values, weights, n, lambda);
    if (this.sizes.some((size) => !(size > 0 && size < Number.POSITIVE_INFINITY))) return false;
    if (this.cholesky()) return true;
    return this.rotate(values, weights, n, lambda);
  }

  private products(values: Float64Array, weights: Float64Array, n: number, lambda: number): void {
    const { l, sizes, d } = this;
    l.fill(0);
    for (let i = 0; i < d; i++) l[packedSize(i) + i] = lambda;
    for (let k = 0, x = 0; k < n; k++, x += d) {
      const w = weights[k];
      if (w === 0) continue;
      for (let i = 0, at = 0; i < d; i++) {
        const wx = w * values[x + i];
        for (let j = 0; j <= i; j++) l[at++] += wx * values[x + j];
      }
    }
    for (let i = 0; i < d; i++) sizes[i] = Math.sqrt(l[packedSize(i) + i]);
  }

  private cholesky(): boolean {
    const { l, sizes, d } = this;
    this.pivot = 1;
    for (let i = 0; i < d; i++) {
      const rowI = packedSize(i);
      for (let j = 0; j <= i; j++) {
        const rowJ = packedSize(j);
        let sum = l[rowI + j] / sizes[i] / sizes[j];
        for (let k = 0; k < j; k++) sum -= l[rowI + k] * l[rowJ + k];
        if (j < i) l[rowI + j] = sum / l[rowJ + j];
        else if (sum >= LEAST_PIVOT) l[rowI + i] = Math.sqrt(sum);
        else return false;
      }
      this.pivot = Math.min(this.pivot, l[rowI + i]);
    }
    return true;
  }

  /** Lᵀ is the triangle of a QR decomposition of the rows √w x S⁻¹ and √λ S⁻¹. */
  private rotate(values: Float64Array, weights: Float64Array, n: number, lambda: number): boolean {
    const { l, sizes, row, d } = this;
    l.fill(0);
    for (let i = 0; i < d; i++) l[packedSize(i) + i] = Math.sqrt(lambda) / sizes[i];
    for (let k = 0, x = 0; k < n; k++, x += d) {
      const root = Math.sqrt(weights[k]);
      if (root === 0) continue;
      for (let i = 0; i < d; i++) row[i] = (root * values[x + i]) / sizes[i];
      for (let i = 0; i < d; i++) {
        if (row[i] === 0) continue;
        const at = packedSize(i) + i;
        const radius = Math.hypot(l[at], row[i]);
        const [cos, sin] = [l[at] / radius, row[i] / radius];
        l[at] = radius;
        for (let j = i + 1; j < d; j++) {
          const below = packedSize(j) + i;
          const [a, b] = [l[below], row[j]];
          l[below] = cos * a + sin * b;
          row[j] = cos * b - sin * a;
        }
      }
    }
    this.pivot = 1;
    for (let i = 0; i < d; i++) this.pivot = Math.min(this.pivot, l[packedSize(i) + i]);
    return this.pivot > 0;
  }

  /** y ← (Σ w x xᵀ + λI)⁻¹ y */
  solve(y: Float64Array): void {
    const { l, sizes, d } = this;
    for (let i = 0; i < d; i++) {
      const row = packedSize(i);
      let sum = y[i] / sizes[i];
      for (let k = 0; k < i; k++) sum -= l[row + k] * y[k];
      y[i] = sum / l[row + i];
    }
    for (let i = d - 1; i >= 0; i--) {
      const value = y[i] / l[packedSize(i) + i];
      y[i] = value;
      for (let k = 0, row = packedSize(i); k < i; k++) y[k] -= l[row + k] * value;
    }
    for (let i = 0; i < d; i++) y[i] /= sizes[i];
  }

  /** √(yᵀ (Σ w x xᵀ + λI)⁻¹ y) */
  norm(y: Float64Array): number {
    const { l, sizes, row, d } = this;
    let squared = 0;
    for (let i = 0; i < d; i++) {
      const at = packedSize(i);
      let sum = y[i] / sizes[i];
      for (let k = 0; k < i; k++) sum -= l[at + k] * row[k];
      row[i] = sum / l[at + i];
      squared += row[i] * row[i];
    }
    return Math.sqrt(squared);
  }

  carry(archive: Archive): void {
    archive.array(this.sizes);
    archive.array(this.l);
    this.pivot = archive.number(this.pivot);
  }

  /** An upper bound, up to a factor about 1, of √(eᵀ (Σ w x xᵀ + λI)⁻¹ e) for errors |e| ≤ y of unknown sign. */
  errorSize(y: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < this.d; i++) sum += (y[i] / this.sizes[i]) ** 2;
    return Math.sqrt(sum) / this.pivot;
  }
}
