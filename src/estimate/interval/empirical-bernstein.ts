/**
 * The empirical Bernstein bound (Maurer & Pontil, "Empirical Bernstein bounds and sample variance penalization", COLT 2009,
 * Theorem 4): for T i.i.d. payoffs in [0, 1] with sample variance V (divisor T − 1), with probability at least 1 − δ,
 *
 *     g − ĝ ≤ √(2 V ln(2/δ) / T) + 7 ln(2/δ) / (3 (T − 1)).
 *
 * Used at δ/2 for each side (union bound), hence ln(4/δ), and scaled to the payoff range. Holds for every T: given which
 * events are retained, their payoffs are i.i.d.
 */

import { EVERYTHING, type Interval, type Sample } from './method.js';

export function empiricalBernstein({ matches: T, mean, variance, low, high }: Sample, delta: number): Interval {
  if (T < 2) return [...EVERYTHING];
  const ln = Math.log(4 / delta);
  const width = Math.sqrt((2 * variance * ln) / T) + (7 * (high - low) * ln) / (3 * (T - 1));
  return [mean - width, mean + width];
}
