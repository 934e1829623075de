/**
 * Packed matrices, symmetric or triangular, and vectors inside longer arrays. Of a matrix of order n the lower triangle lies row
 * by row, element (i, j), j ≤ i, at i (i + 1) / 2 + j.
 */

/** Numbers in a packed triangle of order n. */
export function packedSize(n: number): number {
  return (n * (n + 1)) / 2;
}

/** Σ flat[from + j] y[j] */
export function dot(flat: Float64Array, from: number, y: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < y.length; j++) sum += flat[from + j] * y[j];
  return sum;
}

/** out = S y, with the order of S the length of y. */
export function multiplySymmetric(s: Float64Array, from: number, y: Float64Array, out: Float64Array): void {
  out.fill(0);
  for (let i = 0, at = from; i < y.length; i++) {
    let sum = 0;
    for (let j = 0; j < i; j++, at++) {
      sum += s[at] * y[j];
      out[j] += s[at] * y[i];
    }
    out[i] += sum + s[at++] * y[i];
  }
}

/** S ← S + scale · y yᵀ */
export function addOuter(s: Float64Array, from: number, y: Float64Array, scale: number): void {
  for (let i = 0, at = from; i < y.length; i++) {
    const yi = scale * y[i];
    for (let j = 0; j <= i; j++) s[at++] += yi * y[j];
  }
}
