/** The table of estimators. Adding one = a file and a line here. */

import { InputError } from '../../errors.js';
import type { Estimator } from './estimator.js';
import { ips } from './ips.js';
import { replay } from './replay.js';

const ESTIMATORS = [replay, ips] as const;

export type EstimatorName = (typeof ESTIMATORS)[number]['name'];

/** What was computed, as results hold it. */
export type EstimatorDescription = ReturnType<(typeof ESTIMATORS)[number]['open']>['description'];

export const ESTIMATOR_NAMES: readonly EstimatorName[] = ESTIMATORS.map(({ name }) => name);

/** @throws InputError for an unknown name. */
export function findEstimator(name: string): Estimator<EstimatorDescription> {
  const found = ESTIMATORS.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new InputError({
    problem: 'there is no such estimator',
    got: name,
    needed: `one of ${ESTIMATORS.map((one) => `${one.name} (${one.summary})`).join('; ')}`,
  });
}
