/** How well a regression's equations could be solved, and how well they were. */

import { invertTriangle, packedSize } from './cholesky.js';
import type { Arithmetic } from './conditioning.js';
import type { Numerics } from './learner.js';

export interface Solved {
  /** ‖A‖ ‖A⁻¹‖, largest column sums. */
  readonly condition: number;
  /** ‖Aθ − b‖ / (‖A‖ ‖θ‖ + ‖b‖), largest entries: some 1e-16 where nothing was lost. `null`: not known. */
  readonly residual: number | null;
}

export function worseOf(a: Solved, b: Solved): Solved {
  return {
    condition: Math.max(a.condition, b.condition),
    residual: a.residual === null ? b.residual : b.residual === null ? a.residual : Math.max(a.residual, b.residual),
  };
}

/** See `Learner.numerics`. */
export function regressionNumerics({ condition, residual }: Solved, { lost, largest }: Arithmetic): Numerics {
  const [first, second] = largest;
  const columns = second === undefined ? first : `${first} and ${second}`;
  return {
    counts: {},
    largest: residual === null ? { condition } : { condition, residual },
    trouble: lost
      ? `its regressions may have lost all digits, though they were made with 106 bits, so its decisions are not to be relied on; the largest columns are ${columns}: bring them to sizes of about 1, leave out those that follow from others, or take a larger lambda`
      : null,
  };
}

/**
 * @param root L with A = L Lᵀ, packed, lower triangular.
 * @param b `null`: not known.
 */
export function solvedRoot(root: Float64Array, n: number, theta: Float64Array, b: Float64Array | null): Solved {
  const inverse = root.slice();
  invertTriangle(inverse, n);
  const { norm, product } = square(root, n, theta);
  const condition = norm * inverseNorm(inverse, n);
  if (b === null) return { condition, residual: null };
  const scale = norm * largest(theta) + largest(b);
  return { condition, residual: scale === 0 ? 0 : largest(product.map((value, i) => value - b[i])) / scale };
}

/** ‖L Lᵀ‖ and L Lᵀy. */
function square(l: Float64Array, n: number, y: Float64Array): { norm: number; product: Float64Array } {
  const product = new Float64Array(n);
  let norm = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) {
      let entry = 0;
      for (let k = Math.min(i, j); k >= 0; k--) entry += l[packedSize(i) + k] * l[packedSize(j) + k];
      sum += Math.abs(entry);
    }
    norm = Math.max(norm, sum);
  }
  // L (Lᵀy): the squares are not formed.
  for (let j = 0; j < n; j++) {
    let t = 0;
    for (let i = j; i < n; i++) t += l[packedSize(i) + j] * y[i];
    for (let i = j; i < n; i++) product[i] += l[packedSize(i) + j] * t;
  }
  return { norm, product };
}

/** ‖SᵀS‖ */
function inverseNorm(s: Float64Array, n: number): number {
  let norm = 0;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) {
      let entry = 0;
      for (let k = Math.max(i, j); k < n; k++) entry += s[packedSize(k) + i] * s[packedSize(k) + j];
      sum += Math.abs(entry);
    }
    norm = Math.max(norm, sum);
  }
  return norm;
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
