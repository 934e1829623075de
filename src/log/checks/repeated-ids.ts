/** Events whose id was there before, as retries and files that overlap have it: what is told of them. */

import type { FirstSeen } from '../build/seen-ids.js';

export class RepeatedIds {
  private count = 0;
  private conflicts = 0;
  private first = '';

  /** @param what what an id is called. @param content what is compared of events with one id. */
  constructor(
    private readonly what: string,
    private readonly content: string,
  ) {}

  /** The event that had the id before, in words. */
  describe(before: FirstSeen, content: number): string {
    const other = before.content === content ? `the same ${this.content}` : `other ${this.content}`;
    return `that of row ${before.row} of all files, which has ${other}`;
  }

  /** An event counts again. @param place where it is, for a message. */
  take(place: () => string, before: FirstSeen, content: number): void {
    if (this.count++ === 0) this.first = `${place()}, ${this.describe(before, content)}`;
    if (before.content !== content) this.conflicts++;
  }

  warnings(): string[] {
    const { count, conflicts, first, what, content } = this;
    if (count === 0) return [];
    const number = (n: number): string => n.toLocaleString('en');
    const events = count === 1 ? '1 event has' : `${number(count)} events have`;
    const differ =
      conflicts === 0 ? 'all with' : `${number(conflicts)} of them with other ${content} than before, the rest with`;
    return [
      `${events} ${what} that was there before and ${count === 1 ? 'counts' : 'count'} again, ${conflicts === count ? `with other ${content} than before` : `${differ} the same ${content}`}; the first is ${first}; --drop-repeated-events (in code: dropRepeatedEvents) leaves them out`,
    ];
  }
}
