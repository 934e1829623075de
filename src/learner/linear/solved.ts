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
  // Loops, as calls for each entry cost more than short products do.
  const sum = (x: Float64Array): number => {
    let total = 0;
    for (let i = 0; i < n; i++) total += Math.abs(x[i]);
    return total;
  };
  let x = new Float64Array(n).fill(1 / n);
  let norm = 0;
  for (let round = 0; round < 5; round++) {
    const y = x.slice();
    apply(y);
    const found = sum(y);
    if (round > 0 && found <= norm) break;
    norm = found;
    const z = y;
    for (let i = 0; i < n; i++) z[i] = y[i] < 0 ? -1 : 1;
    apply(z);
    let most = 0;
    let along = 0;
    for (let i = 0; i < n; i++) {
      if (Math.abs(z[i]) > Math.abs(z[most])) most = i;
      along += z[i] * x[i];
    }
    if (Math.abs(z[most]) <= along) break;
    x = new Float64Array(n);
    x[most] = 1;
  }
  // Where sums cancel, another start sees more.
  const other = new Float64Array(n);
  for (let i = 0; i < n; i++) other[i] = (i % 2 === 0 ? 1 : -1) * (1 + i / Math.max(1, n - 1));
  apply(other);
  return Math.max(norm, (2 * sum(other)) / (3 * n));
}

// Below, two rows are gone through at a time, as neither sum waits for the other, and an entry of x is read once for both. Every
// sum has its terms in the order of one row at a time.

/** x ← T x */
function times(t: Float64Array, n: number, x: Float64Array): void {
  for (let i = n - 1; i > 0; i -= 2) {
    const at = packedSize(i);
    const above = packedSize(i - 1);
    let sum = 0;
    let other = 0;
    for (let j = 0; j < i; j++) {
      const value = x[j];
      sum += t[at + j] * value;
      other += t[above + j] * value;
    }
    x[i] = sum + t[at + i] * x[i];
    x[i - 1] = other;
  }
  if (n % 2 === 1) x[0] *= t[0];
}

/** x ← Tᵀ x */
function transposedTimes(t: Float64Array, n: number, x: Float64Array): void {
  const first = n % 2;
  if (first === 1) x[0] *= t[0];
  for (let i = first; i < n; i += 2) {
    const at = packedSize(i);
    const below = packedSize(i + 1);
    const value = x[i];
    const other = x[i + 1];
    x[i] = 0;
    for (let j = 0; j <= i; j++) {
      const sum = x[j] + t[at + j] * value;
      x[j] = sum + t[below + j] * other;
    }
    x[i + 1] = t[below + i + 1] * other;
  }
}

/** x ← T⁻¹ x */
function over(t: Float64Array, n: number, x: Float64Array): void {
  const first = n % 2;
  if (first === 1) x[0] /= t[0];
  for (let i = first; i < n; i += 2) {
    const at = packedSize(i);
    const below = packedSize(i + 1);
    let sum = x[i];
    let other = x[i + 1];
    for (let j = 0; j < i; j++) {
      const value = x[j];
      sum -= t[at + j] * value;
      other -= t[below + j] * value;
    }
    x[i] = sum / t[at + i];
    x[i + 1] = (other - t[below + i] * x[i]) / t[below + i + 1];
  }
}

/** x ← T⁻ᵀ x */
function transposedOver(t: Float64Array, n: number, x: Float64Array): void {
  for (let i = n - 1; i > 0; i -= 2) {
    const at = packedSize(i);
    const above = packedSize(i - 1);
    const value = x[i] / t[at + i];
    const other = (x[i - 1] - t[at + i - 1] * value) / t[above + i - 1];
    for (let j = 0; j < i - 1; j++) {
      const rest = x[j] - t[at + j] * value;
      x[j] = rest - t[above + j] * other;
    }
    x[i] = value;
    x[i - 1] = other;
  }
  if (n % 2 === 1) x[0] /= t[0];
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
}
