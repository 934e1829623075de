// Factors of what an update shrinks: S = RᵀR, R lower triangular.
//
// S ← S − (Sx)(Sx)ᵀ w/(1 + w xᵀSx) is closed-form in R: with y = R x and s_i = 1 + w Σ_{j ≤ i} y_j²,
//   R'_ij = √(s_{i−1}/s_i) R_ij − w y_i / √(s_i s_{i−1}) Σ_{j ≤ k < i} y_k R_kj.
// Columns of R are independent of one another.
//
// SHORT: R is packed by rows. Else it lies in blocks of eight rows, column by column, so that eight rows share a load of x.

fn triangle(i: u32, j: u32) -> u32 { return i * (i + 1u) / 2u + j; }

// Where R_ij lies, j ≤ i.
fn place(i: u32, j: u32) -> u32 {
  if (SHORT) { return triangle(i, j); }
  let block = i >> 3u;
  return 32u * block * (block + 1u) + j * 8u + (i & 7u);
}

// √(s_{i−1}/s_i) and w y_i / √(s_i s_{i−1}).
struct RowUpdate { keep: vec2f, take: vec2f }

// @param before, after inverse roots of s_{i−1} and s_i
fn rowUpdate(sum: vec2f, before: vec2f, after: vec2f, weightedY: vec2f) -> RowUpdate {
  return RowUpdate(pairMul(pairMul(sum, before), after), pairMul(weightedY, pairMul(before, after)));
}
