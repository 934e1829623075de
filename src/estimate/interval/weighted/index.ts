/** The table of intervals of weighted values, and the one place that scales payoffs to [0, 1] for them and clips their output. */

import { InputError } from '../../../errors.js';
import type { Interval } from '../method.js';
import { bootstrap } from './bootstrap.js';
import { effectiveClopperPearson } from './effective-clopper-pearson.js';
import { empiricalBernstein } from './empirical-bernstein.js';
import { fayFeuer } from './fay-feuer.js';
import type { Moments, WeightedBounds } from './moments.js';
import { normal } from './normal.js';

export type { Moments } from './moments.js';

/** One interval, as users see it. */
export interface WeightedInterval {
  readonly name: string;
  readonly summary: string;
  /** Estimators that it is for; absent: all. */
  readonly estimators?: readonly string[];
  readonly bounds: WeightedBounds;
}

/** Every one, the recommended first. */
export const WEIGHTED_INTERVALS = [
  {
    name: 'effective-clopper-pearson',
    summary: 'Clopper-Pearson of the effective number of events',
    bounds: effectiveClopperPearson,
  },
  { name: 'normal', summary: 'normal approximation; needs many events that paid', bounds: normal },
  {
    name: 'fay-feuer',
    summary: 'gamma interval that allows for one more event of the largest weight; payoffs from the least up',
    estimators: ['ips', 'ips-clip', 'snips', 'snips-clip', 'dr', 'dr-clip', 'sndr'],
    bounds: fayFeuer,
  },
  {
    name: 'empirical-bernstein',
    summary: 'finite-sample bound from the largest weight there can be (--least-propensity)',
    estimators: ['ips'],
    bounds: empiricalBernstein,
  },
  { name: 'bootstrap', summary: 'percentiles over blocks drawn anew; needs 50 blocks or more', bounds: bootstrap },
] as const satisfies readonly WeightedInterval[];

export type WeightedIntervalName = (typeof WEIGHTED_INTERVALS)[number]['name'];

/** @throws InputError for one that does not exist, or is not for the estimator. */
export function findWeightedInterval(
  name: string,
  estimator: string,
): WeightedInterval & { readonly name: WeightedIntervalName } {
  const all: readonly (WeightedInterval & { readonly name: WeightedIntervalName })[] = WEIGHTED_INTERVALS;
  const usable = all.filter(({ estimators }) => estimators?.includes(estimator) ?? true);
  const found = usable.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new InputError({
    problem: `the interval does not fit the estimator ${estimator}`,
    got: name,
    needed: `one of ${usable.map((one) => one.name).join(', ')}`,
  });
}

/** @param moments of payoffs scaled to [0, 1]. @returns in payoffs, within the range; all of it where nothing can be said. */
export function weightedInterval(
  { bounds }: Pick<WeightedInterval, 'bounds'>,
  moments: Moments,
  [low, high]: readonly [number, number],
  confidence: number,
): Interval {
  // Without a match a model speaks alone, whose error is in no variance; of one block, or one period, nothing is known but its own.
  if (moments.ess === 0 || (moments.degrees ?? 1) < 1) return [low, high];
  const [lower, upper] = bounds(moments, 1 - confidence);
  // A value outside the range, however sure: what it says of values within cannot be.
  if (!(upper >= 0 && lower <= 1 && low < high)) return [low, high];
  const inRange = (bound: number): number => Math.min(high, Math.max(low, low + bound * (high - low)));
  return [inRange(lower), inRange(upper)];
}
