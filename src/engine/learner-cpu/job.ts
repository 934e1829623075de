/** A replay job as the CPU engine's threads see it. Structured-cloneable: large arrays lie on shared memory. */

import { ArchiveReader, ArchiveWriter } from '../../archive.js';
import { InputError } from '../../errors.js';
import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { Numerics } from '../../learner/learner.js';
import type { PreparedLearner } from '../../learner/set/learner-set.js';
import {
  keepsRetained,
  type ReplayKeep,
  type ReplayTrack,
  type ReplayWork,
  type Replica,
} from '../learner-contract.js';
import { shareArrays, sharedBytes } from '../shared.js';
import { freshLearner, ReplicaRun, type RunSetting } from './replica.js';

export interface ReplayCpuJob {
  readonly track: ReplayTrack;
  readonly replicas: readonly Replica[];
  readonly keep: ReplayKeep;
  /** Written to, each replica in its own row. */
  readonly stats: BlockStatistics;
  readonly consumed: Float64Array;
  readonly complete: Uint8Array;
  /** Events to be gone through. */
  readonly range: readonly [number, number];
  /** `play`: decide and learn; `learn`: only apply the delayed updates of this batch. */
  readonly work: 'play' | 'learn';
  /**
   * Serialized state of each replica after earlier batches; overwritten with the new state. A `null` element: no state yet.
   * `null`: the track is the whole log, and runs are finished.
   */
  readonly carried: readonly (Uint8Array | null)[] | null;
}

/** What a worker thread gets: a job, and the algorithms by name. */
export interface ReplayWorkerJob {
  readonly job: ReplayCpuJob;
  readonly settings: readonly (RunSetting & { readonly algorithm: string | null; readonly parameters: object })[];
  /** Replicas to run, by index: those whose learners are in the table. */
  readonly rows: Uint32Array;
}

/** The counters are those of `COUNTER`; `bounded`: memory is. */
export type ReplayWorkerMessage = ReplayWorkerJob & { readonly counters: Int32Array; readonly bounded: boolean };

/** What cannot be written to shared memory because its size is not known before. */
export interface ReplayPart {
  readonly row: number;
  readonly retained: Uint32Array | null;
  readonly state: Record<string, unknown> | null;
  readonly numerics: Numerics | null;
  /** The new state, where it is too large for the bytes of the old one; `null`: it was written there. */
  readonly carried: Uint8Array | null;
}

/** Decisions per unit of the progress counter. */
export const REPLAY_UNIT = 1024;

/** A run of replica `row`, as far as it has come. @throws InputError for a learner from code that cannot be carried. */
export function startReplica(
  job: ReplayCpuJob,
  row: number,
  setting: RunSetting & Pick<PreparedLearner, 'create'>,
): ReplicaRun {
  const { track, replicas, stats, keep, carried, range } = job;
  const { number } = replicas[row];
  const learner = freshLearner(track, setting.create, number);
  if (carried !== null && learner.carry === undefined) throw notCarried(setting.name);
  const keeps = job.work === 'play' && keepsRetained(keep, row);
  const run = new ReplicaRun(track, learner, setting, number, stats, row, keeps, range[0]);
  const state = carried?.[row] ?? null;
  if (state !== null) run.carry(new ArchiveReader(state));
  return run;
}

function notCarried(name: string): InputError {
  return new InputError({
    problem: `learner "${name}" cannot be taken from one batch of a log to the next`,
    needed: 'a method carry(archive) that takes out and puts back what it has learnt',
    hint: 'write one, or replay a log in memory, without --memory and --resume',
  });
}

/** Nothing is left to be played. */
export function isOver({ track, complete }: ReplayCpuJob, row: number): boolean {
  return track.rules.validEvents !== null && complete[row] === 1;
}

/** Writes what a run tells; the rest comes back. */
export function endReplica(job: ReplayCpuJob, row: number, run: ReplicaRun): ReplayPart {
  const { carried, keep } = job;
  if (carried === null) run.finish();
  job.consumed[row] = run.consumed;
  job.complete[row] = run.complete ? 1 : 0;
  const part = { row, retained: run.retainedEvents(), state: null, numerics: null, carried: null };
  if (carried === null) return { ...part, state: keep.state ? run.state() : null, numerics: run.numerics() };
  run.endBatch();
  const writer = new ArchiveWriter(carried[row], (bytes) => new Uint8Array(sharedBytes(bytes)));
  run.carry(writer);
  return { ...part, carried: writer.room === carried[row] ? null : writer.room };
}

/** Learners of a setting say how their arithmetic went. */
export function tellsNumerics(
  { head, rules }: Pick<ReplayWork, 'head' | 'rules'>,
  { create }: PreparedLearner,
): boolean {
  return freshLearner({ log: head, rules }, create, 0).numerics !== undefined;
}

/** A run at its end, from what it had come to; it plays no more. @param head the log without its events. */
export function endedRun(
  { head, rules, settings, replicas }: Pick<ReplayWork, 'head' | 'rules' | 'settings' | 'replicas'>,
  row: number,
  carried: Uint8Array | null,
  stats: BlockStatistics,
): ReplicaRun {
  const { setting, number } = replicas[row];
  const track = { log: head, rules, epochs: null, starts: new Float64Array(1), of: null, blockOf: null };
  const learner = freshLearner(track, settings[setting].create, number);
  const run = new ReplicaRun(track, learner, settings[setting], number, stats, row, false);
  if (carried !== null) run.carry(new ArchiveReader(carried));
  return run;
}

/** The job with its large arrays on shared memory, and without what no learner of the table reads. */
export function shareReplayJob(job: ReplayCpuJob, keys: ReadonlySet<string>): ReplayCpuJob {
  const { log } = job.track;
  // Names of millions of users and values of unused columns need not travel.
  const used = new Map([...log.keys].filter(([name]) => keys.has(name)));
  const bare = { ...log, keys: used, user: null, propensity: null, sourceRow: null };
  return { ...job, track: shareArrays({ ...job.track, log: bare }) };
}
