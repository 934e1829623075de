/** What `replay` is asked for. */

import type { DeviceChoice } from './engine/choose.js';
import type { UpdateEvery } from './engine/learner-contract.js';
import { SCALE_METHODS, type ScaleMethod } from './learner/scaling.js';
import { type OptionShape, option } from './options/check-options.js';
import { RUN_OPTIONS, verifyShape } from './options/option-shapes.js';
import type { BlockChoice } from './run/block-choice.js';
import { SELECTION_OPTIONS, type SelectionOptions } from './run/selection.js';

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

export const REPLAY_OPTIONS: OptionShape<ReplayOptions> = {
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
