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
  for (let r = 0; r < rows; r++) {
    const t = event === null ? r : event[r];
    x.read(values, (row === null ? t : row[t]) * dimension);
    const to = r * arms;
    const from = fold[t] * dimension;
    for (let i = 0; i < x.count; i++) {
      const xi = x.value[i];
      const column = (from + x.at[i]) * arms;
      for (let a = 0; a < arms; a++) out[to + a] += xi * theta[column + a];
    }
  }
  return out;
}
