/** The whole story of fixed policies on one page: open → survey, compile and run (`run/evaluate-stream.ts`) → estimate. */

import type { BlockMaker } from './estimate/blocks/block-makers.js';
import { startsOf } from './estimate/blocks/blocks.js';
import { PART } from './estimate/blocks/parts.js';
import { Estimates } from './estimate/estimates.js';
import type { ChosenEstimator } from './estimate/estimators/choose.js';
import { checkValidEvents, reordered } from './estimate/estimators/valid-events.js';
import { intervalFor } from './estimate/interval/choose-interval.js';
import { checkConfidence } from './estimate/interval/index.js';
import { unorderedLooks } from './estimate/sequence/looks.js';
import { EVALUATE_OPTIONS, type EvaluateOptions } from './evaluate-options.js';
import type { EventLog } from './log/event-log.js';
import { openEstimated } from './open/estimated.js';
import { checkThinning } from './open/thinned.js';
import { checkOptions } from './options/check-options.js';
import { drawnBy } from './policy/drawn/entry.js';
import type { SpecFiles } from './policy/family.js';
import { keyColumns, type PolicySet, parsePolicySet } from './policy/policy-set.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { matchCounts } from './report/match-counts.js';
import { estimatePolicies, policyTotals } from './report/policy-results.js';
import { type EvaluationResult, RESULT_VERSION } from './report/result.js';
import type { RewardModel } from './reward-model/contract.js';
import { checkRewardModelOptions, rewardModelOptions } from './reward-model/options.js';
import { openRewardModel } from './reward-model/reward-model.js';
import { withPlace } from './run/checkpoint/checkpoint.js';
import { logInputs } from './run/checkpoint/identity.js';
import type { CheckpointPlace } from './run/checkpoint/place.js';
import {
  boundsWeights,
  checkFits,
  choosesByLog,
  chosenEstimators,
  estimatorsOfDrawn,
  mostWeight,
  OTHERWISE,
  parameters,
  requirePropensities,
} from './run/estimator-options.js';
import { evaluateStream } from './run/evaluate-stream.js';
import { checkRates, hasRates, rateCounts } from './run/levels/drop-rates.js';
import { checkLevels, eventLevels } from './run/levels/level-choice.js';
import { tellLevels } from './run/levels/told.js';
import { checkStreaming, inBatches, parseMemory } from './run/memory/plan.js';
import { BAND_BLOCKS, checkEstimate, checkSelection, findBaseline, mayStand, selectPolicies } from './run/selection.js';
import { askedSequence, checkSequence, sequenceBoundsWeights } from './run/sequence-options.js';
import { contentWarnings } from './run/warnings/content-warnings.js';
import { estimateWarnings } from './run/warnings/estimate-warnings.js';
import { requireDueMatches } from './run/warnings/match-verdict.js';
import { orderWarnings } from './run/warnings/order-warnings.js';
import { refuseMoved, refuseRounded } from './run/warnings/payoff-rounding.js';
import { sequenceWarnings } from './run/warnings/sequence-warnings.js';
import { VERSION } from './version.js';
import { plural } from './words.js';

export type { EvaluateOptions, EvaluateProgress } from './evaluate-options.js';

/**
 * Tells what fixed policies would have earned on a log of decisions made partly at random: by replay where these were uniform (Li,
 * Chu, Langford & Wang, WSDM 2011, Algorithm 2; Algorithm 1 with `validEvents`), else by weights, or by the estimators that are asked
 * for. Returns each policy's matches, value and interval, best first.
 *
 * @throws InputError for bad logs, policies or options; NotUniformError where replay would be biased; EngineError where
 *   a device that was insisted on fails, or verification does.
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationResult> {
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
  return withPlace(options.resume, options.keepCheckpoint ?? false, (place) => evaluateAt(options, place));
}

async function evaluateAt(options: EvaluateOptions, place: CheckpointPlace | null): Promise<EvaluationResult> {
  const { confidence = 0.95, validEvents = null } = options;
  const memory = options.memory === undefined ? null : parseMemory(options.memory);
  const policies = await openPolicies(options.policies);
  const { stream, given } = await openEstimated(options.log, options.estimatePropensities, {
    ...options,
    memory,
    batches: inBatches(options),
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
    const { low, high } = head.payoff.scale;
    const streamed = {
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
    const run = await evaluateStream(stream, policies, streamed, async (evaluation, drawer) => {
      const ranked = { ...evaluation, ...(options.selectOn === undefined ? {} : evaluation.ofLevel(PART.selection)) };
      const estimate = {
        ...{ confidence, effectiveArms: ranked.effectiveArms },
        dependent: evaluation.outline.description.kind !== 'run',
        mostWeight: mostWeight(head, options, evaluation.survey.uniformity.minRatio),
      };
      const selected = await selectPolicies(ranked, options, estimate, [low, high], drawer);
      const blocks = options.blockStatistics === true ? head.payoff.scale : null;
      const looks = sequence?.plan(evaluation.outline) ?? null;
      const { estimates } = evaluation;
      const rows = estimatePolicies(estimates, ranked.evaluated, estimate, selected.standings, blocks, looks);
      const told = await tellLevels(evaluation, rows, { ...options, estimate }, drawer);
      return { ...told, looks, selected, logged: ranked.logged };
    });
    const isReplay = run.estimates.needsUniform;
    const { survey, engine, seeds, rows, looks, segments, holdOut } = run;
    const outline = { ...run.outline, starts: startsOf(run.logged.events) };
    const counts = isReplay ? matchCounts(run.evaluated, stream.events) : [];
    const due = requireDueMatches(counts, survey.arms.matches(stream.head), {
      what: 'policy',
      assume: options.assumeUniform === true,
      files: stream.head.source.files,
    });
    const descriptions = run.estimates.descriptions;
    await refuseMoved(stream, policyTotals(run.evaluated), options.signal);
    return {
      hindcast: VERSION,
      version: RESULT_VERSION,
      log: describeLog(stream.head, stream.events, survey.time),
      inputs: [
        ...(await logInputs(given, 'files' in options.log, { bounded: memory !== null, signal: options.signal })),
        ...(policies.files?.inputs ?? []),
        ...(model?.inputs ?? []),
      ],
      uniformity: { ...run.uniformity.description, matches: due.matches },
      estimator: descriptions[0],
      estimators: descriptions,
      ...(model === null ? {} : { rewardModel: model.description }),
      interval: { method: descriptions[0].interval, confidence },
      ...(sequence === null || looks === null ? {} : { sequence: sequence.describe(looks, confidence) }),
      blocks: describeBlocks(
        outline,
        options.blockStatistics === true ? { scale: head.payoff.scale, logged: run.logged } : null,
      ),
      engine,
      seeds: { policies: [...seeds] },
      warnings: [
        ...(stream.head.source.warnings ?? []),
        ...(await contentWarnings(stream, survey)),
        ...run.uniformity.warnings,
        ...due.warnings,
        ...(engine.fallback === null ? [] : [`the GPU was given up and the CPU finished: ${engine.fallback}`]),
        ...run.warnings,
        ...run.selected.warnings,
        ...estimateWarnings(rows, descriptions, head.payoff.scale, outline.blocks),
        ...(sequence === null
          ? []
          : sequenceWarnings(
              rows,
              { ...sequence, fitted: model !== null && model.description.folds !== null },
              head.payoff.scale,
            )),
        ...(await orderWarnings(stream, survey.time, inOrder(stream.head, options))),
        ...shortRuns(rows.filter((policy) => policy.complete === false).length, rows.length, validEvents),
      ],
      logged: run.selected.logged,
      selection: run.selected.selection,
      ...(segments === undefined ? {} : { segments }),
      ...(holdOut === undefined ? {} : { holdOut }),
      policies: rows,
    };
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

function shortRuns(short: number, total: number, validEvents: number | null): string[] {
  if (short === 0) return [];
  return [
    `the log ended before ${plural(validEvents ?? 0, 'valid event')} for ${short} of ${plural(total, 'policy', 'policies')}; ${short === 1 ? 'its estimate uses' : 'their estimates use'} the matches there were`,
  ];
}

/** What depends on the order of events. */
function inOrder({ source }: EventLog, options: EvaluateOptions): string[] {
  const { validEvents, blocks, blockStatistics, sequence } = options;
  const inRuns = typeof blocks === 'number' || (blocks === undefined && blockStatistics === true);
  return [
    ...(validEvents === undefined ? [] : ['the first valid events']),
    ...(source.distinctViews === undefined ? [] : ['distinct views']),
    ...(sequence === undefined ? [] : ['confidence sequences']),
    ...(inRuns ? ['blocks of consecutive events'] : []),
  ];
}

async function openPolicies(policies: EvaluateOptions['policies']): Promise<{ set: PolicySet; files?: SpecFiles }> {
  if (typeof policies !== 'string') return { set: parsePolicySet(policies) };
  const { loadPolicySet } = await import('./policy/node-files.js');
  return loadPolicySet(policies);
}
