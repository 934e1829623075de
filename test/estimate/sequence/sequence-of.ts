/** Confidence sequences of the one policy of a small world. */

import { ESTIMATOR_NAMES, findEstimator } from '#dist/estimate/estimators/index.js';
import { findSequence, type SequenceBounds } from '#dist/estimate/sequence/index.js';
import type { estimate } from '../world.js';

/** A look after each block. @param at n* */
export function sequenceOf(
  { run, stats, options }: ReturnType<typeof estimate>,
  name: string,
  at: number,
): SequenceBounds {
  const ends = Array.from(stats.events, (_, b) => b + 1);
  const events = ends.map((end) => stats.events.slice(0, end).reduce((sum, n) => sum + n, 0));
  const estimators = ESTIMATOR_NAMES.map(findEstimator);
  const method = findSequence(name, findEstimator(run.descriptions[0].name), estimators);
  return run.sequence(stats, 0, { method, at, looks: { ends, events } }, options);
}
