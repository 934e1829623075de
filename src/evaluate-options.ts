/** What `evaluate` is asked for. */

import { z } from 'zod';
import type { DeviceChoice } from './engine/choose.js';
import { ESTIMATOR_NAMES } from './estimate/estimators/index.js';
import { ALL_INTERVALS, type AnyInterval } from './estimate/interval/choose-interval.js';
import type { EventLog } from './log/event-log.js';
import type { LogStream } from './log/stream.js';
import type { LogFiles } from './open/open.js';
import { type OptionShape, option } from './options/check-options.js';
import { RUN_OPTIONS, verifyShape } from './options/option-shapes.js';
import type { PolicyInput } from './policy/families.js';
import { REWARD_MODEL_OPTIONS } from './reward-model/options.js';
import type { BlockChoice } from './run/block-choice.js';
import type { EstimatorOptions } from './run/estimator-options.js';
import type { LevelOptions } from './run/levels/level-choice.js';
import { SELECTION_OPTIONS, type SelectionOptions } from './run/selection.js';
import { SEQUENCE_OPTIONS, type SequenceOptions } from './run/sequence-options.js';

/** What is evaluated on which log, and how. */
export interface EvaluateOptions extends EstimatorOptions, SelectionOptions, LevelOptions, SequenceOptions {
  /** An event log, a stream of one, or the files to read it from (Node only). */
  log: EventLog | LogFiles | LogStream;
  /** A policy set: path of its JSON file (Node only), or entries. */
  policies: string | readonly PolicyInput[];
  /** `auto` (default): a GPU where there is one that is not software, else the CPU. */
  device?: DeviceChoice;
  /** Part of an adapter's name; `swiftshader` for the one from npm. */
  adapter?: string;
  /** A device of your own; it is not destroyed. */
  gpuDevice?: GPUDevice;
  /** CPU threads; default: one per core. */
  threads?: number;
  /** T: Algorithm 1 of replay, the first T valid events of each policy. Default: Algorithm 2, the whole log. */
  validEvents?: number;
  /**
   * Name of an interval. Default: of replay `wilson` for 0/1 payoffs, else `empirical-bernstein`; of others
   * `effective-clopper-pearson`, of cressie-read `bootstrap`.
   */
  interval?: AnyInterval;
  /** Level of the intervals, in (0, 1); default 0.95. */
  confidence?: number;
  /** Runs of events (a number; default 256, and 64 without bands), runs of so many events each, a period in milliseconds, or groups of users. */
  blocks?: BlockChoice;
  /** Put statistics per block into the result. */
  blockStatistics?: boolean;
  /** Replay although the log does not look uniform; recorded in the result. */
  assumeUniform?: boolean;
  /**
   * Where the log has no propensities: key columns by which the logging policy went. Propensities are then the shares of arms where
   * candidates and these are the same; the result says so. `estimators` that need none do without.
   */
  estimatePropensities?: readonly string[];
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
   * Decide every policy (`true`), or so many, once more by the CPU reference; any difference is an error. `false` and default:
   * none, as engines agree to the last bit.
   */
  verify?: boolean | number;
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
   * interrupted run of the same policies on the same log goes on from there, to the same result.
   */
  resume?: string;
  /** Seconds between two writes of it; default 30. */
  checkpointEvery?: number;
  /** Leave that file when the result is there, and delete it yourself once the result is safe. */
  keepCheckpoint?: boolean;
  /** Told now and then how far the work is. */
  onProgress?: (progress: EvaluateProgress) => void;
  /** Ends the run where it is aborted: the promise rejects with the reason of the signal. */
  signal?: AbortSignal;
}

export const EVALUATE_OPTIONS: OptionShape<EvaluateOptions> = {
  log: option.elsewhere,
  policies: option.elsewhere,
  ...RUN_OPTIONS,
  ...REWARD_MODEL_OPTIONS,
  ...SEQUENCE_OPTIONS,
  // Names are looked up where they are used, in a list as by themselves.
  estimators: z.union([option.text, option.names], {
    error: `one of ${ESTIMATOR_NAMES.join(', ')}, or a list of them`,
  }),
  estimatePropensities: option.names,
  clip: option.elsewhere,
  switch: option.number,
  shrinkage: option.number,
  interval: option.oneOf(...ALL_INTERVALS),
  ...SELECTION_OPTIONS,
  by: option.names,
  selectOn: z.union([option.number, z.literal('days'), z.strictObject({ blocks: option.whole(1) })], {
    error: 'a share of the events, above 0 and below 1; days; or { blocks }, a whole number of at least 1',
  }),
  selectTop: option.whole(1),
  verify: verifyShape('policies'),
};

/** How far an evaluation is. */
export interface EvaluateProgress {
  /** Reading the log, or deciding for policies. */
  phase: 'load' | 'evaluate';
  /** Rows read; decisions (policies × events) made. */
  done: number;
  /** `done` at the end of the phase; `null`: not known yet. */
  total: number | null;
}
