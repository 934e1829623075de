/** v̂ ± z s. Too narrow where few events paid. */

import { EVERYTHING } from '../method.js';
import { studentT } from '../student-t.js';
import { zScore } from '../z-score.js';
import type { WeightedBounds } from './moments.js';

export const normal: WeightedBounds = ({ value, variance, degrees, edge, ess }, delta) => {
  // Where nothing but the end of the range was met it would have no width, as if nothing else could be.
  if (edge !== null || ess === 0) return [...EVERYTHING];
  const width = (degrees === null ? zScore(delta) : studentT(delta, degrees)) * Math.sqrt(variance);
  return [value - width, value + width];
};
