/** Log indices of the events that one replica retained, in a list that grows. */

import type { Archive, Carried } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReplayWork } from '../learner-contract.js';

/** Lists of source rows beside those of events, where a log that comes in stretches has its own numbers for events. */
export function rowLists({ head, keep, whole, replicas }: ReplayWork): RetainedEvents[] | null {
  const needed = !whole && head.sourceRow !== null && keep.retainedOf === 'all';
  return needed ? replicas.map(() => new RetainedEvents()) : null;
}

/** Source rows of events of the whole log, all of them in a stretch. */
export function sourceRowsOf({ sourceRow, firstEvent = 0 }: EventLog, events: Uint32Array): Uint32Array {
  return sourceRow === null ? events : events.map((event) => sourceRow[event - firstEvent]);
}

export class RetainedEvents implements Carried {
  private list = new Uint32Array(16);
  private length = 0;

  add(event: number): void {
    if (this.length === this.list.length) this.grow(2 * this.length);
    this.list[this.length++] = event;
  }

  addAll(events: Uint32Array): void {
    const length = this.length + events.length;
    if (length > this.list.length) this.grow(Math.max(2 * this.list.length, length));
    this.list.set(events, this.length);
    this.length = length;
  }

  private grow(length: number): void {
    const longer = new Uint32Array(length);
    longer.set(this.list);
    this.list = longer;
  }

  events(): Uint32Array {
    return this.list.slice(0, this.length);
  }

  carry(archive: Archive): void {
    const list = archive.list(this.list.subarray(0, this.length));
    if (!archive.reading) return;
    this.length = 0;
    this.addAll(list);
  }
}
