/** Events that are kept until all are known. */

import { GrowingF64, GrowingU32 } from '../../log/build/growing.js';
import { WordInterner } from '../../log/build/interner.js';
import { PayoffPacker } from '../../log/build/payoff.js';
import type { DecidedEvent, EventTaker } from './taken-events.js';

export class KeptEvents implements EventTaker {
  /** Distinct contexts: features in steps of three words. */
  readonly contexts = new WordInterner();
  readonly contextOf = new GrowingU32();
  readonly armOf = new GrowingU32();
  readonly poolOf = new GrowingU32();
  readonly payoff = new GrowingF64();
  readonly propensity = new GrowingF64();
  readonly time = new GrowingF64();
  readonly rowOf = new GrowingU32();
  /** Events with a time. */
  timed = 0;

  get events(): number {
    return this.armOf.length;
  }

  take({ context, arm, pool, payoff, propensity, time, row }: DecidedEvent): void {
    this.contextOf.push(this.contexts.intern(context, 0, context.length));
    this.armOf.push(arm);
    this.poolOf.push(pool);
    this.payoff.push(payoff);
    this.propensity.push(propensity);
    if (time !== null) this.timed++;
    this.time.push(time ?? Number.NaN);
    this.rowOf.push(row);
  }

  /** The payoffs, packed. @param range the declared one. */
  payoffs(range: readonly [number, number] | undefined) {
    const packer = new PayoffPacker(this.events);
    for (let t = 0; t < this.events; t++) packer.push(this.payoff.at(t));
    return packer.finish(range);
  }
}
