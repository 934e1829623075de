/** Makers of block statistics and scales for tests. */

import { replayKinds } from '#dist/estimate/estimators/replay-totals.js';
import { addFirst } from '#dist/estimate/estimators/valid-events.js';
import {
  addBlockStatistics,
  type BlockStatistics,
  emptyBlockStatistics,
} from '#dist/estimate/sums/block-statistics.js';
import { ExactSums, type Totals } from '#dist/estimate/sums/exact-sums.js';
import type { PayoffScale } from '#dist/estimate/sums/payoff-scale.js';

/** 0 and 1. */
export const CLICKS: PayoffScale = { rounded: false, origin: 0, numerator: 1, denominator: 1, low: 0, high: 1 };
/** Half stars, 0 to 5. */
export const HALF_STARS: PayoffScale = { rounded: false, origin: 0, numerator: 1, denominator: 2, low: 0, high: 5 };

/** An event as one policy sees it: steps of the payoff where it matches, else `null`. */
export type Seen = number | null;

/** Columns of 0/1 payoffs: k. */
export const BINARY_KINDS = replayKinds({ maxSteps: 1 });
/** Columns of payoffs of any number of steps: k, and k² in two words. */
export const GENERAL_KINDS = replayKinds({ maxSteps: 2 ** 32 - 1 });

/** Statistics of one policy over blocks given event by event, with BigInt: slow and obvious. */
export function statisticsOf(blocks: readonly (readonly Seen[])[], binary = false): BlockStatistics {
  const events = Float64Array.from(blocks, (block) => block.length);
  const stats = emptyBlockStatistics(1, events, binary ? BINARY_KINDS : GENERAL_KINDS);
  blocks.forEach((block, b) => {
    const steps = block.filter((k) => k !== null);
    const sum = (word: (k: bigint) => bigint): number => Number(steps.reduce((all, k) => all + word(BigInt(k)), 0n));
    stats.matches[b] = steps.length;
    [sum((k) => k), sum((k) => k ** 2n % 2n ** 32n), sum((k) => k ** 2n / 2n ** 32n)].forEach((value, c) => {
      if (c < stats.columns.length) stats.columns[c][b] = value;
    });
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
  const into = emptyBlockStatistics(parts[0].policies, parts[0].events.slice(), parts[0].kinds);
  for (const part of parts) addBlockStatistics(into, part);
  return into;
}

/** Totals of the first T matches of one policy, and whether there are so many. */
export function firstMatches(...[stats, plan, policy, T, rescan]: FirstMatches) {
  const sums = new ExactSums();
  const complete = addFirst(sums, stats, plan, policy, T, rescan);
  return { ...sums.totals(), complete };
}

type FirstMatches = Parameters<typeof addFirst> extends [unknown, ...infer Rest] ? Rest : never;
