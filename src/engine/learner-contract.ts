/**
 * The contract of an engine that replays learners: given a log, learners with their settings, and a list of replicas, return
 * what each replica retained and earned. `learner-cpu/replica.ts` defines what a replica does.
 */

import type { Carried } from '../archive.js';
import type { BlockPlan } from '../estimate/blocks/blocks.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import type { Numerics } from '../learner/learner.js';
import type { PreparedLearner } from '../learner/set/learner-set.js';
import type { EventLog } from '../log/event-log.js';
import type { EngineReport, RunOptions } from './contract.js';

/** One run of one setting. */
export interface Replica {
  /** Index into the job's settings. */
  readonly setting: number;
  /**
   * Number of the replica among those of its setting, a u32: the counter of its draws. Replicas with the same number have
   * the same subsample whatever their learner (common random numbers), so learners are compared on the same events.
   */
  readonly number: number;
}

/** Decisions are frozen between updates: a number of log events, or a period in milliseconds. */
export type UpdateEvery =
  | number
  | {
      /** Milliseconds, above 0. */
      readonly period: number;
    };

/** Rules that hold for every replica of a job. */
export interface ReplayRules {
  /** u32: the first key of every draw. */
  readonly seed: number;
  /** p in (0, 1]: an event is in a replica's subsample with probability p. */
  readonly subsample: number;
  /** T of Algorithm 1; `null`: the whole log (Algorithm 2). */
  readonly validEvents: number | null;
  /** `null`: an update follows its event at once. */
  readonly updateEvery: UpdateEvery | null;
  /** Which events of the subsample a learner is fed: those it matches, or all. Payoffs count on matches either way. */
  readonly learnFrom: 'retained' | 'all';
}

/** Learners to be replayed on a log in memory. */
export interface ReplayJob {
  /** The log. */
  readonly log: EventLog;
  /** Blocks that statistics are kept of. */
  readonly plan: BlockPlan;
  /** Those with `algorithm: null` are objects from code and run on the calling thread alone. */
  readonly settings: readonly PreparedLearner[];
  /** The replicas, R of them. */
  readonly replicas: readonly Replica[];
  /** What holds for all of them. */
  readonly rules: ReplayRules;
  /** What is brought back. */
  readonly keep: ReplayKeep;
}

/** What to bring back besides statistics. Structured-cloneable. */
export interface ReplayKeep {
  /** Replicas whose retained events come back, by index: all, none, or a few that will be verified. */
  readonly retainedOf: 'all' | 'none' | ReadonlySet<number>;
  readonly state: boolean;
}

/** Whether the retained events of replica `row` are to come back. */
export function keepsRetained({ retainedOf }: ReplayKeep, row: number): boolean {
  return retainedOf === 'all' || (retainedOf !== 'none' && retainedOf.has(row));
}

/** What the replicas did; index = index into the job's replicas. */
export interface ReplayOutcome {
  /** T, Σ k and Σ k² per replica and block, [R, B]; n[b] counts the log's events, not those of a subsample. */
  readonly stats: BlockStatistics;
  /** L: events of the subsample a replica was shown, up to and with the T-th match under Algorithm 1. */
  readonly consumed: Float64Array;
  /** 1 where the T-th match was reached; always 1 under Algorithm 2. */
  readonly complete: Uint8Array;
  /** Log indices of the retained events, ascending; `null` for replicas of which they are not kept, or for all. */
  readonly retained: readonly (Uint32Array | null)[] | null;
  /** Source rows of the retained events, where the log has its own numbers for them and came in batches. */
  readonly sourceRows?: readonly (Uint32Array | null)[] | null;
  /** Final states, every retained event learnt; `null` where not kept. */
  readonly states: readonly Record<string, unknown>[] | null;
  /** What learners say of their arithmetic, where they do; absent: none does. */
  readonly numerics?: readonly (Numerics | null)[];
}

/** What holds for a replay whatever way its log is gone through. */
export interface ReplayWork extends Pick<ReplayJob, 'replicas' | 'rules' | 'keep'> {
  /** The log without its events, or with them. */
  readonly head: EventLog;
  /** L of the whole log. */
  readonly events: number;
  /** Matches to expect: L over this. */
  readonly effectiveArms: number;
  /** Blocks of the whole log. */
  readonly blocks: Pick<BlockPlan, 'blocks' | 'starts'>;
  /** Settings for `head`: what is the same for every batch, and learners that say their final state. */
  readonly settings: readonly PreparedLearner[];
  /** The log comes in one batch. */
  readonly whole: boolean;
}

/**
 * What all replicas of a job share: a log, or a batch of one, whose events are called by their index in it. Structured-
 * cloneable, so that worker threads get it as it is.
 */
export interface ReplayTrack {
  readonly log: EventLog;
  readonly rules: ReplayRules;
  /** First events of epochs: see `learner-cpu/epochs.ts`. */
  readonly epochs: Uint32Array | null;
  /** Where blocks are runs: block b holds events `starts[b] .. starts[b+1])` … */
  readonly starts: Float64Array;
  /** … and is block `of[b]` of the whole log; `null`: block b. */
  readonly of: Uint32Array | null;
  /** Block, of the whole log, of each event where blocks are not runs. */
  readonly blockOf: Uint32Array | null;
}

/** A batch of the log, or all of it. */
export interface ReplayBatch {
  readonly track: ReplayTrack;
  /** The settings for it. */
  readonly settings: readonly PreparedLearner[];
}

/** A replay under way: the log is played batch by batch, and the state of each replica goes from one to the next. */
export interface ReplaySession extends Carried {
  /** Updates are delayed (`updateEvery`), so an epoch may end in a later batch than its events: `learn` is then called with the earlier batches again. */
  readonly catchesUp: boolean;
  /** Plays events [from, to) of a batch, which follow those played last. */
  play(batch: ReplayBatch, range: readonly [number, number], options?: RunOptions): Promise<void>;
  /** Applies the delayed updates of events of an earlier batch; batches in order. */
  learn(batch: ReplayBatch, options?: RunOptions): Promise<void>;
  /** Brings state that lies on a device to the host; to be awaited before `carry` takes state out. */
  flush(): Promise<void>;
  /** When all is played, and nothing waits. */
  finish(): Promise<ReplayOutcome>;
  /** Releases what the session holds; the backend stays. */
  close(): void;
}

/** An engine that replays learners. */
export interface ReplayBackend {
  /** `decisions` counts replicas × events of the log. */
  readonly report: EngineReport;
  /** Begins a replay of a log that comes batch by batch. */
  open(work: ReplayWork): Promise<ReplaySession>;
  /** Replays a log in memory. @param options progress is in decisions. */
  replay(job: ReplayJob, options?: RunOptions): Promise<ReplayOutcome>;
  /** Releases threads, buffers and the device if this backend made it. */
  close(): Promise<void>;
}
