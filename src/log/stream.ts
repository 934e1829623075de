/**
 * A log that is read stretch by stretch: what larger-than-memory evaluation consumes. Every stretch is an event log with
 * the whole log's dictionaries, so that arm indices, pools, levels, payoff steps and weights mean the same in each.
 */

import type { EventLog } from './event-log.js';

export interface LogStream {
  /**
   * The whole log without its events: `events` is 0 and per-event columns are empty (`null` where the log has none), while
   * arms, pools, context columns, payoff scale with `maxSteps`, key levels, arm features and source are those of the whole.
   */
  readonly head: EventLog;
  /** L of the whole log. */
  readonly events: number;
  /** Bytes that an event of a stretch takes in memory, about. */
  readonly bytesPerEvent: number;
  /**
   * Of a log of several files: what tells one from the other, in order. Logs may share all tables and the first events, and
   * a run is resumed on the log that it was begun on.
   */
  readonly identity?: readonly string[];
  /**
   * Events [from, to) with `firstEvent` = from; `pools`, levels and dictionaries are the very objects of `head`.
   * @throws InputError where the file has changed or cannot be read.
   */
  read(from: number, to: number, signal?: AbortSignal): Promise<EventLog>;
  close(): Promise<void>;
}
