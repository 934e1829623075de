/** First and last time of a log, and whether it is sorted; stretch by stretch. */

import type { Archive, Carried } from '../archive.js';
import type { EventLog } from './event-log.js';

export class TimeSpan implements Carried {
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  /** No event is before the one before it. */
  sorted = true;
  private previous = Number.NEGATIVE_INFINITY;

  add({ time }: Pick<EventLog, 'time'>): this {
    if (time === null) return this;
    for (const t of time) {
      if (t < this.first) this.first = t;
      if (t > this.last) this.last = t;
      if (t < this.previous) this.sorted = false;
      this.previous = t;
    }
    return this;
  }

  /** No event had a time. */
  get empty(): boolean {
    return this.last < this.first;
  }

  carry(archive: Archive): void {
    this.first = archive.number(this.first);
    this.last = archive.number(this.last);
    this.sorted = archive.flag(this.sorted);
    this.previous = archive.number(this.previous);
  }
}
