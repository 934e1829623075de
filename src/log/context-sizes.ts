/** How large contexts are, for those who compute with them. */

import type { Archive, Carried } from '../archive.js';
import type { ContextSizes, ContextTable, EventLog } from './event-log.js';
import type { LogStream } from './stream.js';

const known = new WeakMap<ContextTable, ContextSizes>();

/** Those of the whole log; of a log that does not say, found once. */
export function contextSizes(log: EventLog): ContextSizes {
  const { contexts } = log;
  let sizes = contexts.sizes ?? known.get(contexts);
  if (sizes === undefined) {
    sizes = new ContextSurvey(log).add(log).sizes();
    known.set(contexts, sizes);
  }
  return sizes;
}

/** A stream whose batches say how large the contexts of the whole log are. */
export function withSizes(stream: LogStream, sizes: ContextSizes): LogStream {
  const say = (log: EventLog): EventLog => ({ ...log, contexts: { ...log.contexts, sizes } });
  return {
    head: say(stream.head),
    events: stream.events,
    bytesPerEvent: stream.bytesPerEvent,
    identity: stream.identity,
    read: async (...batch) => say(await stream.read(...batch)),
    close: () => stream.close(),
  };
}

/** Goes through the contexts of a log batch by batch. What it finds does not depend on the batches. */
export class ContextSurvey implements Carried {
  private readonly largest: Float64Array;
  private readonly armEvents: Float64Array;
  /** A table that was gone through: batches share it. */
  private table: ContextTable['values'] | null = null;

  constructor(head: EventLog) {
    this.largest = new Float64Array(head.contexts.dimension);
    this.armEvents = new Float64Array(head.arms.ids.length);
  }

  add({ events, arm, contexts }: EventLog): this {
    const { largest, armEvents } = this;
    const { values, row, dimension } = contexts;
    for (let t = 0; t < events; t++) armEvents[arm[t]]++;
    if (row !== null && values === this.table) return this;
    this.table = values;
    const length = row === null ? events * dimension : values.length;
    for (let j = 0; j < dimension; j++) {
      let most = largest[j];
      for (let i = j; i < length; i += dimension) {
        const size = Math.abs(values[i]);
        if (size > most) most = size;
      }
      largest[j] = most;
    }
    return this;
  }

  sizes(): ContextSizes {
    return { largest: this.largest, rows: this.armEvents.reduce((most, n) => Math.max(most, n), 0) };
  }

  carry(archive: Archive): void {
    archive.array(this.largest);
    archive.array(this.armEvents);
  }
}
