/**
 * Singular values of a small matrix by one-sided Jacobi rotations (Hestenes; Golub & Van Loan, Matrix Computations, 8.6.3): columns
 * are rotated two by two until all are orthogonal. Columns in unlike units lose nothing to one another: small singular values
 * keep the digits that the columns, each scaled to length 1, have (Demmel & Veselić 1992), where methods that form squares, or
 * bidiagonals, lose those of the largest column.
 */

/** Angles below this are none: rotations would change nothing. */
const ORTHOGONAL = 2 ** -52;
const MOST_SWEEPS = 60;

/**
 * Makes R V of R, in place, with orthogonal columns, whose lengths are the singular values of R; V is orthogonal. Columns of no
 * length but rounding need not be orthogonal to one another: below `negligible`, or `ORTHOGONAL` times the longest column.
 *
 * @param columns R by columns: [d, d]; becomes R V.
 * @param vectors becomes V by columns: [d, d].
 */
export function orthogonalize(columns: Float64Array, vectors: Float64Array, d: number, negligible: number): void {
  vectors.fill(0);
  let longest = 0;
  for (let j = 0; j < d; j++) {
    vectors[j * d + j] = 1;
    longest = Math.max(longest, dot(columns, j * d, j * d, d));
  }
  const small = Math.max(negligible ** 2, (d * ORTHOGONAL) ** 2 * longest);
  for (let sweep = 0, turned = true; turned && sweep < MOST_SWEEPS; sweep++) {
    turned = false;
    for (let p = 0; p < d * d; p += d) {
      for (let q = p + d; q < d * d; q += d) {
        const a = dot(columns, p, p, d);
        const b = dot(columns, q, q, d);
        if (a <= small && b <= small) continue;
        const c = dot(columns, p, q, d);
        const size = Math.min(a, b) <= small ? Math.max(a, b) : Math.sqrt(a) * Math.sqrt(b);
        if (Math.abs(c) <= ORTHOGONAL * size) continue;
        const zeta = (b - a) / (2 * c);
        const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
        const cosine = 1 / Math.sqrt(1 + tangent * tangent);
        rotate(columns, p, q, d, cosine, cosine * tangent);
        rotate(vectors, p, q, d, cosine, cosine * tangent);
        turned = true;
      }
    }
  }
}

function dot(list: Float64Array, p: number, q: number, d: number): number {
  let sum = 0;
  for (let i = 0; i < d; i++) sum += list[p + i] * list[q + i];
  return sum;
}

function rotate(list: Float64Array, p: number, q: number, d: number, cosine: number, sine: number): void {
  for (let i = 0; i < d; i++) {
    const x = list[p + i];
    const y = list[q + i];
    list[p + i] = cosine * x - sine * y;
    list[q + i] = sine * x + cosine * y;
  }
}
