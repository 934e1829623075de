/**
 * Empirical Bernstein (Maurer & Pontil, COLT 2009, Theorem 4) for the mean of w r over all events, which lies in [0, M] if no weight
 * can be larger than M. M must be known of the logging policy: the largest weight of the log is no bound.
 */

import { EVERYTHING } from '../method.js';
import type { WeightedBounds } from './moments.js';

export const empiricalBernstein: WeightedBounds = ({ value, variance, events, mostWeight }, delta) => {
  if (mostWeight === null || events < 2) return [...EVERYTHING];
  const log = Math.log(4 / delta);
  const width = Math.sqrt(2 * variance * log) + (7 * mostWeight * log) / (3 * (events - 1));
  return [value - width, value + width];
};
