/** How well a regression's equations could be solved, and how well they were. */

import type { Numerics } from '../learner.js';
import { type Arithmetic, SCALE } from './conditioning.js';
import { packedSize } from './packed.js';

export interface Solved {
  /** ‖A‖ ‖A⁻¹‖, largest column sums, up to what estimates of those miss. */
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
export function regressionNumerics({ condition, residual }: Solved, { lost, scalable, largest }: Arithmetic): Numerics {
  const [first, second] = largest;
  const columns = second === undefined ? first : `${first} and ${second}`;
  const step = scalable.lost
    ? `bring them to sizes of about 1 with ${SCALE}`
    : 'leave out those that follow from others';
  return {
    counts: {},
    largest: residual === null ? { condition } : { condition, residual },
    trouble: lost
      ? `its regressions may have lost all digits, though they were made with 106 bits, so its decisions are not to be relied on; the largest columns are ${columns}: ${step}, or take a larger lambda`
      : null,
  };
}

/** A lower triangle, packed: L with A = L Lᵀ, or R with A⁻¹ = RᵀR. */
export interface Root {
  readonly entries: Float64Array;
  readonly of: 'matrix' | 'inverse';
}

/**
 * @param b `null`: not known.
 * @param size of θ, or of the terms that it is the sum of.
 */
export function solvedRoot(
  { entries, of }: Root,
  theta: Float64Array,
  b: Float64Array | null,
  size = largest(theta),
): Solved {
  const n = theta.length;
  if (n === 0) return { condition: 1, residual: b === null ? null : 0 };
  const along = of === 'matrix' ? [transposedTimes, times] : [transposedOver, over];
  const against = of === 'matrix' ? [over, transposedOver] : [times, transposedTimes];
  const apply = (steps: typeof along) => (x: Float64Array) => {
    for (const step of steps) step(entries, n, x);
  };
  const norm = normOf(apply(along), n);
  const condition = norm * normOf(apply(against), n);
  if (b === null) return { condition, residual: null };
  const scale = norm * size + largest(b);
  const product = theta.slice();
  apply(along)(product);
  return { condition, residual: scale === 0 ? 0 : largest(product.map((value, i) => value - b[i])) / scale };
}

/**
 * Largest column sum of a symmetric matrix, from products with it: exact or nearly so, and never too large.
 *
 * N. J. Higham: FORTRAN codes for estimating the one-norm of a real or complex matrix, with applications to condition
 * estimation. ACM TOMS 14 (1988), algorithm 2.1.
 *
 * @param apply x ← matrix · x
 */
function normOf(apply: (x: Float64Array) => void, n: number): number {
  const sum = (x: Float64Array): number => x.reduce((total, value) => total + Math.abs(value), 0);
  let x = new Float64Array(n).fill(1 / n);
  let norm = 0;
  for (let round = 0; round < 5; round++) {
    const y = x.slice();
    apply(y);
    const found = sum(y);
    if (round > 0 && found <= norm) break;
    norm = found;
    const z = y.map((value) => (value < 0 ? -1 : 1));
    apply(z);
    let most = 0;
    for (let i = 1; i < n; i++) if (Math.abs(z[i]) > Math.abs(z[most])) most = i;
    if (Math.abs(z[most]) <= z.reduce((total, value, i) => total + value * x[i], 0)) break;
    x = new Float64Array(n);
    x[most] = 1;
  }
  // Where sums cancel, another start sees more.
  const other = Float64Array.from({ length: n }, (_, i) => (i % 2 === 0 ? 1 : -1) * (1 + i / Math.max(1, n - 1)));
  apply(other);
  return Math.max(norm, (2 * sum(other)) / (3 * n));
}

/** x ← T x */
function times(t: Float64Array, n: number, x: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    let sum = 0;
    for (let j = 0, at = packedSize(i); j <= i; j++) sum += t[at + j] * x[j];
    x[i] = sum;
  }
}

/** x ← Tᵀ x */
function transposedTimes(t: Float64Array, n: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const value = x[i];
    x[i] = 0;
    for (let j = 0, at = packedSize(i); j <= i; j++) x[j] += t[at + j] * value;
  }
}

/** x ← T⁻¹ x */
function over(t: Float64Array, n: number, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    const at = packedSize(i);
    let sum = x[i];
    for (let j = 0; j < i; j++) sum -= t[at + j] * x[j];
    x[i] = sum / t[at + i];
  }
}

/** x ← T⁻ᵀ x */
function transposedOver(t: Float64Array, n: number, x: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const at = packedSize(i);
    x[i] /= t[at + i];
    for (let j = 0; j < i; j++) x[j] -= t[at + j] * x[i];
  }
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
