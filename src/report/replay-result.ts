/** The versioned result of a replay of learners: what the JSON file holds, word for word. */

import type { EngineReport } from '../run/backend.js';
import type { Verification } from '../run/replay-verify.js';
import type { BlockRows } from './block-rows.js';
import type { LogDescription, UniformityDescription } from './result.js';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
export const REPLAY_VERSION = 1;

/** One replica of one learner. */
export interface ReplicaResult {
  /** Number of the replica: with the seed, the counter of its draws. */
  replica: number;
  seed: number;
  /** T, the retained events. */
  matches: number;
  /** Ĝ, the total payoff of retained events, in payoff units. */
  payoff: number;
  /** ĝ = Ĝ / T; `null` where T = 0. */
  value: number | null;
  /** Algorithm 1 only: L, the events of the subsample consumed until the T-th match (or all of them). */
  consumed?: number;
  /** Algorithm 1 only: false where the log ended before T matches. */
  complete?: boolean;
  /** Source rows of the retained events: 0-based over all files, before `where`. */
  retained?: number[];
  /** On request: statistics per block, in payoff units. */
  blocks?: BlockRows;
  /** On request: what the learner knew at the end. */
  state?: Record<string, unknown>;
}

/** One learner with one setting: what its replicas say. */
export interface LearnerResult {
  /** Position among the settings, 0-based, grids unfolded. */
  index: number;
  name: string;
  /** Name in the table of algorithms; `custom` for an object from code. */
  algorithm: string;
  /** Parameters of this setting, defaults filled in. */
  parameters: Record<string, unknown>;
  /** Mean of the per-trial payoff ĝ over replicas; `null` where none retained an event. */
  mean: number | null;
  /** Standard deviation of ĝ over replicas, divisor n − 1; `null` for one. */
  std: number | null;
  min: number | null;
  max: number | null;
  /** Mean number of valid events of a replica. */
  matches: number;
  /**
   * Student's t interval of `mean` over replicas, which share the log: it says how well the mean over seeds and subsamples
   * of this log is known, not how another log would differ. `null` for one replica, or where all are one and the same.
   */
  interval: [number, number] | null;
  /** Replicas with an estimate, and replicas without, which retained nothing. */
  estimates: number;
  empty: number;
  /**
   * Of learners whose decisions depend on arithmetic that may fail: how it went, counts summed over replicas and sizes the
   * largest of any; `null`: not finite. `glm-ucb`: `fits` of θ̂, those `notConverged`, retained events at which rounding of a
   * converged fit leaves the click rate `doubtful` (beyond 1e-7), the largest Newton `decrement` with which a fit ended
   * (converged: at most 1e-8), and the largest penalised `loss` (−ln likelihood + λ‖θ‖²/2) of an arm at the end.
   * `cemp`: its `steps`, and those that `overshot`.
   */
  numerics?: Record<string, number | null>;
  /** On request. */
  replicas?: ReplicaResult[];
}

export interface ReplayResult {
  hindcast: string;
  version: typeof REPLAY_VERSION;
  log: LogDescription;
  uniformity: UniformityDescription;
  estimator: { name: 'replay'; algorithm: 1 | 2; validEvents: number | null };
  replay: {
    /** Replicas of each setting. */
    repeats: number;
    /** p: an event is in a replica with this probability. */
    subsample: number;
    /** Seed of every draw. */
    seed: number;
    /** Decisions are frozen for this many events, or this period in milliseconds; `null`: learnt at once. */
    updateEvery: number | { period: number } | null;
    /** Events of the subsample that learners learn from; payoffs count on retained ones either way. */
    learnFrom: 'retained' | 'all';
  };
  interval: { method: 'student-t'; confidence: number };
  blocks: { count: number; kind: string; events?: number[]; labels?: string[] };
  /** `verified`: what verification saw, `null` where there was none. Results that failed it are in here all the same. */
  engine: EngineReport & { fallback: string | null; verified: Verification | null };
  warnings: string[];
  /** In the order of the learners, grids unfolded. */
  learners: LearnerResult[];
}
