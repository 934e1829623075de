/** The whole story of fixed policies on one page: open → survey, compile and run (`run/evaluate-stream.ts`) → estimate. */

import { checkConfidence, defaultInterval, findInterval, type IntervalName } from './estimate/interval/index.js';
import { isBinary } from './estimate/payoff-scale.js';
import { checkValidEvents } from './estimate/valid-events.js';
import { checkOptions, type OptionShape, option } from './log/check-options.js';
import type { EventLog } from './log/event-log.js';
import { type LogFiles, openStream } from './log/open.js';
import type { LogStream } from './log/stream.js';
import type { PolicyInput } from './policy/families.js';
import type { SpecFiles } from './policy/family.js';
import { keyColumns, type PolicySet, parsePolicySet } from './policy/policy-set.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { matchCounts } from './report/match-counts.js';
import { estimatePolicies, policyTotals } from './report/policy-results.js';
import { type EvaluationResult, RESULT_VERSION } from './report/result.js';
import type { BlockChoice } from './run/block-choice.js';
import { withPlace } from './run/checkpoint.js';
import type { CheckpointPlace } from './run/checkpoint-place.js';
import type { DeviceChoice } from './run/choose-backend.js';
import { evaluateStream } from './run/evaluate-stream.js';
import { requireDueMatches } from './run/match-verdict.js';
import { checkStreaming, inStretches, parseMemory } from './run/memory-plan.js';
import { RUN_OPTIONS, verifyShape } from './run/option-shapes.js';
import { orderWarnings } from './run/order-warnings.js';
import { refuseMoved, refuseRounded } from './run/payoff-rounding.js';
import { VERSION } from './version.js';

export interface EvaluateOptions {
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
  /** T: Algorithm 1, the first T valid events of each policy. Default: Algorithm 2, the whole log. */
  validEvents?: number;
  /** Name of an interval; default: `wilson` for 0/1 payoffs, else `empirical-bernstein`. */
  interval?: IntervalName;
  /** Level of the intervals, in (0, 1); default 0.95. */
  confidence?: number;
  /** Runs of events (a number, default 64), a period in milliseconds, or groups of users. */
  blocks?: BlockChoice;
  /** Put statistics per block into the result. */
  blockStatistics?: boolean;
  /** Replay although the log does not look uniform; recorded in the result. */
  assumeUniform?: boolean;
  /**
   * Decide every policy (`true`), or so many, once more by the CPU reference; any difference is an error. `false` and default:
   * none, as engines agree to the last bit.
   */
  verify?: boolean | number;
  /**
   * Size that the process's resident set is planned to stay below, whatever the log's size: bytes, or text such as `2GB`. The
   * log is then gone through in stretches, with the same result to the last bit; `engine.memory` says what was taken. Default:
   * the whole log in memory.
   */
  memory?: number | string;
  /** Events of a stretch; default: as many as the memory allows. Results do not depend on it. */
  stretchEvents?: number;
  /**
   * A file for the state of the run, written now and then and deleted when the result is there (Node only). Where it exists, an
   * interrupted run of the same policies on the same log goes on from there, to the same result.
   */
  resume?: string;
  /** Seconds between two writes of it; default 30. */
  checkpointEvery?: number;
  onProgress?: (progress: EvaluateProgress) => void;
  signal?: AbortSignal;
}

const EVALUATE_OPTIONS: OptionShape<EvaluateOptions> = {
  log: option.elsewhere,
  policies: option.elsewhere,
  ...RUN_OPTIONS,
  interval: option.text,
  verify: verifyShape('policies'),
};

export interface EvaluateProgress {
  phase: 'load' | 'evaluate';
  /** Rows read; decisions (policies × events) made. */
  done: number;
  total: number | null;
}

/**
 * Replays fixed policies on a log of uniformly randomized decisions (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 2;
 * Algorithm 1 with `validEvents`) and returns each policy's matches, value and interval, best first.
 *
 * @throws InputError for bad logs, policies or options; NotUniformError where replay would be biased; EngineError where
 *   a device that was insisted on fails, or verification does.
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluationResult> {
  checkOptions(options, EVALUATE_OPTIONS);
  const { confidence = 0.95, validEvents = null } = options;
  checkConfidence(confidence);
  if (validEvents !== null) checkValidEvents(validEvents);
  // Whether the interval fits the payoffs is known later; whether it exists, before the log is read.
  if (options.interval !== undefined) findInterval(options.interval, true);
  checkStreaming(options);
  return withPlace(options.resume, (place) => evaluateAt(options, place));
}

async function evaluateAt(options: EvaluateOptions, place: CheckpointPlace | null): Promise<EvaluationResult> {
  const { confidence = 0.95, validEvents = null } = options;
  const memory = options.memory === undefined ? null : parseMemory(options.memory);
  const policies = await openPolicies(options.policies);
  const stream = await openStream(options.log, {
    ...options,
    memory,
    stretches: inStretches(options),
    keys: keyColumns(policies.set),
  });
  try {
    const { scale, maxSteps } = stream.head.payoff;
    const binary = isBinary(scale, maxSteps);
    const method = findInterval(options.interval ?? defaultInterval(binary), binary);
    await refuseRounded(stream, options.signal);
    const run = await evaluateStream(stream, policies, {
      ...options,
      ...{ validEvents, memory, place, version: VERSION },
      verify: verifiedPolicies(options.verify),
    });
    const { survey, outline, engine, seeds } = run;
    const due = requireDueMatches(matchCounts(run.evaluated, stream.events), survey.arms.matches(stream.head), {
      what: 'policy',
      assume: options.assumeUniform === true,
      files: stream.head.source.files,
    });
    const rows = estimatePolicies({ scale, maxSteps, effectiveArms: survey.arms.value(stream.head) }, run.evaluated, {
      method: method.name,
      confidence,
      blockStatistics: options.blockStatistics,
    });
    await refuseMoved(stream, policyTotals(run.evaluated), options.signal);
    return {
      hindcast: VERSION,
      version: RESULT_VERSION,
      log: describeLog(stream.head, stream.events, survey.time),
      uniformity: { ...run.uniformity.description, matches: due.matches },
      estimator: { name: 'replay', algorithm: validEvents === null ? 2 : 1, validEvents },
      interval: { method: method.name, confidence },
      blocks: describeBlocks(outline, options.blockStatistics === true),
      engine,
      seeds: { policies: [...seeds] },
      warnings: [
        ...(stream.head.source.warnings ?? []),
        ...run.uniformity.warnings,
        ...due.warnings,
        ...(engine.fallback === null ? [] : [`the GPU was given up and the CPU finished: ${engine.fallback}`]),
        ...run.warnings,
        ...(await orderWarnings(stream, survey.time, inOrder(stream.head, options))),
        ...shortRuns(rows.filter((policy) => policy.complete === false).length, rows.length, validEvents),
      ],
      policies: rows,
    };
  } finally {
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
    `the log ended before ${validEvents} valid events for ${short} of ${total} policies; their estimates use the matches there were`,
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
