/** A replay job as the CPU engine's threads see it. Structured-cloneable: large arrays lie on shared memory. */

import type { BlockStatistics } from '../estimate/block-statistics.js';
import type { PreparedLearner } from '../learner/learner-set.js';
import type { EventLog } from '../log/event-log.js';
import { keepsRetained, type ReplayKeep, type Replica } from './replay-backend.js';
import { freshLearner, type ReplayTrack, ReplicaRun } from './replay-replica.js';
import { toShared } from './shared.js';

export interface ReplayCpuJob {
  readonly track: ReplayTrack;
  readonly replicas: readonly Replica[];
  readonly keep: ReplayKeep;
  /** Written to, each replica in its own row. */
  readonly stats: BlockStatistics;
  readonly consumed: Float64Array;
  readonly complete: Uint8Array;
}

/** What a worker thread gets: a job, and the algorithms by name. */
export interface ReplayWorkerJob {
  readonly job: ReplayCpuJob;
  readonly settings: readonly { readonly algorithm: string | null; readonly parameters: object }[];
  /** Replicas to run, by index: those whose learners are in the table. */
  readonly rows: Uint32Array;
}

/** The counters are those of `COUNTER`. */
export type ReplayWorkerMessage = ReplayWorkerJob & { readonly counters: Int32Array };

/** What cannot be written to shared memory because its size is not known before. */
export interface ReplayPart {
  readonly row: number;
  readonly retained: Uint32Array | null;
  readonly state: Record<string, unknown> | null;
}

/** Decisions per unit of the progress counter. */
export const REPLAY_UNIT = 1024;

/** A fresh run of replica `row`. */
export function startReplica(job: ReplayCpuJob, row: number, create: PreparedLearner['create']): ReplicaRun {
  const { track, replicas, stats, keep } = job;
  const { number } = replicas[row];
  const learner = freshLearner(track, create, number);
  return new ReplicaRun(track, learner, number, stats, row, keepsRetained(keep, row));
}

/** Writes what a finished run tells; the rest comes back. */
export function finishReplica(job: ReplayCpuJob, row: number, run: ReplicaRun): ReplayPart {
  run.finish();
  job.consumed[row] = run.consumed;
  job.complete[row] = run.complete ? 1 : 0;
  return {
    row,
    retained: run.retainedEvents(),
    state: job.keep.state ? run.state() : null,
  };
}

/** The job with its large arrays on shared memory, and without what no learner of the table reads. */
export function shareReplayJob(job: ReplayCpuJob, keys: ReadonlySet<string>): ReplayCpuJob {
  const { track } = job;
  const share = <T extends Uint32Array | Float64Array>(array: T | null): T | null =>
    array === null ? null : toShared(array);
  return {
    ...job,
    track: { ...track, log: shareLog(track.log, keys), epochs: share(track.epochs), blockOf: share(track.blockOf) },
  };
}

function shareLog(log: EventLog, keys: ReadonlySet<string>): EventLog {
  const { contexts, pools, payoff, time } = log;
  return {
    ...log,
    arm: toShared(log.arm),
    payoff: { ...payoff, steps: toShared(payoff.steps) },
    contexts: {
      ...contexts,
      values: toShared(contexts.values),
      row: contexts.row === null ? null : toShared(contexts.row),
    },
    pools: {
      ...pools,
      offsets: toShared(pools.offsets),
      arms: toShared(pools.arms),
      pool: pools.pool === null ? null : toShared(pools.pool),
    },
    time: time === null ? null : toShared(time),
    // Names of millions of users and values of unused columns need not travel.
    keys: new Map(
      [...log.keys]
        .filter(([name]) => keys.has(name))
        .map(([name, key]) => [name, { ...key, code: toShared(key.code) }]),
    ),
    user: null,
    propensity: null,
    sourceRow: null,
  };
}
