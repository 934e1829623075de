/** The whole story of learning algorithms on one page: open → survey, replay and verify (`run/replay-stream.ts`) → summarize. */

import type { DeviceChoice } from './engine/choose.js';
import type { ReplayRules, UpdateEvery } from './engine/learner-contract.js';
import { checkConfidence } from './estimate/interval/index.js';
import { SCALE_METHODS, type ScaleMethod } from './learner/scaling.js';
import { type LearnerInput, type LearnerSet, learnerKeyColumns, parseLearnerSet } from './learner/set/learner-set.js';
import type { EventLog } from './log/event-log.js';
import type { LogStream } from './log/stream.js';
import type { LogFiles } from './open/open.js';
import { checkThinning, openThinned } from './open/thinned.js';
import { checkOptions, type OptionShape, option } from './options/check-options.js';
import { RUN_OPTIONS, verifyShape } from './options/option-shapes.js';
import type { SpecFiles } from './policy/family.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { replicaMatchCounts } from './report/match-counts.js';
import { REPLAY_VERSION, type ReplayResult } from './report/replay-result.js';
import { learnerRows, replicaTotals } from './report/replay-rows.js';
import { engineWarnings, inOrder, outcomeWarnings } from './report/replay-warnings.js';
import type { BlockChoice } from './run/block-choice.js';
import { withPlace } from './run/checkpoint/checkpoint.js';
import { logInputs } from './run/checkpoint/identity.js';
import type { CheckpointPlace } from './run/checkpoint/place.js';
import { bandBlocks, selectLearners } from './run/learner-selection.js';
import { refuseRates } from './run/levels/drop-rates.js';
import { checkStreaming, inBatches, parseMemory } from './run/memory/plan.js';
import { checkRules, checkVerification } from './run/replay-rules.js';
import { replayStream } from './run/replay-stream.js';
import { checkSelection, findBaseline, SELECTION_OPTIONS, type SelectionOptions } from './run/selection.js';
import { contentWarnings } from './run/warnings/content-warnings.js';
import { requireDueMatches } from './run/warnings/match-verdict.js';
import { withoutKernel } from './run/warnings/on-cpu.js';
import { orderWarnings } from './run/warnings/order-warnings.js';
import { refuseMoved, refuseRounded } from './run/warnings/payoff-rounding.js';
import { spreadWarnings } from './run/warnings/payoff-spread.js';
import { VERSION } from './version.js';

/** How learners are replayed, and what the result is to hold. */
export interface ReplayOptions extends SelectionOptions {
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
  /**
   * Columns of contexts and arm features are brought to like sizes, by the whole log: `standard` takes a column's mean off and
   * divides by its standard deviation, `max` divides by its largest size. The result's `scale` has the numbers, for the learner
   * that goes live. Columns of 0 and 1 stay as they are, and those of a single value become 1 or −1. Default: as they are.
   */
  scale?: ScaleMethod;
  /** `all`: learners learn from every event, and payoffs count on matches. Default: `retained`. */
  learnFrom?: 'retained' | 'all';
  /** Level of bands, and of the intervals of the means over replicas, in (0, 1); default 0.95. */
  confidence?: number;
  /** Put every replica into the result. */
  replicas?: boolean;
  /** Put the rows of retained events into the replicas; default: as `replicas`. */
  retained?: boolean;
  /** Put final states into the replicas. */
  state?: boolean;
  /** Put statistics per block (learning curves) into the replicas. */
  blockStatistics?: boolean;
  /** Runs of events (a number; default 256, and 64 without bands or with very many replicas), runs of so many events each, a period in milliseconds, or groups of users. */
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
   * Verify every decision of all replicas (`true`) or of so many, computed anew on the CPU. Default: none on the CPU engine; on another
   * one a spot check, the retained events of a few replicas. `false`: not even that. The result says what came of it.
   */
  verify?: boolean | number;
  /** Score difference, relative to max(1, |largest score|), up to which a decision may differ; default 1e-6. */
  verifyTolerance?: number;
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
   * interrupted run of the same learners on the same log goes on from there, to the same result.
   */
  resume?: string;
  /** Seconds between two writes of it; default 30. */
  checkpointEvery?: number;
  /** Leave that file when the result is there, and delete it yourself once the result is safe. */
  keepCheckpoint?: boolean;
  /** Told now and then how far the work is. */
  onProgress?: (progress: ReplayProgress) => void;
  /** Ends the run where it is aborted: the promise rejects with the reason of the signal. */
  signal?: AbortSignal;
}

const REPLAY_OPTIONS: OptionShape<ReplayOptions> = {
  ...RUN_OPTIONS,
  ...SELECTION_OPTIONS,
  repeats: option.number,
  subsample: option.number,
  seed: option.number,
  updateEvery: option.every('events'),
  scale: option.oneOf(...SCALE_METHODS),
  learnFrom: option.oneOf('retained', 'all'),
  replicas: option.flag,
  retained: option.flag,
  state: option.flag,
  verify: verifyShape('replicas'),
  verifyTolerance: option.number,
};

/** How far a replay is. */
export interface ReplayProgress {
  /** Reading the log, playing replicas, or verifying them. */
  phase: 'load' | 'replay' | 'verify';
  /** Rows read; events (replicas × events of the log) gone through, in `verify` those of the replicas that are verified. */
  done: number;
  /** `done` at the end of the phase; `null`: not known yet. */
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
  checkSelection(options, 'learners');
  checkStreaming(options);
  checkThinning(options);
  return withPlace(options.resume, options.keepCheckpoint ?? false, (place) =>
    replayAt(log, learners, options, rules, place),
  );
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
  const names = opened.set.map(({ name }) => name);
  if (options.baseline !== undefined) findBaseline(names, options.baseline, 'learners');
  const { stream, given } = await openThinned(log, {
    ...options,
    memory,
    batches: inBatches(options),
    keys: learnerKeyColumns(opened.set),
  });
  try {
    const retained = options.retained ?? options.replicas === true;
    const state = options.state === true;
    refuseRates(stream.head, 'a learner', 'events that were dropped at one rate');
    await refuseRounded(stream, options.signal);
    const run = await replayStream(stream, opened, {
      ...options,
      ...{ rules, repeats, retained, state, verifyTolerance, memory, place, version: VERSION },
      blocks: options.blocks ?? bandBlocks(options, names.length * repeats),
      scale: options.scale ?? null,
    });
    const { work, outcome, engine, survey } = run;
    const job = { ...work, log: work.head };
    await refuseMoved(stream, replicaTotals(job, outcome), options.signal);
    const due = requireDueMatches(replicaMatchCounts(work, outcome), survey.arms.matches(stream.head), {
      what: 'learner',
      assume: options.assumeUniform === true,
      files: stream.head.source.files,
    });
    const selected = await selectLearners(run, options, confidence);
    const blockStatistics = options.blockStatistics === true;
    const listed = options.replicas === true || retained || state || blockStatistics;
    return {
      hindcast: VERSION,
      version: REPLAY_VERSION,
      log: describeLog(stream.head, stream.events, survey.time),
      inputs: [
        ...(await logInputs(given, 'files' in log, { bounded: memory !== null, signal: options.signal })),
        ...(opened.files?.inputs ?? []),
      ],
      uniformity: { ...run.uniformity.description, matches: due.matches },
      estimator: { name: 'replay', algorithm: rules.validEvents === null ? 2 : 1, validEvents: rules.validEvents },
      replay: {
        repeats,
        subsample: rules.subsample,
        seed: rules.seed,
        updateEvery: rules.updateEvery,
        learnFrom: rules.learnFrom,
      },
      ...(run.scaling === null ? {} : { scale: run.scaling }),
      interval: { method: 'student-t', confidence },
      logged: selected.logged,
      selection: selected.selection,
      blocks: describeBlocks(
        run.outline,
        blockStatistics ? { scale: stream.head.payoff.scale, logged: run.logged } : null,
      ),
      engine,
      warnings: [
        ...engineWarnings(engine),
        ...withoutKernel(engine.onCpu, work),
        ...(stream.head.source.warnings ?? []),
        ...(await contentWarnings(stream, survey)),
        ...run.uniformity.warnings,
        ...run.warnings,
        ...due.warnings,
        ...(await orderWarnings(stream, survey.time, inOrder(stream.head, rules))),
        ...spreadWarnings(stream.head.payoff),
        ...outcomeWarnings(work, outcome, repeats),
        ...selected.warnings,
      ],
      learners: learnerRows(job, outcome, selected, { replicas: listed, retained, blockStatistics }),
    };
  } finally {
    await stream.close();
  }
}

async function openLearners(
  learners: string | readonly LearnerInput[],
): Promise<{ set: LearnerSet; files?: SpecFiles }> {
  if (typeof learners !== 'string') return { set: parseLearnerSet(learners) };
  const { loadLearnerSet } = await import('./learner/set/node-learners.js');
  return loadLearnerSet(learners);
}
