/**
 * Wilson's score interval for 0/1 payoffs (Wilson, "Probable inference, the law of succession, and statistical
 * inference", JASA 1927; recommended by Brown, Cai & DasGupta, "Interval estimation for a binomial proportion",
 * Statistical Science 2001).
 *
 * The set of g that a score test does not reject: (ĝ − g)² ≤ z² g (1 − g) / T. Its coverage oscillates around the level.
 */

import type { Interval, Sample } from './method.js';
import { zScore } from './z-score.js';

export function wilson({ matches: T, mean: g }: Sample, delta: number): Interval {
  const z2 = zScore(delta) ** 2;
  const spread = 1 + z2 / T;
  const upper = (g + z2 / (2 * T) + Math.sqrt((z2 * g * (1 - g)) / T + (z2 / (2 * T)) ** 2)) / spread;
  // The bounds are the roots of spread·x² − (2g + z²/T)·x + g²: their product gives the lower one without cancellation.
  const lower = (g * g) / (spread * upper);
  return [lower, upper];
}
