/** x·θ_a for every arm, row of contexts and fold. */

import { NonZeros, type Regressors } from './contexts.js';
import type { PredictionRows } from './prediction-rows.js';

/**
 * Products are added in the order of the columns.
 *
 * @param contexts of a batch; length d.
 * @param fold of each event of the batch.
 * @param theta [F, d, K]
 * @returns [R, K]
 */
export function scorePerArm(
  { dimension, values, row }: Regressors,
  { rows, event }: PredictionRows,
  fold: Uint32Array,
  theta: Float64Array,
  arms: number,
): Float64Array {
  const out = new Float64Array(rows * arms);
  const x = new NonZeros(dimension);
  const sum = new Float64Array(arms);
  for (let r = 0; r < rows; r++) {
    const t = event === null ? r : event[r];
    x.read(values, (row === null ? t : row[t]) * dimension);
    addColumns(x, theta, fold[t] * dimension, arms, sum);
    out.set(sum, r * arms);
  }
  return out;
}

/** sum ← Σ_j x_j θ_j, θ_j one row of K numbers at (from + j) K; four rows at a time, one after the other in every sum. */
function addColumns(
  { count, at, value }: NonZeros,
  theta: Float64Array,
  from: number,
  arms: number,
  sum: Float64Array,
): void {
  sum.fill(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const [x0, x1, x2, x3] = [value[i], value[i + 1], value[i + 2], value[i + 3]];
    const p0 = (from + at[i]) * arms;
    const p1 = (from + at[i + 1]) * arms;
    const p2 = (from + at[i + 2]) * arms;
    const p3 = (from + at[i + 3]) * arms;
    for (let a = 0; a < arms; a++) {
      sum[a] = sum[a] + x0 * theta[p0 + a] + x1 * theta[p1 + a] + x2 * theta[p2 + a] + x3 * theta[p3 + a];
    }
  }
  for (; i < count; i++) {
    const xi = value[i];
    const p = (from + at[i]) * arms;
    for (let a = 0; a < arms; a++) sum[a] += xi * theta[p + a];
  }
}
