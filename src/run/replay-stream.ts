/**
 * Learners on a log that is gone through batch by batch: once to count, once to replay, and once to verify a few of them
 * (`log-run.ts`). The state of each replica goes from one batch to the next, so results do not depend on the batches; a log
 * in memory is a single one. All of the replicas, a part of them, or what parts have played elsewhere.
 */

import { type ChosenReplayBackend, chooseReplayBackend } from '../engine/choose-learner.js';
import { type LearnerSet, openLearners } from '../learner/set/learner-set.js';
import type { LogStream } from '../log/stream.js';
import type { SpecFiles } from '../policy/family.js';
import type { Identity } from './checkpoint/file.js';
import { LearnerRun } from './learner-run.js';
import { openLogRun } from './open-log-run.js';
import type { MadePart, Parted, PartOfRun } from './parts/plan.js';
import { replicaState } from './parts/replica-state.js';
import type { StoredParts } from './parts/stored.js';
import { checkScale } from './replay-rules.js';
import type { ReplayStreamOptions, StreamReplay } from './stream-replay.js';

/** Learners that were read, and the files that they name. */
interface Learners {
  readonly set: LearnerSet;
  readonly files?: SpecFiles;
}

/** @throws what `replay` throws. */
export async function replayStream(
  stream: LogStream,
  learners: Learners,
  options: ReplayStreamOptions,
): Promise<StreamReplay> {
  const { run } = await openLearnerRun(stream, learners, options, { part: null, asked: null });
  await run.count();
  return onBackend(run, options, (backend) => run.replay(backend));
}

/**
 * Plays a part of the replicas that `replayStream` would.
 *
 * @param isThere told what tells the run from others: the part was played before, and nothing is to be done.
 * @returns `null`: it is there.
 */
export async function replayPartStream(
  stream: LogStream,
  learners: Learners,
  options: ReplayStreamOptions,
  { part, asked, counts }: PartOfRun,
  isThere: (identity: Identity) => boolean,
): Promise<(MadePart & { readonly identity: Identity }) | null> {
  const { run, identity } = await openLearnerRun(stream, learners, options, { part, asked: asked.options, counts });
  if (isThere(identity)) return null;
  await run.count();
  return onBackend(run, options, async (backend) => {
    const { outcome, engine } = await run.replay(backend);
    const { stats } = outcome;
    return {
      identity,
      span: run.span,
      sums: { blocks: Uint32Array.from({ length: stats.blocks }, (_, b) => b), tables: [stats] },
      work: run.run.work.told(backend),
      verified: engine.verified?.replicas ?? null,
      state: replicaState(outcome, engine.verified),
    };
  });
}

/** What all parts have played. @throws what `replay` throws; InputError for parts of another run, and damaged ones. */
export async function storedReplay(
  stream: LogStream,
  learners: Learners,
  options: ReplayStreamOptions,
  stored: StoredParts,
): Promise<StreamReplay> {
  const { run, identity } = await openLearnerRun(stream, learners, options, {
    ...{ part: null, asked: stored.asked.options, counts: stored.counts },
  });
  stored.requireRun(identity);
  await run.count();
  return run.stored(stored);
}

async function onBackend<T>(
  { run, settings }: LearnerRun,
  options: ReplayStreamOptions,
  work: (backend: ChosenReplayBackend) => Promise<T>,
): Promise<T> {
  const backend = await chooseReplayBackend({ ...options, threads: run.threads }, settings);
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}

async function openLearnerRun(
  stream: LogStream,
  { set, files }: Learners,
  options: ReplayStreamOptions,
  { part, asked, counts }: Parted,
): Promise<{ readonly run: LearnerRun; readonly identity: Identity }> {
  const { rules, repeats, scale, retained, state, verify = null, verifyTolerance } = options;
  if (scale !== null) checkScale(set);
  const { run, opened, identity } = await openLogRun(stream, options, {
    command: 'replay',
    content: [
      'learners',
      set.map(({ algorithm, parameters, custom }) => [algorithm.name, parameters, custom ? algorithm.create : null]),
    ],
    choices: {
      ...{ rules, repeats, scale, retained, state, verify, verifyTolerance },
      ...(asked === null ? {} : { asked }),
    },
    ...{ part, counts, identify: asked !== null },
    files,
    contexts: stream.head.contexts.dimension > 0 && set.some(({ algorithm }) => algorithm.kind === 'real'),
    scale,
    open: (span, files) => openLearners(set, span, files),
  });
  const learners = new LearnerRun(run, opened, await opened(stream.head), options, part);
  learners.checkStates(1);
  return { run: learners, identity };
}
