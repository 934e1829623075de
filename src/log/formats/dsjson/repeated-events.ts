/** Events that come again: the same EventId, as retries and files that overlap have it. */

import type { Fault } from '../../../errors.js';
import { SeenIds } from '../../seen-ids.js';
import type { EventPlace } from '../decisions/collector.js';
import type { JsonObject } from './json.js';

export class RepeatedEvents {
  private readonly ids = new SeenIds();
  private count = 0;
  private first = '';

  /** What to say of an event that was there before; `null`: it was not, or has no id. */
  fault({ EventId: id }: JsonObject): Fault | null {
    const before = typeof id === 'string' && id !== '' ? this.ids.find(id) : null;
    if (before === null) return null;
    return {
      problem: 'EventId is repeated',
      path: 'EventId',
      got: `${JSON.stringify(id).slice(0, 80)}, that of row ${before} of all files`,
      needed: 'an event once',
    };
  }

  /** Takes an event of the log. */
  take(event: JsonObject, { file, row, line }: EventPlace, fault: Fault | null): void {
    if (typeof event.EventId === 'string' && fault === null) this.ids.add(event.EventId, row);
    if (fault === null) return;
    if (this.count++ === 0) this.first = `${file}, line ${line}: ${fault.got}`;
  }

  warnings(): string[] {
    const { count, first } = this;
    if (count === 0) return [];
    const events = count === 1 ? '1 event has' : `${count.toLocaleString('en')} events have`;
    return [
      `${events} an EventId that was there before and count again; the first is ${first}; --drop-repeated-events (in code: dropRepeatedEvents) leaves them out`,
    ];
  }
}
