/**
 * A log that is read batch by batch: what larger-than-memory evaluation consumes. Every batch is an event log with
 * the whole log's dictionaries, so that arm indices, pools, levels, payoff steps and weights mean the same in each.
 */

import type { EventLog } from './event-log.js';

/**
 * What a batch is read for. `count`: all but payoffs; a stream that saves by it may leave payoff steps and source rows
 * empty.
 */
export type ReadNeed = 'all' | 'count';

/** A log that is read batch by batch. */
export interface LogStream {
  /**
   * The whole log without its events: `events` is 0 and per-event columns are empty (`null` where the log has none), while
   * arms, pools, context columns, payoff scale with `maxSteps`, key levels, arm features and source are those of the whole.
   */
  readonly head: EventLog;
  /** L of the whole log. */
  readonly events: number;
  /** Bytes that an event of a batch takes in memory, about. */
  readonly bytesPerEvent: number;
  /**
   * What tells the log from every other, where that is known without reading it: checksums of all that its files hold, in
   * order. A run is resumed on the log that it was begun on; without this, all events are gone through to tell.
   */
  readonly identity?: readonly string[];
  /**
   * Events [from, to) with `firstEvent` = from; `pools`, levels and dictionaries are the very objects of `head`.
   * @throws InputError where the file has changed or cannot be read.
   */
  read(from: number, to: number, signal?: AbortSignal, need?: ReadNeed): Promise<EventLog>;
  /** Closes files. */
  close(): Promise<void>;
}
