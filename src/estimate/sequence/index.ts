/** The table of confidence sequences. Adding one = a file and a line here. */

import { InputError } from '../../errors.js';
import type { Estimator } from '../estimators/estimator.js';
import { asymptotic } from './asymptotic.js';
import { empiricalBernstein } from './empirical-bernstein.js';
import type { SequenceMethod } from './method.js';

export type { SequenceBounds } from './method.js';

/** Every one, the recommended first. */
export const SEQUENCES = [asymptotic, empiricalBernstein] as const satisfies readonly SequenceMethod[];

/** Name of a confidence sequence. */
export type SequenceName = (typeof SEQUENCES)[number]['name'];

export const SEQUENCE_NAMES: readonly SequenceName[] = SEQUENCES.map(({ name }) => name);

/**
 * @param estimators all there are, to name those that would fit.
 * @throws InputError for a name that does not exist, or that is not for the estimator.
 */
export function findSequence(name: string, estimator: Estimator, estimators: readonly Estimator[]): SequenceMethod {
  const methods: readonly SequenceMethod[] = SEQUENCES;
  const found = methods.find((method) => method.name === name);
  if (found === undefined)
    throw new InputError({
      problem: 'there is no such confidence sequence',
      got: name,
      needed: `one of ${SEQUENCES.map((one) => `${one.name} (${one.summary})`).join('; ')}`,
    });
  if (found.fits(estimator)) return found;
  const fitting = estimators.filter(found.fits).map((one) => one.name);
  const others = methods.filter((method) => method.fits(estimator)).map((method) => method.name);
  throw new InputError({
    problem: `the confidence sequence ${name} does not fit the estimator ${estimator.name}`,
    needed: `${fitting.join(', ')} as the first estimator`,
    hint: others.length === 0 ? undefined : `--sequence ${others.join(' or ')} (in code: sequence) fits it`,
  });
}
