/**
 * Roots of inverses: S = RᵀR for an inverse S = A⁻¹, R = L⁻¹ lower triangular, L the Cholesky factor of A, packed as in
 * `packed.ts`.
 *
 * For A + w x xᵀ with y = R x and s_i = 1 + w Σ_{j ≤ i} y_j² (shaders/lib/factor.wgsl has the same):
 *
 *     R'_ij = √(s_{i−1}/s_i) R_ij − w y_i / √(s_i s_{i−1}) Σ_{j ≤ k < i} y_k R_kj.
 *
 * Neither A nor its inverse is formed, and scaling a column of contexts scales a column of R and no rounding, so errors grow
 * with the condition number of the rows (√λ I; x₁ᵀ; x₂ᵀ; …), columns scaled to length 1, where A's own is its square.
 */

/** y = R x. */
export function multiplyRoot(root: Float64Array, from: number, x: Float64Array, y: Float64Array): void {
  const n = x.length;
  for (let i = 0, at = from; i < n; i++) {
    let sum = 0;
    for (let j = 0; j <= i; j++) sum += root[at++] * x[j];
    y[i] = sum;
  }
}

/** ‖R x‖² = xᵀSx: a sum of squares, which cannot cancel. */
export function rootForm(root: Float64Array, from: number, x: Float64Array): number {
  const n = x.length;
  let square = 0;
  for (let i = 0, at = from; i < n; i++) {
    let sum = 0;
    for (let j = 0; j <= i; j++) sum += root[at++] * x[j];
    square += sum * sum;
  }
  return square;
}

/**
 * R of S becomes that of (A + w x xᵀ)⁻¹.
 *
 * @param y R x
 * @param weight w ≥ 0
 * @param gain out: Sx of the old S.
 * @returns 1 + w xᵀSx
 */
export function updateRoot(
  root: Float64Array,
  from: number,
  y: Float64Array,
  weight: number,
  gain: Float64Array,
): number {
  const n = y.length;
  gain.fill(0);
  let before = 1;
  for (let i = 0, at = from; i < n; i++) {
    const yi = y[i];
    const wy = weight * yi;
    const after = before + wy * yi;
    const keep = Math.sqrt(before / after);
    const take = wy / Math.sqrt(before * after);
    for (let j = 0; j <= i; j++, at++) {
      const r = root[at];
      root[at] = keep * r - take * gain[j];
      gain[j] += yi * r;
    }
    before = after;
  }
  return before;
}

/** S = RᵀR, packed. */
export function squareOfRoot(root: Float64Array, n: number, from: number, out: Float64Array, to: number): void {
  out.fill(0, to, to + (n * (n + 1)) / 2);
  for (let k = 0, row = from; k < n; row += ++k) {
    for (let i = 0, at = to; i <= k; i++) {
      const r = root[row + i];
      for (let j = 0; j <= i; j++) out[at++] += r * root[row + j];
    }
  }
}
