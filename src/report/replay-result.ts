/** The versioned result of a replay of learners: what the JSON file holds, word for word. */

import type { EngineReport } from '../engine/contract.js';
import type { Verification } from '../engine/verify/learners.js';
import type { PolicyStanding, Selection } from '../estimate/selection/select.js';
import type { Scaling } from '../learner/scaling.js';
import type { AlgorithmInput } from '../learner/set/learner-set.js';
import type { InputFile } from '../log/inputs.js';
import type { LoggedValue } from '../run/selection.js';
import type { BlockRows, BlocksDescription } from './block-rows.js';
import type { LogDescription, UniformityDescription } from './result.js';

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
export const REPLAY_VERSION = 1;

/** One replica of one learner. */
export interface ReplicaResult {
  /** Number of the replica: with the seed, the counter of its draws. */
  replica: number;
  /** Seed of its draws. */
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
export interface LearnerResult extends Partial<PolicyStanding> {
  /** Position among the settings, 0-based, grids unfolded. */
  index: number;
  /** Unique among the learners of the result. */
  name: string;
  /** Name in the table of algorithms; `custom` for an object from code. */
  algorithm: AlgorithmInput['algorithm'] | 'custom';
  /** Parameters of this setting, defaults filled in. */
  parameters: Record<string, unknown>;
  /** Mean of the per-trial payoff ĝ over replicas; `null` where none retained an event. */
  mean: number | null;
  /** Standard deviation of ĝ over replicas, divisor n − 1; `null` for one. */
  std: number | null;
  /** Smallest ĝ of a replica; `null` where none retained an event. */
  min: number | null;
  /** Largest ĝ of a replica; `null` where none retained an event. */
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
  /** Replicas that retained nothing. */
  empty: number;
  /**
   * Its replicas differ by more than the events that they met explain: what it learns hangs on what it happens to see first. `null`:
   * they are fewer than ten, or one and the same, and cannot tell.
   */
  runsDiffer: boolean | null;
  /**
   * Of learners whose decisions depend on arithmetic that may fail: how it went, counts summed over replicas and sizes the
   * largest of any; `null`: not finite. `linucb`, `linucb-hybrid`, `lin-thompson`: of the equations Aθ = b of an arm at the end
   * the largest `condition` number ‖A‖ ‖A⁻¹‖ (column sums, estimated) and `residual` ‖Aθ − b‖ / (‖A‖ ‖θ‖ + ‖b‖), which learners that
   * learn from all events do not have on a GPU. `glm-ucb`: `fits` of θ̂, those `notConverged`, retained events at which rounding of a
   * converged fit leaves the click rate `doubtful` (beyond 1e-7), the largest Newton `decrement` with which a fit ended
   * (converged: at most 1e-8), and the largest penalised `loss` (−ln likelihood + λ‖θ‖²/2) of an arm at the end.
   * `cemp`: its `steps`, and those that `overshot`. Ridge regressions: `condition` of the worst matrix A at the end, ‖A‖ ‖A⁻¹‖,
   * and, where b is known, the largest `residual` ‖Aθ − b‖ / (‖A‖ ‖θ‖ + ‖b‖). `linrel`: largest error of an eigenvalue.
   */
  numerics?: Record<string, number | null>;
  /** On request. */
  replicas?: ReplicaResult[];
}

/** What replays of learners on a log came to. */
export interface ReplayResult {
  /** Version of hindcast. */
  hindcast: string;
  /** Version of the layout of the result. */
  version: typeof REPLAY_VERSION;
  /** Of results of the command line: the line that makes it again, of the same files. */
  command?: string;
  /** The log. */
  log: LogDescription;
  /** As in the result of an evaluation. */
  inputs: InputFile[];
  /** How logging was found to be uniform. */
  uniformity: UniformityDescription;
  /** Algorithm of the paper, and T of Algorithm 1. */
  estimator: { name: 'replay'; algorithm: 1 | 2; validEvents: number | null };
  /** Rules of the replay. */
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
  /**
   * With `scale` alone: what each column of contexts, in the order of a learner's θ, and of arm features was made of before the
   * first event, (x − offset) / divisor with numbers of the whole log, which looks ahead of every event but the last. A learner
   * that goes live needs the same of its contexts.
   */
  scale?: Scaling;
  /** What intervals are, and their level. */
  interval: { method: 'student-t'; confidence: number };
  /** What the policy that logged the events earned per event. */
  logged: LoggedValue;
  /**
   * What holds for all learners at once, by pairs of neighbouring blocks (`blocks` counts these): of what the decisions of these runs were
   * worth. What other runs would have learned from another log is in no block; see `runsDiffer`. `null`: nothing was to be said.
   */
  selection: Selection | null;
  /** Blocks of events that statistics were kept of. */
  blocks: BlocksDescription;
  /** `verified`: what verification saw, `null` where there was none. Results that failed it are in here all the same. */
  engine: EngineReport & { fallback: string | null; verified: Verification | null };
  /** What a reader of the result must be told, in whole sentences. */
  warnings: string[];
  /** In the order of the learners, grids unfolded. */
  learners: LearnerResult[];
}
