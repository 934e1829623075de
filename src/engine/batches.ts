/** A log batch by batch, the next one read while the last one is worked on. */

import type { EventLog } from '../log/event-log.js';
import type { LogStream, ReadNeed } from '../log/stream.js';
import { collectGarbage } from './collect.js';

export interface BatchOptions {
  /** First event; default 0. */
  readonly from?: number;
  /** Event behind the last; default: all of the log. */
  readonly to?: number;
  /** Memory is bounded: batches that are done with are collected at once. */
  readonly bounded?: boolean;
  /** Asked for every batch that is read. Default: all. */
  readonly need?: () => ReadNeed;
  readonly signal?: AbortSignal;
}

/**
 * Batches of `size` events from `from` on; a single empty one of a log without events. Two are in memory at a time.
 *
 * @throws what the stream throws; the signal's reason where it is aborted.
 */
export async function* batches(
  stream: LogStream,
  size: number,
  { from = 0, to, bounded = false, need, signal }: BatchOptions = {},
): AsyncGenerator<EventLog> {
  const events = to ?? stream.events;
  const start = (first: number): Promise<EventLog> => {
    const reading = stream.read(first, Math.min(events, first + size), signal, need?.());
    // Awaited below; until then a failure must not count as unhandled.
    reading.catch(() => {});
    return reading;
  };
  if (from >= events && events > 0) return;
  let ahead: Promise<EventLog> | null = start(from);
  try {
    for (let next = from + size; ahead !== null; next += size) {
      const batch: EventLog = await ahead;
      if (bounded) collectGarbage();
      ahead = next < events ? start(next) : null;
      yield batch;
      signal?.throwIfAborted();
    }
  } finally {
    // The stream may be closed when this returns.
    await ahead?.catch(() => {});
  }
}
