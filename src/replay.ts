/** The whole story of learning algorithms on one page: open → survey, replay and verify (`run/replay-stream.ts`) → summarize. */

import type { ReplayRules } from './engine/learner-contract.js';
import { checkConfidence } from './estimate/interval/index.js';
import { type LearnerInput, type LearnerSet, learnerKeyColumns, parseLearnerSet } from './learner/set/learner-set.js';
import type { EventLog } from './log/event-log.js';
import type { LogStream } from './log/stream.js';
import type { LogFiles } from './open/open.js';
import { checkThinning, openThinned } from './open/thinned.js';
import { checkOptions } from './options/check-options.js';
import type { SpecFiles } from './policy/family.js';
import { REPLAY_OPTIONS, type ReplayOptions } from './replay-options.js';
import { describeBlocks } from './report/block-rows.js';
import { describeLog } from './report/describe-log.js';
import { replicaMatchCounts } from './report/match-counts.js';
import { REPLAY_VERSION, type ReplayResult } from './report/replay-result.js';
import { learnerRows, replicaTotals } from './report/replay-rows.js';
import { engineWarnings, inOrder, outcomeWarnings } from './report/replay-warnings.js';
import { withPlace } from './run/checkpoint/checkpoint.js';
import type { Identity } from './run/checkpoint/file.js';
import { logInputs } from './run/checkpoint/identity.js';
import type { CheckpointPlace } from './run/checkpoint/place.js';
import { bandBlocks, selectLearners } from './run/learner-selection.js';
import { refuseRates } from './run/levels/drop-rates.js';
import { checkStreaming, inBatches, parseMemory } from './run/memory/plan.js';
import { checkPart, type PartOfRun } from './run/parts/plan.js';
import type { StoredParts } from './run/parts/stored.js';
import { checkRules, checkVerification } from './run/replay-rules.js';
import { replayPartStream, replayStream, storedReplay } from './run/replay-stream.js';
import { checkSelection, findBaseline } from './run/selection.js';
import type { ReplayStreamOptions, StreamReplay } from './run/stream-replay.js';
import { contentWarnings } from './run/warnings/content-warnings.js';
import { requireDueMatches } from './run/warnings/match-verdict.js';
import { withoutKernel } from './run/warnings/on-cpu.js';
import { orderWarnings } from './run/warnings/order-warnings.js';
import { refuseMoved, refuseRounded } from './run/warnings/payoff-rounding.js';
import { spreadWarnings } from './run/warnings/payoff-spread.js';
import { VERSION } from './version.js';

export type { ReplayOptions, ReplayProgress } from './replay-options.js';

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
  return withReplay({ log, learners, options, parted: false }, async (opened) => {
    const run = await replayStream(opened.stream, opened.opened, opened.streamed);
    return conclude(opened, run, listingOf(options));
  });
}

/** What of the replicas is told. */
export interface Listing {
  /** Rows of retained events. */
  readonly retained: boolean;
  /** Final states. */
  readonly state: boolean;
  /** Statistics per block. */
  readonly blockStatistics: boolean;
}

function listingOf({ retained, replicas, state, blockStatistics }: ReplayOptions): Listing {
  return {
    retained: retained ?? replicas === true,
    state: state === true,
    blockStatistics: blockStatistics === true,
  };
}

/**
 * The result of a replay whose parts were played elsewhere (`replayPart`): that of `replay`, but for the engine.
 *
 * @param options those of the parts. @param listing what of it is told.
 * @throws what `replay` throws; InputError for parts of another run, and damaged ones.
 */
export async function replayStored(
  log: LogFiles,
  learners: string,
  options: ReplayOptions,
  { stored, listing }: { readonly stored: StoredParts; readonly listing: Listing },
): Promise<ReplayResult> {
  return withReplay({ log, learners, options, parted: true }, async (opened) => {
    const run = await storedReplay(opened.stream, opened.opened, opened.streamed, stored);
    const { outcome } = run;
    const told = {
      ...outcome,
      ...(listing.retained ? {} : { retained: null, sourceRows: null }),
      ...(listing.state ? {} : { states: null }),
    };
    return conclude(opened, { ...run, outcome: told }, listing);
  });
}

/**
 * Plays a part of the replicas, for `replayStored`.
 *
 * @param isThere as `replayPartStream` has it.
 */
export function replayPart(
  log: LogFiles,
  learners: string,
  options: ReplayOptions,
  part: PartOfRun,
  isThere: (identity: Identity) => boolean,
): ReturnType<typeof replayPartStream> {
  checkPart(part.part);
  return withReplay({ log, learners, options, parted: true }, ({ stream, opened, streamed }) =>
    replayPartStream(stream, opened, streamed, part, isThere),
  );
}

interface Asked {
  readonly log: EventLog | LogFiles | LogStream;
  readonly learners: string | readonly LearnerInput[];
  readonly options: ReplayOptions;
  /** The log is opened in one way for all parts, by which it is told from others. */
  readonly parted: boolean;
}

interface OpenedReplay extends Asked {
  readonly stream: LogStream;
  /** The log as it was given. */
  readonly given: LogStream;
  readonly opened: { readonly set: LearnerSet; readonly files?: SpecFiles };
  readonly streamed: ReplayStreamOptions;
}

/** Runs work on what `replay` is asked for, and closes what was opened for it. */
async function withReplay<T>(asked: Asked, work: (opened: OpenedReplay) => Promise<T>): Promise<T> {
  const { options } = asked;
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
  return withPlace(options.resume, options.keepCheckpoint ?? false, (place) => openedAt(asked, rules, place, work));
}

async function openedAt<T>(
  asked: Asked,
  rules: ReplayRules,
  place: CheckpointPlace | null,
  work: (opened: OpenedReplay) => Promise<T>,
): Promise<T> {
  const { log, options } = asked;
  const { repeats = 1, verifyTolerance = VERIFY_TOLERANCE } = options;
  const opened = await openLearners(asked.learners);
  const memory = options.memory === undefined ? null : parseMemory(options.memory);
  const names = opened.set.map(({ name }) => name);
  if (options.baseline !== undefined) findBaseline(names, options.baseline, 'learners');
  const { stream, given } = await openThinned(log, {
    ...options,
    memory,
    batches: asked.parted || inBatches(options),
    keys: learnerKeyColumns(opened.set),
  });
  try {
    refuseRates(stream.head, 'a learner', 'events that were dropped at one rate');
    await refuseRounded(stream, options.signal);
    const { retained, state } = listingOf(options);
    const streamed: ReplayStreamOptions = {
      ...options,
      ...{ rules, repeats, retained, state, verifyTolerance, memory, place, version: VERSION },
      blocks: options.blocks ?? bandBlocks(options, names.length * repeats),
      scale: options.scale ?? null,
    };
    return await work({ ...asked, stream, given, opened, streamed });
  } finally {
    await stream.close();
  }
}

async function conclude(
  { log, options, stream, given, opened, streamed: { rules, repeats, memory } }: OpenedReplay,
  run: StreamReplay,
  { retained, state, blockStatistics }: Listing,
): Promise<ReplayResult> {
  const { confidence = 0.95 } = options;
  const { work, outcome, engine, survey } = run;
  const job = { ...work, log: work.head };
  await refuseMoved(stream, replicaTotals(job, outcome), options.signal);
  const due = requireDueMatches(replicaMatchCounts(work, outcome), survey.arms.matches(stream.head), {
    what: 'learner',
    assume: options.assumeUniform === true,
    files: stream.head.source.files,
  });
  const selected = await selectLearners(run, options, confidence);
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
}

async function openLearners(
  learners: string | readonly LearnerInput[],
): Promise<{ set: LearnerSet; files?: SpecFiles }> {
  if (typeof learners !== 'string') return { set: parseLearnerSet(learners) };
  const { loadLearnerSet } = await import('./learner/set/node-learners.js');
  return loadLearnerSet(learners);
}
