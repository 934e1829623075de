/**
 * What the policy with the largest estimate is worth: it was picked for its estimate, which therefore flatters it (Andrews, Kitagawa &
 * McCloskey, "Inference on winners", Quarterly Journal of Economics 2024).
 *
 * Given how far the others' estimates go along with its own, the winner's estimate is a normal number that is known to lie between two
 * bounds (else another would have won). The hybrid interval allows for these, but only for true values within a band of level β = α/10,
 * as without that it is very wide where the runner-up is close.
 */

import type { Interval } from '../interval/method.js';
import { dot, type Standing } from './standing.js';
import { truncatedCdf } from './truncated-normal.js';

/** Share of α that the band may miss by. */
export const BAND_SHARE = 0.1;
/** Policies whose estimates go along with the winner's to so many digits would be winners with it. */
const SAME = 1e-9;
const BISECTIONS = 100;

export interface Known extends Standing {
  readonly value: number;
}

/** The first of the largest values; −1: there is none. */
export function winnerOf(standings: readonly Standing[]): number {
  let winner = -1;
  standings.forEach(({ value }, p) => {
    if (value !== null && (winner < 0 || value > (standings[winner].value ?? 0))) winner = p;
  });
  return winner;
}

/** Between which bounds the winner's estimate must lie, or another policy would have won: given the parts of the others' estimates that do not go with it. */
export function truncation(standings: readonly Standing[], winner: number): Interval {
  const { value: best, influence, scale } = standings[winner] as Known;
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  standings.forEach(({ value, influence: own }, j) => {
    if (value === null || j === winner) return;
    const along = dot(own, influence) / scale ** 2;
    const bound = (value - along * best) / (1 - along);
    if (along < 1 - SAME) low = Math.max(low, bound);
    else if (along > 1 + SAME) high = Math.min(high, bound);
  });
  return [low, high];
}

/**
 * The hybrid interval, before it is cut to the band at β and to the payoff range.
 *
 * @param level 1 − α of the interval. @param critical c_β: two-sided, simultaneous over all policies.
 */
export function hybridInterval(
  { value, scale }: Pick<Known, 'value' | 'scale'>,
  [low, high]: Interval,
  level: number,
  critical: number,
): Interval {
  const beta = (1 - level) * BAND_SHARE;
  const alpha = (1 - level - beta) / (1 - beta);
  const width = critical * scale;
  /** Falls from 1 to 0 as the mean grows. */
  const reached = (mean: number): number =>
    truncatedCdf(value, mean, scale, Math.max(low, mean - width), Math.min(high, mean + width));
  const meanAt = (p: number): number => {
    // At the very ends of the band the estimate is at a bound.
    let [from, to] = [value - width * (1 - SAME), value + width * (1 - SAME)];
    if (reached(from) <= p) return from;
    if (reached(to) >= p) return to;
    for (let i = 0; i < BISECTIONS; i++) {
      const middle = (from + to) / 2;
      if (reached(middle) > p) from = middle;
      else to = middle;
    }
    return (from + to) / 2;
  };
  return [meanAt(1 - alpha / 2), meanAt(alpha / 2)];
}
