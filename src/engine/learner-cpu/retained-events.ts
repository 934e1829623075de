/** Log indices of the events that one replica retained, in a list that grows. */

import type { Archive, Carried } from '../../archive.js';
import { GrowingU32 } from '../../log/build/growing.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReplayWork } from '../learner-contract.js';

/** Lists of source rows beside those of events, where a log that comes in batches has its own numbers for events. */
export function rowLists({ head, keep, whole, replicas }: ReplayWork): RetainedEvents[] | null {
  const needed = !whole && head.sourceRow !== null && keep.retainedOf === 'all';
  return needed ? replicas.map(() => new RetainedEvents()) : null;
}

/** Source rows of events of the whole log, all of them in a batch. */
export function sourceRowsOf({ sourceRow, firstEvent = 0 }: EventLog, events: Uint32Array): Uint32Array {
  return sourceRow === null ? events : events.map((event) => sourceRow[event - firstEvent]);
}

export class RetainedEvents implements Carried {
  private readonly list = new GrowingU32(16);

  add(event: number): void {
    this.list.push(event);
  }

  addAll(events: Uint32Array): void {
    this.list.pushAll(events);
  }

  events(): Uint32Array {
    return this.list.view().slice();
  }

  carry(archive: Archive): void {
    const events = archive.list(this.list.view());
    if (!archive.reading) return;
    this.list.take();
    this.list.pushAll(events);
  }
}
