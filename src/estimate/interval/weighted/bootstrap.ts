/** The percentile interval of values of logs made of blocks of this one, drawn anew; a ratio's denominator is drawn with it. */

import { EVERYTHING } from '../method.js';
import type { WeightedBounds } from './moments.js';

const DRAWS = 1000;

export const bootstrap: WeightedBounds = ({ redrawn }, delta) => {
  const values = redrawn(DRAWS)
    .filter((value) => !Number.isNaN(value))
    .sort();
  if (values.length === 0) return [...EVERYTHING];
  return [quantile(values, delta / 2), quantile(values, 1 - delta / 2)];
};

/** Between neighbours in a straight line. */
function quantile(sorted: Float64Array, p: number): number {
  const at = p * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}
