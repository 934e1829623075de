/**
 * (S + λI) θ = b for a symmetric S = Σ w x xᵀ, by Cholesky's method without roots, L D Lᵀ, on columns divided by powers of two that
 * bring the diagonal to 1/2 … 2, so that what it loses does not depend on the columns' units (van der Sluis, Numerische Mathematik
 * 14, 1969).
 */

import { packedSize } from '../learner/linear/packed.js';

/**
 * Pivots below this share of the diagonal are rounding: the column follows from those before it, and has θ_j = 0. Predictions in contexts like
 * those of the fit then lose nothing that f64 sums had. λ keeps pivots of columns like the constant above λ / Σ x².
 */
const LEAST_PIVOT = 1e-13;

export class NormalEquations {
  /** Powers of two. */
  private readonly sizes: Float64Array;
  /** L below the diagonal, D on it: 0 where the column is dropped. */
  private readonly l: Float64Array;
  /** A row of L D. */
  private readonly scaled: Float64Array;
  /** Columns of all solutions so far that had no digits of their own. */
  dropped = 0;

  /** @param d columns. */
  constructor(private readonly d: number) {
    this.sizes = new Float64Array(d);
    this.l = new Float64Array(packedSize(d));
    this.scaled = new Float64Array(d);
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
      const diagonal = sums[packedSize(i) + i] + lambda;
      if (!(diagonal < Number.POSITIVE_INFINITY) || !Number.isFinite(sums[b + i])) return i;
      sizes[i] = 2 ** Math.round(Math.log2(diagonal) / 2);
    }
    for (let i = 0; i < d; i++) this.row(sums, lambda, i);
    for (let i = 0; i < d; i++) {
      const at = packedSize(i);
      let sum = sums[b + i] / sizes[i];
      for (let k = 0; k < i; k++) sum -= l[at + k] * out[k];
      out[i] = sum;
    }
    for (let i = 0; i < d; i++) {
      const pivot = l[packedSize(i) + i];
      out[i] = pivot === 0 ? 0 : out[i] / pivot;
    }
    for (let i = d - 1; i >= 0; i--) for (let k = 0, at = packedSize(i); k < i; k++) out[k] -= l[at + k] * out[i];
    for (let i = 0; i < d; i++) out[i] /= sizes[i];
    return -1;
  }

  /** Row i of L, and its pivot. */
  private row(sums: Float64Array, lambda: number, i: number): void {
    const { l, sizes, scaled } = this;
    const at = packedSize(i);
    const diagonal = (sums[at + i] + lambda) / sizes[i] / sizes[i];
    let pivot = diagonal;
    for (let j = 0; j < i; j++) {
      const other = packedSize(j);
      const below = l[other + j];
      let sum = sums[at + j] / sizes[i] / sizes[j];
      for (let k = 0; k < j; k++) sum -= scaled[k] * l[other + k];
      // A dropped column takes no part in those behind it.
      scaled[j] = below === 0 ? 0 : sum;
      l[at + j] = below === 0 ? 0 : sum / below;
      pivot -= scaled[j] * l[at + j];
    }
    if (pivot >= LEAST_PIVOT * diagonal) {
      l[at + i] = pivot;
      return;
    }
    l.fill(0, at, at + i + 1);
    this.dropped++;
  }
}
