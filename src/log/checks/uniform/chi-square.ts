/** Pearson's test of the logged arms against uniform choice, whatever the events. */

import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf';
import { plural } from '../../../words.js';
import type { PoolTable } from '../../event-log.js';

/** Least expected count per arm for the chi-square approximation. */
const LEAST_EXPECTED = 5;

/** Pearson's chi-square test of the logged arms against uniform choice within pools. */
export interface ChiSquareTest {
  /** Σ over pools and their arms of (observed − expected)² / expected. */
  readonly statistic: number;
  /** Σ over pools of (|A| − 1). */
  readonly degrees: number;
  /** Absolute error about 1e−15; 0 means "below that". */
  readonly pValue: number;
  /** Events that took part. */
  readonly events: number;
  /** Pools tested one by one. */
  readonly pools: number;
  /** Pools too rare for that, which were merged with others of their size, arm by rank. */
  readonly mergedPools: number;
  /** Events left out: a single candidate, or too rare a pool even after merging. */
  readonly skippedEvents: number;
}

/** @param observed events that logged each entry of `pools.arms`. `null` where there is too little to test. */
export function chiSquareTest(pools: PoolTable, observed: Float64Array): ChiSquareTest | null {
  const eventsOf = Float64Array.from({ length: pools.count }, (_, s) => {
    let sum = 0;
    for (let i = pools.offsets[s]; i < pools.offsets[s + 1]; i++) sum += observed[i];
    return sum;
  });
  const events = eventsOf.reduce((sum, count) => sum + count, 0);
  let statistic = 0;
  let degrees = 0;
  let tested = 0;
  let poolsTested = 0;
  let mergedPools = 0;
  const add = (counts: Float64Array, total: number): boolean => {
    const expected = total / counts.length;
    if (counts.length < 2 || expected < LEAST_EXPECTED) return false;
    for (const count of counts) statistic += (count - expected) ** 2 / expected;
    degrees += counts.length - 1;
    tested += total;
    return true;
  };
  // A uniform choice is uniform over ranks within the pool too: rare pools of one size can be tested together.
  const merged = new Map<number, { counts: Float64Array; total: number; pools: number }>();
  for (let s = 0; s < pools.count; s++) {
    const counts = observed.subarray(pools.offsets[s], pools.offsets[s + 1]);
    if (add(counts, eventsOf[s])) {
      poolsTested++;
      continue;
    }
    const size = counts.length;
    const group = merged.get(size) ?? { counts: new Float64Array(size), total: 0, pools: 0 };
    for (let i = 0; i < size; i++) group.counts[i] += counts[i];
    group.total += eventsOf[s];
    group.pools++;
    merged.set(size, group);
  }
  for (const { counts, total, pools: number } of merged.values()) if (add(counts, total)) mergedPools += number;
  if (degrees === 0) return null;
  const pValue = Math.max(0, 1 - chiSquareCdf(statistic, degrees));
  return {
    statistic,
    degrees,
    pValue,
    events: tested,
    pools: poolsTested,
    mergedPools,
    skippedEvents: events - tested,
  };
}

/** One test as text. */
export function describeTest({ statistic, degrees, pValue, skippedEvents, mergedPools }: ChiSquareTest): string {
  const merged = mergedPools === 0 ? '' : `, ${plural(mergedPools, 'rare candidate set')} merged by size`;
  const skipped = skippedEvents === 0 ? '' : `, ${plural(skippedEvents, 'event')} left out`;
  return `chi-square ${short(statistic)} with ${plural(degrees, 'degree')} of freedom, ${pText(pValue)}${merged}${skipped}`;
}

/** `p < 1e-12`, `p = 0.0123`. */
export function pText(p: number): string {
  return p < 1e-12 ? 'p < 1e-12' : `p = ${short(p)}`;
}

/** Four digits. */
export function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
