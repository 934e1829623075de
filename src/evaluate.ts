/** The whole story of fixed policies on one page: open → survey, compile and run (`run/evaluate-stream.ts`) → estimate. */

import { z } from 'zod';
import type { DeviceChoice } from './engine/choose.js';
import { Estimates } from './estimate/estimates.js';
import type { ChosenEstimator } from './estimate/estimators/choose.js';
import { ESTIMATOR_NAMES } from './estimate/estimators/index.js';
import { checkValidEvents } from './estimate/estimators/valid-events.js';
import { ALL_INTERVALS, type AnyInterval, intervalFor } from './estimate/interval/choose-interval.js';
import { checkConfidence } from './estimate/interval/index.js';
import type { EventLog } from './log/event-log.js';
import type { LogStream } from './log/stream.js';
import { openEstimated } from './open/estimated.js';
import type { LogFiles } from './open/open.js';
import { checkThinning } from './open/thinned.js';
import { checkOptions, type OptionShape, option } from './options/check-options.js';
import { RUN_OPTIONS, verifyShape } from './options/option-shapes.js';
import { drawnBy } from './policy/drawn/entry.js';
import type { PolicyInput } from './policy/families.js';
import type { SpecFiles } from './policy/family.js';
import { keyColumns, type PolicySet, parsePolicySet } from './policy/policy-set.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { matchCounts } from './report/match-counts.js';
import { estimatePolicies, policyTotals } from './report/policy-results.js';
import { type EvaluationResult, RESULT_VERSION } from './report/result.js';
import type { RewardModel } from './reward-model/contract.js';
import { checkRewardModelOptions, REWARD_MODEL_OPTIONS, rewardModelOptions } from './reward-model/options.js';
import { openRewardModel } from './reward-model/reward-model.js';
import type { BlockChoice } from './run/block-choice.js';
import { withPlace } from './run/checkpoint/checkpoint.js';
import { logInputs } from './run/checkpoint/identity.js';
import type { CheckpointPlace } from './run/checkpoint/place.js';
import {
  boundsWeights,
  checkFits,
  choosesByLog,
  chosenEstimators,
  type EstimatorOptions,
  estimatorsOfDrawn,
  mostWeight,
  OTHERWISE,
  parameters,
  requirePropensities,
} from './run/estimator-options.js';
import { evaluateStream } from './run/evaluate-stream.js';
import { checkStreaming, inBatches, parseMemory } from './run/memory/plan.js';
import { contentWarnings } from './run/warnings/content-warnings.js';
import { estimateWarnings } from './run/warnings/estimate-warnings.js';
import { requireDueMatches } from './run/warnings/match-verdict.js';
import { orderWarnings } from './run/warnings/order-warnings.js';
import { refuseMoved, refuseRounded } from './run/warnings/payoff-rounding.js';
import { VERSION } from './version.js';
import { plural } from './words.js';

/** What is evaluated on which log, and how. */
export interface EvaluateOptions extends EstimatorOptions {
  /** An event log, a stream of one, or the files to read it from (Node only). */
  log: EventLog | LogFiles | LogStream;
  /** A policy set: path of its JSON file (Node only), or entries. */
  policies: string | readonly PolicyInput[];
  /** `auto` (default): a GPU where there is one that is not software, else the CPU. */
  device?: DeviceChoice;
  /** Part of an adapter's name; `swiftshader` for the one from npm. */
  adapter?: string;
  /** A device of your own; it is not destroyed. */
  gpuDevice?: GPUDevice;
  /** CPU threads; default: one per core. */
  threads?: number;
  /** T: Algorithm 1 of replay, the first T valid events of each policy. Default: Algorithm 2, the whole log. */
  validEvents?: number;
  /**
   * Name of an interval. Default: of replay `wilson` for 0/1 payoffs, else `empirical-bernstein`; of others
   * `effective-clopper-pearson`, of cressie-read `bootstrap`.
   */
  interval?: AnyInterval;
  /** Level of the intervals, in (0, 1); default 0.95. */
  confidence?: number;
  /** Runs of events (a number, default 64), a period in milliseconds, or groups of users. */
  blocks?: BlockChoice;
  /** Put statistics per block into the result. */
  blockStatistics?: boolean;
  /** Replay although the log does not look uniform; recorded in the result. */
  assumeUniform?: boolean;
  /**
   * Where the log has no propensities: key columns by which the logging policy went. Propensities are then the shares of arms where
   * candidates and these are the same; the result says so. `estimators` that need none do without.
   */
  estimatePropensities?: readonly string[];
  /**
   * Thin the log out, so that what is kept is logged uniformly, whatever policy logged it (`thinLog`): an event is kept with
   * probability κ / (candidates × propensity). The result's `log.thinned` says how many.
   */
  thin?: boolean;
  /**
   * With `thin`: κ in (0, 1], the least of candidates × propensity that the logging policy gives any candidate; for ε-greedy logging ε.
   * Default: the least of the log's events, with a warning.
   */
  leastPropensity?: number;
  /** With `thin`: seed of its draws, a whole number in 0..2³²−1; default 0. */
  thinSeed?: number;
  /**
   * Decide every policy (`true`), or so many, once more by the CPU reference; any difference is an error. `false` and default:
   * none, as engines agree to the last bit.
   */
  verify?: boolean | number;
  /**
   * Size that the process's resident set is planned to stay below, whatever the log's size: bytes, or text such as `2GB`. The
   * log is then gone through in batches, with the same result to the last bit; `engine.memory` says what was taken. Default:
   * the whole log in memory.
   */
  memory?: number | string;
  /** Events of a batch; default: as many as the memory allows. Results do not depend on it. */
  stretchEvents?: number;
  /**
   * A file for the state of the run, written now and then and deleted when the result is there (Node only). Where it exists, an
   * interrupted run of the same policies on the same log goes on from there, to the same result.
   */
  resume?: string;
  /** Seconds between two writes of it; default 30. */
  checkpointEvery?: number;
  /** Leave that file when the result is there, and delete it yourself once the result is safe. */
  keepCheckpoint?: boolean;
  /** Told now and then how far the work is. */
  onProgress?: (progress: EvaluateProgress) => void;
  /** Ends the run where it is aborted: the promise rejects with the reason of the signal. */
  signal?: AbortSignal;
}

const EVALUATE_OPTIONS: OptionShape<EvaluateOptions> = {
  log: option.elsewhere,
  policies: option.elsewhere,
  ...RUN_OPTIONS,
  ...REWARD_MODEL_OPTIONS,
  // Names are looked up where they are used, in a list as by themselves.
  estimators: z.union([option.text, option.names], {
    error: `one of ${ESTIMATOR_NAMES.join(', ')}, or a list of them`,
  }),
  estimatePropensities: option.names,
  clip: option.elsewhere,
  switch: option.number,
  shrinkage: option.number,
  interval: option.oneOf(...ALL_INTERVALS),
  verify: verifyShape('policies'),
};

/** How far an evaluation is. */
export interface EvaluateProgress {
  /** Reading the log, or deciding for policies. */
  phase: 'load' | 'evaluate';
  /** Rows read; decisions (policies × events) made. */
  done: number;
  /** `done` at the end of the phase; `null`: not known yet. */
  total: number | null;
}

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
  checkThinning(options, boundsWeights(chosen, options.interval));
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
    keys: [...new Set([...keyColumns(policies.set), ...(options.estimatePropensities ?? [])])],
  });
  let model: RewardModel | null = null;
  try {
    const { head, events } = stream;
    const drawn = policies.set.some(({ spec }) => drawnBy(spec) !== null);
    const asked = drawn ? estimatorsOfDrawn(policies.set, options) : chosenEstimators(options);
    // Views that were made one have lost their propensities: such a log is for replay, if it is uniform.
    const auto = !drawn && choosesByLog(options) && head.propensity !== null && head.source.distinctViews === undefined;
    const of = (chosen: readonly ChosenEstimator[]): Estimates =>
      new Estimates(head, events, { chosen, interval: options.interval, validEvents, drawn });
    requirePropensities(head, asked, drawn);
    const estimates = auto ? of(OTHERWISE) : of(asked);
    if (estimates.usesModel) model = await openRewardModel(head, events, { ...rewardModelOptions(options), memory });
    await refuseRounded(stream, options.signal);
    const run = await evaluateStream(stream, policies, {
      ...options,
      ...{ estimates, uniform: auto ? () => of(asked) : undefined, model },
      estimated: {
        ...{ estimators: auto ? 'auto' : asked.map(({ estimator }) => estimator.name), ...parameters(options) },
        ...{ ...rewardModelOptions(options), predicted: model?.inputs?.map(({ hash }) => hash) },
      },
      ...{ validEvents, memory, place, version: VERSION },
      verify: verifiedPolicies(options.verify),
    });
    const isReplay = run.estimates.needsUniform;
    const { survey, outline, engine, seeds } = run;
    const counts = isReplay ? matchCounts(run.evaluated, stream.events) : [];
    const due = requireDueMatches(counts, survey.arms.matches(stream.head), {
      what: 'policy',
      assume: options.assumeUniform === true,
      files: stream.head.source.files,
    });
    const effectiveArms = survey.arms.value(stream.head);
    const dependent = outline.description.kind !== 'run';
    const rows = estimatePolicies(
      run.estimates,
      run.evaluated,
      { confidence, effectiveArms, dependent, mostWeight: mostWeight(head, options, survey.uniformity.minRatio) },
      options.blockStatistics === true ? head.payoff.scale : null,
    );
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
      blocks: describeBlocks(outline, options.blockStatistics === true),
      engine,
      seeds: { policies: [...seeds] },
      warnings: [
        ...(stream.head.source.warnings ?? []),
        ...(await contentWarnings(stream, survey)),
        ...run.uniformity.warnings,
        ...due.warnings,
        ...(engine.fallback === null ? [] : [`the GPU was given up and the CPU finished: ${engine.fallback}`]),
        ...run.warnings,
        ...estimateWarnings(rows, descriptions, head.payoff.scale, outline.blocks),
        ...(await orderWarnings(stream, survey.time, inOrder(stream.head, options))),
        ...shortRuns(rows.filter((policy) => policy.complete === false).length, rows.length, validEvents),
      ],
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
function inOrder({ source }: EventLog, { validEvents, blocks, blockStatistics }: EvaluateOptions): string[] {
  const inRuns = typeof blocks === 'number' || (blocks === undefined && blockStatistics === true);
  return [
    ...(validEvents === undefined ? [] : ['the first valid events']),
    ...(source.distinctViews === undefined ? [] : ['distinct views']),
    ...(inRuns ? ['blocks of consecutive events'] : []),
  ];
}

async function openPolicies(policies: EvaluateOptions['policies']): Promise<{ set: PolicySet; files?: SpecFiles }> {
  if (typeof policies !== 'string') return { set: parsePolicySet(policies) };
  const { loadPolicySet } = await import('./policy/node-files.js');
  return loadPolicySet(policies);
}
