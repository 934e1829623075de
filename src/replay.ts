/** The whole story of learning algorithms on one page: open → survey, replay and verify (`run/replay-stream.ts`) → summarize. */

import { checkConfidence } from './estimate/interval/index.js';
import { type LearnerInput, type LearnerSet, learnerKeyColumns, parseLearnerSet } from './learner/learner-set.js';
import { checkOptions, type OptionShape, option } from './log/check-options.js';
import type { EventLog } from './log/event-log.js';
import { type LogFiles, openStream } from './log/open.js';
import type { LogStream } from './log/stream.js';
import type { SpecFiles } from './policy/family.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { replicaMatchCounts } from './report/match-counts.js';
import { REPLAY_VERSION, type ReplayResult } from './report/replay-result.js';
import { alike, learnerRows, numericWarnings, replicaTotals } from './report/replay-rows.js';
import type { BlockChoice } from './run/block-choice.js';
import { withPlace } from './run/checkpoint.js';
import type { CheckpointPlace } from './run/checkpoint-place.js';
import type { DeviceChoice } from './run/choose-backend.js';
import { requireDueMatches } from './run/match-verdict.js';
import { checkStreaming, inStretches, parseMemory } from './run/memory-plan.js';
import { RUN_OPTIONS, UPDATE_EVERY, verifyShape } from './run/option-shapes.js';
import { orderWarnings } from './run/order-warnings.js';
import { refuseMoved, refuseRounded } from './run/payoff-rounding.js';
import type { ReplayOutcome, ReplayRules, ReplayWork, UpdateEvery } from './run/replay-backend.js';
import { checkRules, checkVerification } from './run/replay-rules.js';
import { replayStream } from './run/replay-stream.js';
import { VERSION } from './version.js';

export interface ReplayOptions {
  /** Replicas of each setting; default 1. */
  repeats?: number;
  /** p in (0, 1]: each replica sees each event with this probability; default 1. */
  subsample?: number;
  /** Seed of every draw, a whole number in 0..2³²−1; default 0. */
  seed?: number;
  /** T: Algorithm 1, the first T valid events of each replica. Default: Algorithm 2, the whole log. */
  validEvents?: number;
  /** Freeze decisions between updates: a number of log events, or a period in milliseconds. Default: learn at once. */
  updateEvery?: UpdateEvery;
  /** `all`: learners learn from every event, and payoffs count on matches. Default: `retained`. */
  learnFrom?: 'retained' | 'all';
  /** Level of the intervals of the means, in (0, 1); default 0.95. */
  confidence?: number;
  /** Put every replica into the result. */
  replicas?: boolean;
  /** Put the rows of retained events into the replicas; default: as `replicas`. */
  retained?: boolean;
  /** Put final states into the replicas. */
  state?: boolean;
  /** Put statistics per block (learning curves) into the replicas. */
  blockStatistics?: boolean;
  /** Runs of events (a number, default 64), a period in milliseconds, or groups of users. */
  blocks?: BlockChoice;
  /** `auto` (default), `cpu` or `gpu`. */
  device?: DeviceChoice;
  /** Part of an adapter's name. */
  adapter?: string;
  /** A device of your own; it is not destroyed. */
  gpuDevice?: GPUDevice;
  /** CPU threads; default: one per core. */
  threads?: number;
  /** Replay although the log does not look uniform; recorded in the result. */
  assumeUniform?: boolean;
  /**
   * Verify every decision of all replicas (`true`) or of so many, in f64 on the CPU. Default: none on the CPU engine; on another
   * one a spot check, the retained events of a few replicas. `false`: not even that. The result says what came of it.
   */
  verify?: boolean | number;
  /** Score difference, relative to max(1, |largest score|), up to which a decision may differ from f64; default 1e-6. */
  verifyTolerance?: number;
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
   * interrupted run of the same learners on the same log goes on from there, to the same result.
   */
  resume?: string;
  /** Seconds between two writes of it; default 30. */
  checkpointEvery?: number;
  onProgress?: (progress: ReplayProgress) => void;
  signal?: AbortSignal;
}

const REPLAY_OPTIONS: OptionShape<ReplayOptions> = {
  ...RUN_OPTIONS,
  repeats: option.number,
  subsample: option.number,
  seed: option.number,
  updateEvery: UPDATE_EVERY,
  learnFrom: option.text,
  replicas: option.flag,
  retained: option.flag,
  state: option.flag,
  verify: verifyShape('replicas'),
  verifyTolerance: option.number,
};

export interface ReplayProgress {
  phase: 'load' | 'replay' | 'verify';
  /** Rows read; events (replicas × events of the log) gone through, in `verify` those of the replicas that are verified. */
  done: number;
  total: number | null;
}

/** As the tie tolerance. */
const VERIFY_TOLERANCE = 1e-6;

/**
 * Replays learning algorithms on a log of uniformly randomized decisions: each replica is fed the events it would have
 * chosen itself (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 2; Algorithm 1 with `validEvents`). Replicas with the
 * same number see the same subsample whatever the learner, so learners are compared on the same events.
 *
 * @param learners path of a learners file (Node only), or learners: `linucb({ alpha: [0.1, 0.5] })`, `ucb1()`, objects.
 * @throws InputError for bad logs, learners or options; NotUniformError where replay would be biased; EngineError where
 *   a device fails. A verification that fails does not throw: see `engine.verified` and the warnings of the result.
 */
export async function replay(
  log: EventLog | LogFiles | LogStream,
  learners: string | readonly LearnerInput[],
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  checkOptions(options, REPLAY_OPTIONS, 'options');
  const { confidence = 0.95, repeats = 1, verify, verifyTolerance = VERIFY_TOLERANCE } = options;
  checkConfidence(confidence);
  const rules: ReplayRules = {
    seed: options.seed ?? 0,
    subsample: options.subsample ?? 1,
    validEvents: options.validEvents ?? null,
    updateEvery: options.updateEvery ?? null,
    learnFrom: options.learnFrom ?? 'retained',
  };
  checkRules(rules, repeats);
  checkVerification(verify, verifyTolerance);
  checkStreaming(options);
  return withPlace(options.resume, (place) => replayAt(log, learners, options, rules, place));
}

async function replayAt(
  log: EventLog | LogFiles | LogStream,
  learners: string | readonly LearnerInput[],
  options: ReplayOptions,
  rules: ReplayRules,
  place: CheckpointPlace | null,
): Promise<ReplayResult> {
  const { confidence = 0.95, repeats = 1, verifyTolerance = VERIFY_TOLERANCE } = options;
  const memory = options.memory === undefined ? null : parseMemory(options.memory);
  const opened = await openLearners(learners);
  const stream = await openStream(log, {
    ...options,
    memory,
    stretches: inStretches(options),
    keys: learnerKeyColumns(opened.set),
  });
  try {
    const retained = options.retained ?? options.replicas === true;
    const state = options.state === true;
    await refuseRounded(stream, options.signal);
    const run = await replayStream(stream, opened, {
      ...options,
      ...{ rules, repeats, retained, state, verifyTolerance, memory, place, version: VERSION },
    });
    const { work, outcome, engine, survey } = run;
    const job = { ...work, log: work.head };
    await refuseMoved(stream, replicaTotals(job, outcome), options.signal);
    const due = requireDueMatches(replicaMatchCounts(work, outcome), survey.arms.matches(stream.head), {
      what: 'learner',
      assume: options.assumeUniform === true,
      files: stream.head.source.files,
    });
    const blockStatistics = options.blockStatistics === true;
    const listed = options.replicas === true || retained || state || blockStatistics;
    return {
      hindcast: VERSION,
      version: REPLAY_VERSION,
      log: describeLog(stream.head, stream.events, survey.time),
      uniformity: { ...run.uniformity.description, matches: due.matches },
      estimator: { name: 'replay', algorithm: rules.validEvents === null ? 2 : 1, validEvents: rules.validEvents },
      replay: {
        repeats,
        subsample: rules.subsample,
        seed: rules.seed,
        updateEvery: rules.updateEvery,
        learnFrom: rules.learnFrom,
      },
      interval: { method: 'student-t', confidence },
      blocks: describeBlocks(run.outline, blockStatistics),
      engine,
      warnings: [
        ...failedVerification(engine),
        ...(engine.fallback === null ? [] : [`the GPU was given up and the CPU finished: ${engine.fallback}`]),
        ...withoutKernel(engine),
        ...(stream.head.source.warnings ?? []),
        ...run.uniformity.warnings,
        ...run.warnings,
        ...due.warnings,
        ...(await orderWarnings(stream, survey.time, inOrder(stream.head, rules))),
        ...numericWarnings(work, outcome.numerics),
        ...alikeWarnings(work, outcome, repeats),
        ...shortRuns(work, outcome),
      ],
      learners: learnerRows(job, outcome, { confidence, replicas: listed, retained, blockStatistics }),
    };
  } finally {
    await stream.close();
  }
}

/** What depends on the order of events. */
function inOrder({ source }: EventLog, { updateEvery, validEvents }: ReplayRules): string[] {
  return [
    'what learners have seen',
    ...(updateEvery === null ? [] : ['updates']),
    ...(validEvents === null ? [] : ['the first valid events']),
    ...(source.distinctViews === undefined ? [] : ['distinct views']),
  ];
}

async function openLearners(
  learners: string | readonly LearnerInput[],
): Promise<{ set: LearnerSet; files?: SpecFiles }> {
  if (typeof learners !== 'string') return { set: parseLearnerSet(learners) };
  const { loadLearnerSet } = await import('./learner/node-learners.js');
  return loadLearnerSet(learners);
}

function failedVerification({ device, verified }: ReplayResult['engine']): string[] {
  if (verified === null || verified.passed) return [];
  const next =
    device === 'cpu'
      ? 'a learner must answer the same when it is asked again'
      : '--device cpu (in code: device) replays in f64';
  return [`verification failed, so these results are not to be relied on: ${verified.first}; ${next}`];
}

function withoutKernel({ onCpu = [] }: ReplayResult['engine']): string[] {
  return onCpu.length === 0
    ? []
    : [
        `replayed by the CPU engine, without a GPU kernel or on contexts that need more digits than the GPU has: ${onCpu.join(', ')}`,
      ];
}

function alikeWarnings(job: ReplayWork, outcome: ReplayOutcome, repeats: number): string[] {
  const same = job.settings.filter((_, s) => {
    const rows = job.replicas.flatMap(({ setting }, row) => (setting === s ? [row] : []));
    return job.events > 0 && alike(job, outcome, rows);
  });
  if (same.length === 0) return [];
  const names = same.slice(0, 3).map(({ name }) => name);
  const more = same.length > 3 ? ` and ${same.length - 3} more` : '';
  return [
    `the ${repeats} replicas of ${names.join(', ')}${more} are one and the same: nothing in them is random, and each sees the whole log; a subsample below 1 makes them differ`,
  ];
}

function shortRuns({ rules, replicas }: ReplayWork, { complete }: ReplayOutcome): string[] {
  const short = complete.reduce((sum, flag) => sum + (flag === 0 ? 1 : 0), 0);
  if (short === 0) return [];
  return [
    `the log ended before ${rules.validEvents} valid events for ${short} of ${replicas.length} replicas; their estimates use the matches there were`,
  ];
}
