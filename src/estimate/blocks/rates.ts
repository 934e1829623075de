/**
 * Events of which a service kept only a share: one of those that it dropped at rate d stands for c = 1/(1 − d) events. While events are
 * gone through, blocks are told apart by rate (block b of rate v is block v · B + b); then the sums of each rate become columns of the
 * block, and estimators count an event as often as it stands for.
 */

import type { BlockStatistics } from '../sums/block-statistics.js';
import type { ColumnSum } from '../sums/products.js';
import type { ColumnKind } from '../sums/summands.js';
import { statisticsOfLevel, sumOverLevels } from './levels.js';

/** Steps of a count: c is rounded once, by less than 10⁻¹² of itself, and every sum of counts is exact. */
const STEPS = 2n ** 40n;

/** What an event counts where none was dropped, or all at one rate. */
export const COUNTS_ONCE: readonly bigint[] = [1n];

/** c of each rate below 1, in steps. */
export function countsOf(rates: readonly number[]): bigint[] {
  return rates.map((rate) => BigInt(Math.round(Number(STEPS) / (1 - rate))));
}

/** Steps of an event that counts once. */
export function countSteps({ length }: readonly bigint[]): bigint {
  return length === 1 ? 1n : STEPS;
}

/** Columns of a rate before those of its sums: its events, the same for each policy, and its matches. */
const OWN: readonly ColumnKind[] = [
  { name: 'events of a rate', reduce: 'sum' },
  { name: 'matches of a rate', reduce: 'sum' },
];

/** @param stats [P, V · B] of V rates. @returns [P, B]: the columns of all events as before, then those of each rate. */
export function ratesAsColumns(stats: BlockStatistics, rates: number): BlockStatistics {
  if (rates === 1) return stats;
  const whole = sumOverLevels(stats, rates);
  const each = Array.from({ length: rates }, (_, rate) => statisticsOfLevel(stats, rates, rate));
  const repeated = (events: Float64Array): Float64Array => {
    const column = new Float64Array(whole.matches.length);
    for (let at = 0; at < column.length; at += events.length) column.set(events, at);
    return column;
  };
  return {
    ...whole,
    kinds: [...whole.kinds, ...each.flatMap(({ kinds }) => [...OWN, ...kinds])],
    columns: [
      ...whole.columns,
      ...each.flatMap(({ events, matches, columns }) => [repeated(events), matches, ...columns]),
    ],
  };
}

/** Events that count alike. */
export interface CountedPart {
  /** c, in steps. */
  readonly count: bigint;
  /** Of the blocks that are summed. */
  readonly events: bigint;
  /** Its columns in their usual places. */
  readonly stats: BlockStatistics;
}

/** @param stats as `ratesAsColumns` makes them. @param events of the blocks that `sumOf` sums. */
export function countedParts(
  stats: BlockStatistics,
  counts: readonly bigint[],
  sumOf: ColumnSum,
  events: bigint,
): CountedPart[] {
  if (counts.length === 1) return [{ count: counts[0], events, stats }];
  const width = (stats.columns.length - OWN.length * counts.length) / (counts.length + 1);
  return counts.map((count, rate) => {
    const from = width + rate * (OWN.length + width);
    const [own, matches, ...columns] = stats.columns.slice(from, from + OWN.length + width);
    return { count, events: sumOf(own), stats: { ...stats, matches, columns, kinds: stats.kinds.slice(0, width) } };
  });
}

/** Σ c^power of what each part has. */
export function countedSum(parts: readonly CountedPart[], of: (part: CountedPart) => bigint, power = 1n): bigint {
  // They all count alike, and once.
  if (parts.length === 1) return of(parts[0]);
  return parts.reduce((sum, part) => sum + part.count ** power * of(part), 0n);
}
