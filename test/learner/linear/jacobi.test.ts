/** Singular values by one-sided Jacobi rotations: graded columns lose nothing, and degenerate ones end. */
import { expect, it } from 'vitest';
import { orthogonalize } from '#dist/learner/linear/jacobi.js';

function decompose(columns: readonly (readonly number[])[]) {
  const d = columns.length;
  const [list, vectors] = [Float64Array.from(columns.flat()), new Float64Array(d * d)];
  orthogonalize(list, vectors, d, 0);
  const rows = (flat: Float64Array) => columns.map((_, j) => [...flat.subarray(j * d, (j + 1) * d)]);
  return { columns: rows(list), vectors: rows(vectors) };
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const sizes = (columns: readonly number[][]) => columns.map((one) => Math.hypot(...one)).sort((a, b) => b - a);

it.each([1, 1e3, 1e8, 1e14])('a column %f times the other leaves the small value its digits', (size) => {
  // (size, 0) and (1, 1): σ₁σ₂ = size, and σ₁² + σ₂² = size² + 2.
  const [most, least] = sizes(
    decompose([
      [size, 0],
      [1, 1],
    ]).columns,
  );
  const large = Math.sqrt((size * size + 2 + Math.sqrt((size * size + 2) ** 2 - 4 * size * size)) / 2);
  expect(most / large).toBeCloseTo(1, 14);
  expect(least / (size / large)).toBeCloseTo(1, 14);
});

it('R V has orthogonal columns and V is orthogonal', () => {
  const d = 7;
  const matrix = Array.from({ length: d }, (_, j) =>
    Array.from({ length: d }, (_, i) => 10 ** j * Math.sin((i + 1) * (j + 2) ** 2)),
  );
  const { columns, vectors } = decompose(matrix);
  for (let p = 0; p < d; p++) {
    for (let q = 0; q < d; q++) {
      expect(dot(vectors[p], vectors[q])).toBeCloseTo(Number(p === q), 13);
      if (p !== q)
        expect(dot(columns[p], columns[q]) / Math.hypot(...columns[p]) / Math.hypot(...columns[q])).toBeCloseTo(0, 13);
    }
    // What R V says: column p is Σ_j V_jp R_j.
    for (let i = 0; i < d; i++) {
      const terms = matrix.map((column, j) => vectors[p][j] * column[i]);
      const scale = terms.reduce((sum, one) => sum + Math.abs(one), 0);
      expect((columns[p][i] - terms.reduce((sum, one) => sum + one, 0)) / scale).toBeCloseTo(0, 13);
    }
  }
});

it('equal, collinear and zero columns, and one of one', () => {
  expect(
    sizes(
      decompose([
        [3, 4],
        [3, 4],
      ]).columns,
    )[0],
  ).toBeCloseTo(Math.sqrt(50), 13);
  expect(
    sizes(
      decompose([
        [3, 4],
        [300, 400],
      ]).columns,
    )[1],
  ).toBeLessThan(1e-13);
  expect(
    sizes(
      decompose([
        [0, 0],
        [0, 0],
      ]).columns,
    ),
  ).toEqual([0, 0]);
  expect(decompose([[-2]])).toEqual({ columns: [[-2]], vectors: [[1]] });
});
