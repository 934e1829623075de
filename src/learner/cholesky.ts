/**
 * Cholesky factors of symmetric positive definite matrices. A symmetric or triangular matrix of order n is packed:
 * its lower triangle row by row, element (i, j), j ≤ i, at i (i + 1) / 2 + j; n (n + 1) / 2 numbers.
 */

/** Numbers in a packed triangle of order n. */
export function packedSize(n: number): number {
  return (n * (n + 1)) / 2;
}

/**
 * A = L Lᵀ, written over A.
 *
 * @param a packed triangles; the matrix starts at `from`.
 * @returns false where A is not numerically positive definite; `a` is then undefined.
 */
export function factor(a: Float64Array, n: number, from = 0): boolean {
  for (let i = 0; i < n; i++) {
    const rowI = from + packedSize(i);
    for (let j = 0; j <= i; j++) {
      const rowJ = from + packedSize(j);
      let sum = a[rowI + j];
      for (let k = 0; k < j; k++) sum -= a[rowI + k] * a[rowJ + k];
      if (j < i) a[rowI + j] = sum / a[rowJ + j];
      else if (sum > 0) a[rowI + i] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Solves L Lᵀ y = y in place, given the packed factor L. */
export function solve(l: Float64Array, n: number, y: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const row = packedSize(i);
    let sum = y[i];
    for (let k = 0; k < i; k++) sum -= l[row + k] * y[k];
    y[i] = sum / l[row + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    const value = y[i] / l[packedSize(i) + i];
    y[i] = value;
    for (let k = 0, row = packedSize(i); k < i; k++) y[k] -= l[row + k] * value;
  }
}

/** A lower triangle becomes its inverse. */
export function invertTriangle(l: Float64Array, n: number): void {
  // Column by column: (L⁻¹)ᵢⱼ = −Σ_{j ≤ k < i} Lᵢₖ (L⁻¹)ₖⱼ / Lᵢᵢ. Rows below i still hold L.
  for (let i = 0; i < n; i++) {
    const row = packedSize(i);
    const pivot = 1 / l[row + i];
    for (let j = 0; j < i; j++) {
      let sum = 0;
      for (let k = j; k < i; k++) sum += l[row + k] * l[packedSize(k) + j];
      l[row + j] = -sum * pivot;
    }
    l[row + i] = pivot;
  }
}
