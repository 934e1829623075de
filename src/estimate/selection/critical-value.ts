/** Quantiles of maxima over draws, what they say as a level, and how sure they are. */

import normalCdf from '@stdlib/stats-base-dists-normal-cdf';
import { zScore } from '../interval/z-score.js';

export interface CriticalValue {
  /** c */
  readonly value: number;
  /** Its Monte-Carlo standard error; 0 where Bonferroni's is taken. */
  readonly error: number;
}

/**
 * The quantile of the maxima, never above what Bonferroni's inequality gives for so many policies.
 *
 * @param maxima [D]; without any, Bonferroni's is taken. @param level 1 − α. @param sides of each policy that count.
 */
export function criticalValue(maxima: Float32Array, level: number, policies: number, sides: 1 | 2): CriticalValue {
  const bonferroni = zScore((2 / sides) * ((1 - level) / policies));
  if (maxima.length === 0) return { value: bonferroni, error: 0 };
  const sorted = maxima.slice().sort();
  const value = quantile(sorted, level);
  return value > bonferroni ? { value: bonferroni, error: 0 } : { value, error: quantileError(sorted, value, level) };
}

/** P(|Z| > c) of a standard normal Z. */
export function twoSidedLevel(c: number): number {
  return 2 * oneSidedLevel(c);
}

/** P(Z > c) */
export function oneSidedLevel(c: number): number {
  return normalCdf(-c, 0, 1);
}

/** Between neighbours in a straight line. */
function quantile(sorted: Float32Array, p: number): number {
  const at = p * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(sorted.length - 1, low + 1);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** √(p (1 − p) / D) over the density at the quantile, which a normal kernel of Silverman's width estimates. */
function quantileError(sorted: Float32Array, at: number, p: number): number {
  const draws = sorted.length;
  const mean = sorted.reduce((sum, x) => sum + x, 0) / draws;
  const deviation = Math.sqrt(sorted.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws);
  const width = 1.06 * deviation * draws ** -0.2;
  // All maxima alike: there is nothing to be unsure of.
  if (!(width > 0)) return 0;
  const density =
    sorted.reduce((sum, x) => sum + Math.exp(-0.5 * ((at - x) / width) ** 2), 0) /
    (draws * width * Math.sqrt(2 * Math.PI));
  return Math.sqrt((p * (1 - p)) / draws) / density;
}
