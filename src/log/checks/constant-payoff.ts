/** A payoff that is the same at every event: most likely another column was taken for it, such as a uniform propensity. */

import type { Archive, Carried } from '../../archive.js';
import { totalPayoff } from '../../estimate/sums/payoff-scale.js';
import { plural } from '../../words.js';
import type { EventLog } from '../event-log.js';

/** Events below which a payoff may well be always the same. */
const FEWEST = 50;

export class ConstantPayoff implements Carried {
  private events = 0;
  /** Steps of the first event, and the most that any event is off from them. */
  private first = 0;
  private off = 0;

  /** @param head the log, or its head. */
  constructor(private readonly head: EventLog) {}

  /** Payoffs make no difference any more. */
  get decided(): boolean {
    return this.off > 0;
  }

  add({ events, payoff: { steps } }: EventLog): this {
    if (this.decided || events === 0) return this;
    if (this.events === 0) this.first = steps[0];
    this.events += events;
    for (let t = 0; t < events && this.off === 0; t++) this.off = Math.abs(steps[t] - this.first);
    return this;
  }

  /** That nothing was earned anywhere is no other column's doing, and every value says it. */
  warnings(): string[] {
    const value = totalPayoff(this.head.payoff.scale, 1, this.first);
    if (this.decided || this.events < FEWEST || value === 0) return [];
    const column = this.head.source.columns?.payoff;
    return [
      `the payoff${column === undefined ? '' : ` (column ${JSON.stringify(column)})`} is ${Number(value.toPrecision(6))} at each of ${plural(this.events, 'event')}: is it really what was earned? By this payoff no policy differs from another`,
    ];
  }

  carry(archive: Archive): void {
    this.events = archive.number(this.events);
    this.first = archive.number(this.first);
    this.off = archive.number(this.off);
  }
}
