/** What a reward model is: it is shown the events of a log, pass by pass, and predicts what arms pay in the contexts of others. */

import type { Carried } from '../archive.js';
import type { EventLog } from '../log/event-log.js';
import type { InputFile } from '../log/inputs.js';
import type { FoldBy } from './folds.js';

/** Predicted payoffs q̂(x_t, a) of the events of a batch. Not to be written to: the model may hand them on again. */
export interface Predictions {
  /**
   * q̂ in units of the payoff, [R, K] row-major, arms in the order of the log's. What stands for arms that are no candidates does
   * not matter, but is finite.
   */
  readonly values: Float64Array;
  /** R */
  readonly rows: number;
  /** Row of each event of the batch, [L]; `null`: event t has row t. */
  readonly row: Uint32Array | null;
}

/** A reward model as results hold it. */
export interface RewardModelDescription {
  readonly name: 'ridge' | 'logistic' | 'mean' | 'arm-features' | 'predictions';
  /** What it was fitted with, by name; of predictions from a file, what of it was read. */
  readonly parameters: Readonly<Record<string, number | string>>;
  /** `null`: predictions from a file. */
  readonly folds: { readonly count: number; readonly by: FoldBy } | null;
  /** Whether an event's payoff had no part in its own prediction; `null`: not checked. */
  readonly crossFitted: boolean | null;
  /** Times that the log was gone through to fit it. */
  readonly passes: number;
}

/** A model of the payoff, to be fitted to a log and asked about it. Carries its state: a run that is resumed goes on with it. */
export interface RewardModel extends Carried {
  /**
   * Takes the events of a pass, batch by batch, in the order of the log. What is fitted does not depend on how it is cut. Not to be
   * called where `fitted` is true from the start.
   *
   * @throws InputError for events that the model cannot be fitted to.
   */
  add(batch: EventLog): void;
  /** Ends a pass. @returns true: all events must be seen once more; false: it is fitted. @throws InputError */
  endPass(): boolean;
  readonly fitted: boolean;
  /** @throws RangeError before it is fitted; InputError where a prediction from a file cannot be used. */
  predict(batch: EventLog): Predictions;
  readonly description: RewardModelDescription;
  /** What a user of its predictions must be told, in whole sentences; known when it is fitted. */
  warnings(): string[];
  /** Bytes that it holds at most. */
  readonly held: number;
  /** Bytes that predictions take for each event of a batch, beside the 8·K of each of their rows. */
  readonly perEvent: number;
  /** Rows that predictions for all events have at most; infinite: a row for each event. */
  readonly rows: number;
  /** Files that it was read from; absent: none. */
  readonly inputs?: readonly InputFile[];
  /** Closes its files; absent: it has none. */
  close?(): void;
}
