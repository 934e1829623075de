/** First and last time of a log, and whether it is sorted; batch by batch. */

import type { Archive, Carried } from '../../archive.js';
import type { EventLog } from '../event-log.js';

export class TimeSpan implements Carried {
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  /** Events that are before the one that they follow. */
  inversions = 0;
  /** The first of them: which event of those added, its time and that of the one before. */
  inversion = { event: -1, time: 0, before: 0 };
  /** Most milliseconds from an event back to the next. */
  furthest = 0;
  private events = 0;
  private previous = Number.NEGATIVE_INFINITY;

  add({ time }: Pick<EventLog, 'time'>): this {
    if (time === null) return this;
    for (const t of time) {
      if (t < this.first) this.first = t;
      if (t > this.last) this.last = t;
      if (t < this.previous) {
        if (this.inversions++ === 0) this.inversion = { event: this.events, time: t, before: this.previous };
        this.furthest = Math.max(this.furthest, this.previous - t);
      }
      this.previous = t;
      this.events++;
    }
    return this;
  }

  /** No event is before the one before it. */
  get sorted(): boolean {
    return this.inversions === 0;
  }

  /** No event had a time. */
  get empty(): boolean {
    return this.last < this.first;
  }

  carry(archive: Archive): void {
    this.first = archive.number(this.first);
    this.last = archive.number(this.last);
    this.inversions = archive.number(this.inversions);
    const { event, time, before } = this.inversion;
    this.inversion = { event: archive.number(event), time: archive.number(time), before: archive.number(before) };
    this.furthest = archive.number(this.furthest);
    this.events = archive.number(this.events);
    this.previous = archive.number(this.previous);
  }
}
