/** The whole story of learning algorithms on one page: open → check → run → summarize. */

import { InputError } from './errors.js';
import { DEFAULT_BLOCKS } from './estimate/blocks.js';
import { checkConfidence } from './estimate/interval/index.js';
import {
  type LearnerInput,
  type LearnerSet,
  learnerKeyColumns,
  parseLearnerSet,
  prepareLearners,
} from './learner/learner-set.js';
import { effectiveArms } from './log/effective-arms.js';
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
import { checkFeed, checkRules, timeWarnings } from './run/replay-rules.js';
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
  onProgress?: (progress: ReplayProgress) => void;
  signal?: AbortSignal;
}

export interface ReplayProgress {
  phase: 'load' | 'replay';
  /** Rows read; events (replicas × events of the log) gone through. */
  done: number;
  total: number | null;
}

/** Retained rows beyond this many would not fit the text of a result. */
const MOST_RETAINED = 4e7;

/**
 * Replays learning algorithms on a log of uniformly randomized decisions: each replica is fed the events it would have
 * chosen itself (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 2; Algorithm 1 with `validEvents`). Replicas with the
 * same number see the same subsample whatever the learner, so learners are compared on the same events.
 *
 * @param learners path of a learners file (Node only), or learners: `linucb({ alpha: [0.1, 0.5] })`, `ucb1()`, objects.
 * @throws InputError for bad logs, learners or options; NotUniformError where replay would be biased; EngineError where
 *   a device fails.
 */
export async function replay(
  log: EventLog | LogFiles,
  learners: string | readonly LearnerInput[],
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  const { confidence = 0.95, repeats = 1, signal } = options;
  checkConfidence(confidence);
  const rules: ReplayRules = {
    seed: options.seed ?? 0,
    subsample: options.subsample ?? 1,
    validEvents: options.validEvents ?? null,
    updateEvery: options.updateEvery ?? null,
    learnFrom: options.learnFrom ?? 'retained',
  };
  checkRules(rules, repeats);
  const { set, files } = await openLearners(learners);
  const opened = await openLog(log, { ...options, keys: learnerKeyColumns(set) });
  const uniformity = requireUniform(opened, { assume: options.assumeUniform });
  const settings = await prepareLearners(set, opened, files);
  checkFeed(settings, rules.learnFrom);
  const retained = options.retained ?? options.replicas === true;
  const job: ReplayJob = {
    log: opened,
    plan: planBlocks(opened, options.blocks ?? DEFAULT_BLOCKS),
    settings,
    replicas: settings.flatMap((_, setting) => Array.from({ length: repeats }, (_, number) => ({ setting, number }))),
    rules,
    keep: { retainedOf: retained ? 'all' : 'none', state: options.state === true },
  };
  if (retained) checkRetained(job);

  const { backend, fallback } = await chooseReplayBackend(options);
  try {
    const total = job.replicas.length * opened.events;
    let done = 0;
    const onProgress = (decisions: number): void => {
      done = Math.min(total, done + decisions);
      options.onProgress?.({ phase: 'replay', done, total });
    };
    const outcome = await backend.replay(job, { onProgress, signal });
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
      engine: { ...backend.report, fallback, verified: null },
      warnings: [
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

function checkRetained({ log, replicas, rules }: ReplayJob): void {
  const each = Math.min(
    rules.validEvents ?? Number.POSITIVE_INFINITY,
    (rules.subsample * log.events) / effectiveArms(log),
  );
  const expected = replicas.length * each;
  if (expected <= MOST_RETAINED) return;
  throw new InputError({
    problem: 'the rows of all retained events would not fit the result',
    got: `about ${Math.round(expected)} rows in ${replicas.length} replicas`,
    needed: `at most ${MOST_RETAINED}`,
    hint: 'fewer repeats, or replicas without their rows: --no-retained (in code: retained: false)',
  });
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
