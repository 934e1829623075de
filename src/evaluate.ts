/** The whole story of fixed policies on one page: open → survey, compile and run (`run/evaluate-stream.ts`) → estimate. */

import { startsOf } from './estimate/blocks/blocks.js';
import { PART } from './estimate/blocks/parts.js';
import { type OpenedEvaluation, withEvaluation } from './evaluate-opened.js';
import type { EvaluateOptions } from './evaluate-options.js';
import type { EventLog } from './log/event-log.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { matchCounts } from './report/match-counts.js';
import { estimatePolicies, policyTotals } from './report/policy-results.js';
import { type EvaluationResult, RESULT_VERSION } from './report/result.js';
import type { Identity } from './run/checkpoint/file.js';
import { logInputs } from './run/checkpoint/identity.js';
import { mostWeight } from './run/estimator-options.js';
import { evaluatePartStream, evaluateStream } from './run/evaluate-stream.js';
import { tellLevels } from './run/levels/told.js';
import { checkPart, type PartOfRun } from './run/parts/plan.js';
import type { StoredParts } from './run/parts/stored.js';
import { selectPolicies } from './run/selection.js';
import { contentWarnings } from './run/warnings/content-warnings.js';
import { estimateWarnings } from './run/warnings/estimate-warnings.js';
import { requireDueMatches } from './run/warnings/match-verdict.js';
import { orderWarnings } from './run/warnings/order-warnings.js';
import { refuseMoved } from './run/warnings/payoff-rounding.js';
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
  return withEvaluation(options, false, (opened) => conclude(opened, null));
}

/**
 * The result of a run whose parts were evaluated elsewhere (`evaluatePart`): that of `evaluate`, but for the engine.
 *
 * @param options those of the parts. @throws what `evaluate` throws; InputError for parts of another run, and damaged ones.
 */
export async function evaluateStored(options: EvaluateOptions, stored: StoredParts): Promise<EvaluationResult> {
  return withEvaluation(options, true, (opened) => conclude(opened, stored));
}

/**
 * Evaluates a part of a run, for `evaluateStored`.
 *
 * @param isThere as `evaluatePartStream` has it.
 */
export async function evaluatePart(
  options: EvaluateOptions,
  part: PartOfRun,
  isThere: (identity: Identity) => boolean,
): ReturnType<typeof evaluatePartStream> {
  checkPart(part.part);
  return withEvaluation(options, true, ({ stream, policies, streamed }) =>
    evaluatePartStream(stream, policies, streamed, part, isThere),
  );
}

async function conclude(
  { options, stream, given, policies, model, streamed, sequence }: OpenedEvaluation,
  stored: StoredParts | null,
): Promise<EvaluationResult> {
  const { confidence = 0.95, validEvents = null } = options;
  const { head } = stream;
  const { low, high } = head.payoff.scale;
  const { memory } = streamed;
  const run = await evaluateStream(stream, policies, streamed, stored, async (evaluation, drawer) => {
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
