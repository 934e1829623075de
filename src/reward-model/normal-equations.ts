/**
 * (S + λI) θ = b for a symmetric S = Σ w x xᵀ, by Cholesky's method on columns brought to a diagonal of ones, so that what it loses
 * does not depend on the columns' units (van der Sluis, Numerische Mathematik 14, 1969).
 */

import { packedSize } from '../learner/linear/packed.js';

/**
 * Squared pivots below this are rounding: the column follows from those before it, and has θ_j = 0. Predictions in contexts like
 * those of the fit then lose nothing that f64 sums had. λ keeps pivots of columns like the constant above λ / Σ x².
 */
const LEAST_PIVOT = 1e-13;

export class NormalEquations {
  private readonly sizes: Float64Array;
  private readonly l: Float64Array;
  /** Columns of all solutions so far that had no digits of their own. */
  dropped = 0;

  /** @param d columns. */
  constructor(private readonly d: number) {
    this.sizes = new Float64Array(d);
    this.l = new Float64Array(packedSize(d));
  }

  /**
   * @param sums S packed (see packed.ts of the linear learners), then b.
   * @param out θ, [d]
   * @returns the column whose sums overflow f64; −1: none.
   */
  solve(sums: Float64Array, lambda: number, out: Float64Array): number {
    const { d, l, sizes } = this;
    const b = packedSize(d);
    for (let i = 0; i < d; i++) {
      sizes[i] = Math.sqrt(sums[packedSize(i) + i] + lambda);
      if (!(sizes[i] < Number.POSITIVE_INFINITY) || !Number.isFinite(sums[b + i])) return i;
    }
    for (let i = 0; i < d; i++) this.row(sums, lambda, i);
    for (let i = 0; i < d; i++) {
      const at = packedSize(i);
      let sum = sums[b + i] / sizes[i];
      for (let k = 0; k < i; k++) sum -= l[at + k] * out[k];
      out[i] = l[at + i] === 0 ? 0 : sum / l[at + i];
    }
    for (let i = d - 1; i >= 0; i--) {
      const at = packedSize(i);
      const value = l[at + i] === 0 ? 0 : out[i] / l[at + i];
      out[i] = value;
      for (let k = 0; k < i; k++) out[k] -= l[at + k] * value;
    }
    for (let i = 0; i < d; i++) out[i] /= sizes[i];
    return -1;
  }

  /** Row i of L; all zeros where the column is dropped. */
  private row(sums: Float64Array, lambda: number, i: number): void {
    const { l, sizes } = this;
    const at = packedSize(i);
    for (let j = 0; j < i; j++) {
      const other = packedSize(j);
      if (l[other + j] === 0) {
        l[at + j] = 0;
        continue;
      }
      let sum = sums[at + j] / sizes[i] / sizes[j];
      for (let k = 0; k < j; k++) sum -= l[at + k] * l[other + k];
      l[at + j] = sum / l[other + j];
    }
    let pivot = (sums[at + i] + lambda) / sizes[i] / sizes[i];
    for (let k = 0; k < i; k++) pivot -= l[at + k] * l[at + k];
    if (pivot >= LEAST_PIVOT) {
      l[at + i] = Math.sqrt(pivot);
      return;
    }
    l.fill(0, at, at + i + 1);
    this.dropped++;
  }
}
