/** Writes an event log as a packed log. */

import type { FileHandle } from 'node:fs/promises';
import { type BatchLayout, referTo } from '../log/batch.js';
import type { EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import { PackedWriter, payoffsOf } from './writer.js';

export interface WriteOptions {
  /** Events per row group, which are decoded at once; default: up to 65,536, fewer where events are large. */
  readonly groupEvents?: number;
  /** Told after every row group: events written so far, and of how many. */
  readonly onEvents?: (events: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Writes a log to a file that is open for writing and empty, row group by row group. */
export async function writePacked(stream: LogStream, handle: FileHandle, options: WriteOptions = {}): Promise<void> {
  const { head, events } = stream;
  const layout = layoutFor(head);
  const writer = new PackedWriter(handle, layout, options.groupEvents);
  for (let from = 0; from < events; from += writer.groupEvents) {
    const to = Math.min(events, from + writer.groupEvents);
    const batch = await stream.read(from, to, options.signal);
    await writer.append({
      events: to - from,
      arm: batch.arm,
      payoff: payoffsOf(batch.payoff.steps, batch.payoff),
      steps: batch.payoff.steps,
      propensity: batch.propensity,
      time: batch.time,
      pool: batch.pools.pool,
      sourceRow: batch.sourceRow,
      user: batch.user?.code ?? null,
      keys: [...batch.keys.values()].map(({ code }) => code),
      context: batch.contexts.values,
      contextRow: batch.contexts.row,
    });
    options.onEvents?.(to, events);
  }
  options.signal?.throwIfAborted();
  await writer.finish(head);
}

/** The columns that a log needs. */
function layoutFor(head: EventLog): BatchLayout {
  return {
    arms: referTo(head.arms.ids),
    // Rounded steps do not always follow from the payoff that they stand for.
    steps: head.payoff.scale.rounded,
    propensity: head.propensity !== null,
    time: head.time !== null,
    pool: head.pools.pool !== null,
    sourceRow: head.sourceRow !== null,
    user: head.user === null ? null : referTo(head.user.levels),
    keys: [...head.keys].map(([name, { levels }]) => ({ name, ...referTo(levels) })),
    contexts: {
      table: head.contexts.row !== null,
      values: head.contexts.values instanceof Float32Array ? 'f32' : 'f64',
      columns: head.contexts.columns,
    },
  };
}
