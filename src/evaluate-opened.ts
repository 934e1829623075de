/** What is evaluated, opened and checked: the log, the policies on it, and what they are estimated by. */

import type { BlockMaker } from './estimate/blocks/block-makers.js';
import { Estimates } from './estimate/estimates.js';
import type { ChosenEstimator } from './estimate/estimators/choose.js';
import { checkValidEvents, reordered } from './estimate/estimators/valid-events.js';
import { intervalFor } from './estimate/interval/choose-interval.js';
import { checkConfidence } from './estimate/interval/index.js';
import { unorderedLooks } from './estimate/sequence/looks.js';
import { EVALUATE_OPTIONS, type EvaluateOptions } from './evaluate-options.js';
import type { LogStream } from './log/stream.js';
import { openEstimated } from './open/estimated.js';
import { checkThinning } from './open/thinned.js';
import { checkOptions } from './options/check-options.js';
import { drawnBy } from './policy/drawn/entry.js';
import type { SpecFiles } from './policy/family.js';
import { keyColumns, type PolicySet, parsePolicySet } from './policy/policy-set.js';
import type { RewardModel } from './reward-model/contract.js';
import { checkRewardModelOptions, rewardModelOptions } from './reward-model/options.js';
import { openRewardModel } from './reward-model/reward-model.js';
import { withPlace } from './run/checkpoint/checkpoint.js';
import type { CheckpointPlace } from './run/checkpoint/place.js';
import {
  boundsWeights,
  checkFits,
  choosesByLog,
  chosenEstimators,
  estimatorsOfDrawn,
  OTHERWISE,
  parameters,
  requirePropensities,
} from './run/estimator-options.js';
import { checkRates, hasRates, rateCounts } from './run/levels/drop-rates.js';
import { checkLevels, eventLevels } from './run/levels/level-choice.js';
import { checkStreaming, inBatches, parseMemory } from './run/memory/plan.js';
import { BAND_BLOCKS, checkEstimate, checkSelection, findBaseline, mayStand } from './run/selection.js';
import { type AskedSequence, askedSequence, checkSequence, sequenceBoundsWeights } from './run/sequence-options.js';
import type { EvaluateStreamOptions } from './run/stream-evaluation.js';
import { refuseRounded } from './run/warnings/payoff-rounding.js';
import { VERSION } from './version.js';

export interface OpenedEvaluation {
  readonly options: EvaluateOptions;
  readonly stream: LogStream;
  /** The log as it was given: its propensities are not those that were estimated. */
  readonly given: LogStream;
  readonly policies: { readonly set: PolicySet; readonly files?: SpecFiles };
  readonly model: RewardModel | null;
  readonly sequence: AskedSequence | null;
  readonly streamed: EvaluateStreamOptions;
}

/**
 * Runs work on what `evaluate` is asked for, and closes what was opened for it.
 *
 * @param parted the work is that of parts: the log is opened in one way for all of them, by which it is told from others.
 * @throws InputError for bad logs, policies or options, before any policy is evaluated; what the work throws.
 */
export async function withEvaluation<T>(
  options: EvaluateOptions,
  parted: boolean,
  work: (opened: OpenedEvaluation) => Promise<T>,
): Promise<T> {
  checkOptions(options, EVALUATE_OPTIONS);
  const { confidence = 0.95, validEvents = null } = options;
  checkConfidence(confidence);
  if (validEvents !== null) checkValidEvents(validEvents);
  checkRewardModelOptions(rewardModelOptions(options));
  // Whether the interval fits the payoffs is known later; whether it exists, before the log is read.
  const chosen = chosenEstimators(options);
  if (options.estimators !== undefined)
    for (const { estimator } of chosen) intervalFor(estimator, options.interval, true);
  checkFits(chosen, options);
  checkSelection(options, 'policies');
  checkEstimate(options, options, chosen);
  checkLevels(options, options);
  checkSequence(options.estimators === undefined ? null : chosen, options);
  checkThinning(options, boundsWeights(chosen, options.interval) || sequenceBoundsWeights(chosen, options));
  checkStreaming(options);
  return withPlace(options.resume, options.keepCheckpoint ?? false, (place) => openedAt(options, place, parted, work));
}

async function openedAt<T>(
  options: EvaluateOptions,
  place: CheckpointPlace | null,
  parted: boolean,
  work: (opened: OpenedEvaluation) => Promise<T>,
): Promise<T> {
  const { validEvents = null } = options;
  const memory = options.memory === undefined ? null : parseMemory(options.memory);
  const policies = await openPolicies(options.policies);
  const { stream, given } = await openEstimated(options.log, options.estimatePropensities, {
    ...options,
    memory,
    batches: parted || inBatches(options),
    keys: [
      ...new Set([
        ...keyColumns(policies.set),
        ...(options.estimatePropensities ?? []),
        ...(options.by ?? []),
        ...(options.predictionRows === undefined ? [] : [options.predictionRows]),
      ]),
    ],
  });
  let model: RewardModel | null = null;
  try {
    const { head, events } = stream;
    const drawn = policies.set.some(({ spec }) => drawnBy(spec) !== null);
    const asked = drawn || hasRates(head) ? estimatorsOfDrawn(policies.set, options) : chosenEstimators(options);
    // Views that were made one have lost their propensities: such a log is for replay, if it is uniform.
    const auto =
      !drawn &&
      !hasRates(head) &&
      choosesByLog(options) &&
      head.propensity !== null &&
      head.source.distinctViews === undefined;
    const of = (chosen: readonly ChosenEstimator[]): Estimates =>
      new Estimates(head, { chosen, interval: options.interval, validEvents, drawn, counts: rateCounts(head) });
    checkRates(head, asked, options);
    checkSequence(asked, options);
    const sequence = askedSequence(options, asked, events);
    requirePropensities(head, asked, drawn);
    const estimates = auto ? of(OTHERWISE) : of(asked);
    if (estimates.usesModel) model = await openRewardModel(head, events, { ...rewardModelOptions(options), memory });
    await refuseRounded(stream, options.signal);
    const { baseline } = options;
    const streamed: EvaluateStreamOptions = {
      ...options,
      blocks: options.blocks ?? sequence?.blocks ?? (mayStand(options, options) ? BAND_BLOCKS : undefined),
      inOrder: validEvents !== null ? reordered : sequence === null ? undefined : unorderedLooks,
      levels: (blocks: BlockMaker) => eventLevels(head, options, blocks),
      checkNames: (names: readonly string[]) => baseline !== undefined && findBaseline(names, baseline, 'policies'),
      ...{ estimates, uniform: auto ? () => of(asked) : undefined, model },
      estimated: {
        ...{ estimators: auto ? 'auto' : asked.map(({ estimator }) => estimator.name), ...parameters(options) },
        ...{ by: options.by ?? null, selectOn: options.selectOn ?? null },
        ...{ ...rewardModelOptions(options), predicted: model?.inputs?.map(({ hash }) => hash) },
      },
      ...{ validEvents, memory, place, version: VERSION },
      verify: verifiedPolicies(options.verify),
    };
    return await work({ options, stream, given, policies, model, sequence, streamed });
  } finally {
    model?.close?.();
    await stream.close();
  }
}

/** How many policies at most; `undefined`: none. */
function verifiedPolicies(verify: boolean | number = false): number | undefined {
  if (verify === false) return undefined;
  return verify === true ? Number.MAX_SAFE_INTEGER : verify;
}

async function openPolicies(policies: EvaluateOptions['policies']): Promise<{ set: PolicySet; files?: SpecFiles }> {
  if (typeof policies !== 'string') return { set: parsePolicySet(policies) };
  const { loadPolicySet } = await import('./policy/node-files.js');
  return loadPolicySet(policies);
}
