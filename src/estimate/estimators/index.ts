/** The table of estimators. */

import { InputError } from '../../errors.js';
import type { Estimator } from './estimator.js';
import { ips } from './ips.js';
import { replay } from './replay.js';

export type { EstimateOptions, Estimator, EstimatorDescription, EstimatorRun } from './estimator.js';

const ESTIMATORS: readonly Estimator[] = [replay, ips];

export type EstimatorName = Estimator['name'];

export const ESTIMATOR_NAMES: readonly EstimatorName[] = ESTIMATORS.map(({ name }) => name);

/** @throws InputError for an unknown name. */
export function findEstimator(name: string): Estimator {
  const found = ESTIMATORS.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new InputError({
    problem: 'there is no such estimator',
    got: name,
    needed: `one of ${ESTIMATORS.map((one) => `${one.name} (${one.summary})`).join('; ')}`,
  });
}
