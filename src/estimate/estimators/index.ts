/** The table of estimators. Adding one = a file and a line here. */

import { InputError } from '../../errors.js';
import { nearestName } from '../../names/order.js';
import { cressieRead } from './cressie-read.js';
import { dm } from './dm.js';
import { dr, drClip, dros, switchDr } from './dr.js';
import type { Estimator } from './estimator.js';
import { ips, ipsClip } from './ips.js';
import { replay } from './replay.js';
import { sndr } from './sndr.js';
import { snips, snipsClip } from './snips.js';

const ESTIMATORS = [replay, snips, ips, snipsClip, ipsClip, dr, sndr, drClip, switchDr, dros, dm, cressieRead] as const;

export type EstimatorName = (typeof ESTIMATORS)[number]['name'];

export const ESTIMATOR_NAMES: readonly EstimatorName[] = ESTIMATORS.map(({ name }) => name);

/** @throws InputError for an unknown name. */
export function findEstimator(name: string): Estimator & { readonly name: EstimatorName } {
  const found = ESTIMATORS.find((one) => one.name === name);
  if (found !== undefined) return found;
  const near = nearestName(name, ESTIMATOR_NAMES);
  throw new InputError({
    problem: 'there is no such estimator',
    got: name,
    needed: `one of ${ESTIMATORS.map((one) => `${one.name} (${one.summary})`).join('; ')}`,
    hint: near === null ? undefined : `did you mean ${JSON.stringify(near)}?`,
  });
}
