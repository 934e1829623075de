/**
 * The normal interval of the ratio ĝ = Σ V r / Σ V, by the delta method: both sums are random, and the linearised ratio
 * has terms V (r − ĝ) / V̄, whose mean is 0, so
 *
 *     Var ĝ ≈ Σ V (r − ĝ)² / T² · T/(T − 1) = s² / T,   s² = Σ V (r − ĝ)² / (T − 1).
 *
 * The last factor is Bessel's correction, in T: given which events are retained, s²/T is unbiased for the variance of ĝ.
 * No width where all payoffs are equal and none at T = 1 can be had; poor for small T·g.
 */

import { EVERYTHING, type Interval, type Sample } from './method.js';
import { zScore } from './z-score.js';

export function normal({ matches: T, mean, variance }: Sample, delta: number): Interval {
  if (T < 2) return [...EVERYTHING];
  const width = zScore(delta) * Math.sqrt(variance / T);
  return [mean - width, mean + width];
}
