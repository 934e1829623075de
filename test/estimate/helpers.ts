/** Makers of block statistics and scales for tests. */

import {
  addBlockStatistics,
  type BlockStatistics,
  emptyBlockStatistics,
  type Totals,
} from '#dist/estimate/block-statistics.js';
import { ExactSums, LIMB } from '#dist/estimate/exact-sums.js';
import type { PayoffScale } from '#dist/estimate/payoff-scale.js';

/** 0 and 1. */
export const CLICKS: PayoffScale = { rounded: false, origin: 0, numerator: 1, denominator: 1, low: 0, high: 1 };
/** Half stars, 0 to 5. */
export const HALF_STARS: PayoffScale = { rounded: false, origin: 0, numerator: 1, denominator: 2, low: 0, high: 5 };

/** An event as one policy sees it: steps of the payoff where it matches, else `null`. */
export type Seen = number | null;

/** Statistics of one policy over blocks given event by event, with BigInt: slow and obvious. */
export function statisticsOf(blocks: readonly (readonly Seen[])[], binary = false): BlockStatistics {
  const events = Float64Array.from(blocks, (block) => block.length);
  const stats = emptyBlockStatistics(1, events, binary);
  blocks.forEach((block, b) => {
    const steps = block.filter((k) => k !== null);
    const square = steps.reduce((sum, k) => sum + BigInt(k) ** 2n, 0n);
    stats.matches[b] = steps.length;
    stats.payoff[b] = steps.reduce((sum, k) => sum + k, 0);
    if (stats.squareHigh === null || stats.squareLow === null) return;
    stats.squareHigh[b] = Number(square / BigInt(LIMB));
    stats.squareLow[b] = Number(square % BigInt(LIMB));
  });
  return stats;
}

/** Totals of matches with these steps, in a log of L events. */
export function totalsOf(steps: Iterable<number>, events: number): Totals {
  const sums = new ExactSums();
  for (const k of steps) sums.add(k);
  sums.events = events;
  return sums.totals();
}

/** Totals of G ones among T matches. */
export function clicks(G: number, T: number, events = 20 * T): Totals {
  return { events, matches: T, payoff: G, square: G, centred: T === 0 ? 0 : (G * (T - G)) / T };
}

/** A copy that can be added to. */
export function sumOf(parts: readonly BlockStatistics[]): BlockStatistics {
  const into = emptyBlockStatistics(
    parts[0].policies,
    parts[0].events.slice(),
    parts.every((part) => part.squareLow === null),
  );
  for (const part of parts) addBlockStatistics(into, part);
  return into;
}
