/** The interval of an estimator: replay has its own, for counts of matches; all others, and replay where they are asked for, go by weights. */

import type { Estimator } from '../estimators/estimator.js';
import { defaultInterval, findInterval, INTERVAL_NAMES, type IntervalName } from './index.js';
import {
  findWeightedInterval,
  WEIGHTED_INTERVALS,
  type WeightedInterval,
  type WeightedIntervalName,
} from './weighted/index.js';

/** Name of any interval. */
export type AnyInterval = IntervalName | WeightedIntervalName;

/** Every name once. */
export const ALL_INTERVALS: readonly AnyInterval[] = [
  ...new Set<AnyInterval>([...INTERVAL_NAMES, ...WEIGHTED_INTERVALS.map(({ name }) => name)]),
];

/** Of weighted values where it has `bounds`, else replay's own. */
export type IntervalChoice =
  | { readonly name: IntervalName; readonly bounds?: undefined }
  | { readonly name: WeightedIntervalName; readonly bounds: WeightedInterval };

/**
 * @param asked name; absent: the estimator's default. @param binary every payoff is 0 or 1.
 * @throws InputError for one that does not exist, or does not fit the estimator or the payoffs.
 */
export function intervalFor({ name, variance }: Estimator, asked: string | undefined, binary: boolean): IntervalChoice {
  const isReplay = name === 'replay';
  const own = variance === undefined ? 'bootstrap' : 'effective-clopper-pearson';
  const method = asked ?? (isReplay ? defaultInterval(binary) : own);
  const isWeighted = WEIGHTED_INTERVALS.some((one) => one.name === method);
  if (isReplay && !(isWeighted && !INTERVAL_NAMES.some((one) => one === method)))
    return { name: findInterval(method, binary).name };
  const bounds = findWeightedInterval(method, name);
  return { name: bounds.name, bounds };
}
