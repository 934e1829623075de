/** Confidence sequences as an evaluation is asked for them, and what does not go with them. */

import { InputError } from '../errors.js';
import type { BlockOutline } from '../estimate/blocks/block-makers.js';
import type { ChosenEstimator } from '../estimate/estimators/choose.js';
import { ESTIMATOR_NAMES, findEstimator } from '../estimate/estimators/index.js';
import { findSequence, SEQUENCE_NAMES, type SequenceName } from '../estimate/sequence/index.js';
import { BLOCKS_BETWEEN, defaultAt, defaultEvery, looksOf } from '../estimate/sequence/looks.js';
import type { SequencePlan } from '../estimate/sequence/policy-sequence.js';
import { option } from '../options/check-options.js';
import type { SequenceDescription } from '../report/result.js';
import type { BlockChoice } from './block-choice.js';

export interface SequenceOptions {
  /**
   * Bounds of each policy's value, by the first estimator, after each look at the log: with probability `confidence` the value lies within
   * them at all looks, those of later runs on the longer log among them. `asymptotic`, or `empirical-bernstein` for replay and ips, which
   * holds for any number of events. Looks are after each block: `blocks` of a period, or of so many events (default: looks after a
   * sixteenth of `sequenceAt` each).
   */
  sequence?: SequenceName;
  /**
   * With `sequence`: n*, the number of events at which its bounds are to be tightest. Default: a quarter of the log; to run again on a
   * longer log it must be told, as the same number each time.
   */
  sequenceAt?: number;
}

export const SEQUENCE_OPTIONS = { sequence: option.oneOf(...SEQUENCE_NAMES), sequenceAt: option.whole(1) } as const;

/** What sequences depend on beside their own options. */
interface Beside {
  readonly blocks?: BlockChoice;
  readonly validEvents?: number;
}

/** A sequence that is asked for, on a log of so many events. */
export interface AskedSequence {
  /** How the log is cut. */
  readonly blocks: BlockChoice;
  /** When its blocks are known. */
  readonly plan: (outline: BlockOutline) => SequencePlan;
  readonly describe: (plan: SequencePlan, confidence: number) => SequenceDescription;
  /** n* */
  readonly at: number;
  /** It was told. */
  readonly told: boolean;
}

/** The upper bound goes by the largest weight that there can be, where that is told. */
export function sequenceBoundsWeights([first]: readonly ChosenEstimator[], { sequence }: SequenceOptions): boolean {
  return sequence === 'empirical-bernstein' && first.estimator.name === 'ips';
}

/**
 * @param chosen the first has a sequence; `null`: the log is to tell.
 * @throws InputError for options that do not go together, before a log is read.
 */
export function checkSequence(chosen: readonly ChosenEstimator[] | null, options: SequenceOptions & Beside): void {
  const { sequence, sequenceAt, validEvents, blocks } = options;
  if (sequence === undefined) {
    if (sequenceAt === undefined) return;
    throw new InputError({
      problem: 'option sequenceAt belongs to --sequence (in code: sequence)',
      got: 'no confidence sequence',
      needed: 'both, or neither',
    });
  }
  if (validEvents !== undefined)
    throw new InputError({
      problem:
        'a confidence sequence goes by all events up to each look, and a fixed number of valid events ends at one',
      needed: 'one of --sequence and --valid-events (in code: sequence, validEvents)',
    });
  if (typeof blocks === 'number' || (typeof blocks === 'object' && 'users' in blocks))
    throw new InputError({
      problem: 'a confidence sequence needs blocks that stay where they are when the log grows',
      got: typeof blocks === 'number' ? 'a number of blocks, whose size is a share of the log' : 'groups of users',
      needed:
        'blocks of so many events, such as --block-events 1000 (in code: blocks: { events: 1000 }), or by period, --block-period 1d (in code: blocks: { period: 86_400_000 })',
    });
  if (chosen === null) return;
  const [{ estimator, clips }] = chosen;
  findSequence(sequence, estimator, ESTIMATOR_NAMES.map(findEstimator));
  if (clips !== undefined)
    throw new InputError({
      problem: 'a confidence sequence is of one estimator, and M is chosen for each policy anew with each look',
      got: `${estimator.name} with several M`,
      needed: 'one number for --clip (in code: clip)',
    });
}

/** @param events L @returns `null`: none is asked for. */
export function askedSequence(
  { sequence, sequenceAt, blocks }: SequenceOptions & Beside,
  [{ estimator }]: readonly ChosenEstimator[],
  events: number,
): AskedSequence | null {
  if (sequence === undefined) return null;
  const at = sequenceAt ?? defaultAt(events);
  return {
    blocks: blocks ?? { events: defaultEvery(at) },
    plan: (outline) => ({
      method: findSequence(sequence, estimator, ESTIMATOR_NAMES.map(findEstimator)),
      at,
      looks: looksOf(outline, blocks === undefined ? BLOCKS_BETWEEN : 1),
    }),
    describe: ({ looks }, level) => ({
      method: sequence,
      at,
      level,
      looks: [...looks.events],
      ...(looks.labels === undefined ? {} : { periods: [...looks.labels] }),
    }),
    at,
    told: sequenceAt !== undefined,
  };
}
