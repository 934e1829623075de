/** The whole story of learning algorithms on one page: open → check → run → summarize. */

import { DEFAULT_BLOCKS } from './estimate/blocks.js';
import { checkConfidence } from './estimate/interval/index.js';
import {
  type LearnerInput,
  type LearnerSet,
  learnerKeyColumns,
  parseLearnerSet,
  prepareLearners,
} from './learner/learner-set.js';
import type { EventLog } from './log/event-log.js';
import { type LogFiles, openLog } from './log/open.js';
import { requireUniform } from './log/uniformity.js';
import type { SpecFiles } from './policy/family.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { REPLAY_VERSION, type ReplayResult } from './report/replay-result.js';
import { alike, learnerRows } from './report/replay-rows.js';
import { type BlockChoice, planBlocks } from './run/block-choice.js';
import type { DeviceChoice } from './run/choose-backend.js';
import type { ReplayJob, ReplayOutcome, ReplayRules, UpdateEvery } from './run/replay-backend.js';
import { chooseReplayBackend } from './run/replay-choose.js';
import { checkKept, checkListed, keeping } from './run/replay-keep.js';
import { checkFeed, checkRules, checkVerification, timeWarnings } from './run/replay-rules.js';
import { type Verification, verifyReplay } from './run/replay-verify.js';
import { planVerification } from './run/replay-verify-choice.js';
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
  onProgress?: (progress: ReplayProgress) => void;
  signal?: AbortSignal;
}

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
  log: EventLog | LogFiles,
  learners: string | readonly LearnerInput[],
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const { confidence = 0.95, repeats = 1, verify, verifyTolerance = VERIFY_TOLERANCE, signal } = options;
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
  const { set, files } = await openLearners(learners);
  const opened = await openLog(log, { ...options, keys: learnerKeyColumns(set) });
  const uniformity = requireUniform(opened, { assume: options.assumeUniform });
  const settings = await prepareLearners(set, opened, files);
  checkFeed(settings, rules.learnFrom);
  const retained = options.retained ?? options.replicas === true;
  const asked: ReplayJob = {
    log: opened,
    plan: planBlocks(opened, options.blocks ?? DEFAULT_BLOCKS),
    settings,
    replicas: settings.flatMap((_, setting) => Array.from({ length: repeats }, (_, number) => ({ setting, number }))),
    rules,
    keep: { retainedOf: retained ? 'all' : 'none', state: options.state === true },
  };
  if (retained) checkListed(asked);
  if (verify !== undefined) checkKept(asked, verify);

  const backend = await chooseReplayBackend(options, settings);
  try {
    const verification = planVerification(asked, verify, backend);
    const job = keeping(asked, verification?.replicas ?? []);
    const progress = (phase: ReplayProgress['phase'], replicas: number) => {
      const total = replicas * opened.events;
      let done = 0;
      return (decisions: number): void => {
        done = Math.min(total, done + decisions);
        options.onProgress?.({ phase, done, total });
      };
    };
    const outcome = await backend.replay(job, { onProgress: progress('replay', job.replicas.length), signal });
    let verified: Verification | null = null;
    if (verification !== null) {
      const onProgress = progress('verify', verification.replicas.length);
      verified = await verifyReplay(job, outcome, { ...verification, tolerance: verifyTolerance, onProgress, signal });
    }
    const engine = { ...backend.report, fallback: backend.fallback, verified };
    const blockStatistics = options.blockStatistics === true;
    const listed = options.replicas === true || retained || job.keep.state || blockStatistics;
    return {
      hindcast: VERSION,
      version: REPLAY_VERSION,
      log: describeLog(opened),
      uniformity: uniformity.description,
      estimator: { name: 'replay', algorithm: rules.validEvents === null ? 2 : 1, validEvents: rules.validEvents },
      replay: {
        repeats,
        subsample: rules.subsample,
        seed: rules.seed,
        updateEvery: rules.updateEvery,
        learnFrom: rules.learnFrom,
      },
      interval: { method: 'student-t', confidence },
      blocks: describeBlocks(job.plan, blockStatistics),
      engine,
      warnings: [
        ...failedVerification(engine),
        ...(engine.fallback === null ? [] : [`the GPU was given up and the CPU finished: ${engine.fallback}`]),
        ...withoutKernel(engine),
        ...uniformity.warnings,
        ...timeWarnings(opened, rules.updateEvery),
        ...alikeWarnings(job, outcome, repeats),
        ...shortRuns(job, outcome),
      ],
      learners: learnerRows(job, outcome, { confidence, replicas: listed, retained, blockStatistics }),
    };
  } finally {
    await backend.close();
  }
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
  return onCpu.length === 0 ? [] : [`without a GPU kernel, replayed by the CPU engine: ${onCpu.join(', ')}`];
}

function alikeWarnings(job: ReplayJob, outcome: ReplayOutcome, repeats: number): string[] {
  const same = job.settings.filter((_, s) => {
    const rows = job.replicas.flatMap(({ setting }, row) => (setting === s ? [row] : []));
    return job.log.events > 0 && alike(job, outcome, rows);
  });
  if (same.length === 0) return [];
  const names = same.slice(0, 3).map(({ name }) => name);
  const more = same.length > 3 ? ` and ${same.length - 3} more` : '';
  return [
    `the ${repeats} replicas of ${names.join(', ')}${more} are one and the same: nothing in them is random, and each sees the whole log; a subsample below 1 makes them differ`,
  ];
}

function shortRuns({ rules, replicas }: ReplayJob, { complete }: ReplayOutcome): string[] {
  const short = complete.reduce((sum, flag) => sum + (flag === 0 ? 1 : 0), 0);
  if (short === 0) return [];
  return [
    `the log ended before ${rules.validEvents} valid events for ${short} of ${replicas.length} replicas; their estimates use the matches there were`,
  ];
}
