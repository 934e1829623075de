/** The whole story of fixed policies on one page: open → compile → run → estimate. */

import { DEFAULT_BLOCKS } from './estimate/blocks.js';
import { checkConfidence, defaultInterval, findInterval } from './estimate/interval/index.js';
import { isBinary } from './estimate/payoff-scale.js';
import { checkValidEvents } from './estimate/valid-events.js';
import type { EventLog } from './log/event-log.js';
import { type LogFiles, openLog } from './log/open.js';
import { requireUniform } from './log/uniformity.js';
import type { PolicyInput } from './policy/families.js';
import type { SpecFiles } from './policy/family.js';
import { compilePolicySet, keyColumns, type PolicySet, parsePolicySet } from './policy/policy-set.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { estimatePolicies } from './report/policy-results.js';
import { type EvaluationResult, RESULT_VERSION } from './report/result.js';
import { type BlockChoice, planBlocks } from './run/block-choice.js';
import { chooseBackend, type DeviceChoice } from './run/choose-backend.js';
import { type Evaluated, verify } from './run/verify.js';
import { VERSION } from './version.js';

export interface EvaluateOptions {
  log: EventLog | LogFiles;
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
  interval?: string;
  /** Level of the intervals, in (0, 1); default 0.95. */
  confidence?: number;
  /** Runs of events (a number, default 64), a period in milliseconds, or groups of users. */
  blocks?: BlockChoice;
  /** Put statistics per block into the result. */
  blockStatistics?: boolean;
  /** Replay although the log does not look uniform; recorded in the result. */
  assumeUniform?: boolean;
  /** Compare this many policies with the CPU reference. */
  verify?: number;
  onProgress?: (progress: EvaluateProgress) => void;
  signal?: AbortSignal;
}

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
  const { signal, confidence = 0.95 } = options;
  checkConfidence(confidence);
  if (options.validEvents !== undefined) checkValidEvents(options.validEvents);
  // Whether the interval fits the payoffs is known later; whether it exists, before the log is read.
  if (options.interval !== undefined) findInterval(options.interval, true);
  const { set, files } = await openPolicies(options.policies);
  const log = await openLog(options.log, { ...options, keys: keyColumns(set) });
  const binary = isBinary(log.payoff.scale, log.payoff.maxSteps);
  const method = findInterval(options.interval ?? defaultInterval(binary), binary);
  const uniformity = requireUniform(log, { assume: options.assumeUniform });
  const batches = await compilePolicySet(set, log, files);
  const plan = planBlocks(log, options.blocks ?? DEFAULT_BLOCKS);

  const backend = await chooseBackend(options);
  try {
    const total = batches.reduce((sum, batch) => sum + batch.policies, 0) * log.events;
    let done = 0;
    const onProgress = (decisions: number): void => {
      done = Math.min(total, done + decisions);
      options.onProgress?.({ phase: 'evaluate', done, total });
    };
    const evaluated: Evaluated[] = [];
    for (const batch of batches)
      evaluated.push({ batch, stats: await backend.evaluate(log, plan, batch, { onProgress, signal }) });
    const verified = options.verify === undefined ? null : await verify(log, plan, evaluated, options.verify, signal);
    const policies = estimatePolicies(log, plan, evaluated, {
      method: method.name,
      confidence,
      validEvents: options.validEvents,
      blockStatistics: options.blockStatistics,
    });
    return {
      hindcast: VERSION,
      version: RESULT_VERSION,
      log: describeLog(log),
      uniformity: uniformity.description,
      estimator: {
        name: 'replay',
        algorithm: options.validEvents === undefined ? 2 : 1,
        validEvents: options.validEvents ?? null,
      },
      interval: { method: method.name, confidence },
      blocks: describeBlocks(plan, options.blockStatistics === true),
      engine: { ...backend.report, fallback: backend.fallback, verified },
      seeds: { policies: batches.flatMap((batch) => (batch.kind === 'uniform' ? [batch.seed] : [])) },
      warnings: [
        ...uniformity.warnings,
        ...(backend.fallback === null ? [] : [`the GPU was given up and the CPU finished: ${backend.fallback}`]),
        ...batches.flatMap((batch) => batch.warnings ?? []),
        ...shortRuns(
          policies.filter((policy) => policy.complete === false).length,
          policies.length,
          options.validEvents,
        ),
      ],
      policies,
    };
  } finally {
    await backend.close();
  }
}

function shortRuns(short: number, total: number, validEvents: number | undefined): string[] {
  if (short === 0) return [];
  return [
    `the log ended before ${validEvents} valid events for ${short} of ${total} policies; their estimates use the matches there were`,
  ];
}

async function openPolicies(policies: EvaluateOptions['policies']): Promise<{ set: PolicySet; files?: SpecFiles }> {
  if (typeof policies !== 'string') return { set: parsePolicySet(policies) };
  const { loadPolicySet } = await import('./policy/node-files.js');
  return loadPolicySet(policies);
}
