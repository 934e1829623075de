/** Payoffs as integer steps (docs/architecture.md, rule 7). */

import type { PayoffColumn } from '../event-log.js';
import { u32Column } from './memory.js';
import { ScaleFinder, stepCounter } from './scale-finder.js';

export { findScale } from './scale-finder.js';

/** Distinct payoffs kept in a dictionary before raw values are cheaper. */
const MAX_DISTINCT = 65536;

/**
 * Collects payoffs in event order and packs them when all are known, without those that were taken as they are. All pushed
 * payoffs must be finite.
 */
export class PayoffPacker {
  /** Payoffs since the last `take`. */
  private count = 0;
  private readonly codes: Uint32Array;
  private readonly distinct: number[] = [];
  /** How often each was taken. */
  private readonly times: number[] = [];
  private readonly codeOf = new Map<number, number>();
  private raw: Float64Array | null = null;
  private readonly finder = new ScaleFinder();

  /** @param capacity the most payoffs that may be pushed between two calls of `take`. */
  constructor(private readonly capacity: number) {
    this.codes = u32Column(capacity);
  }

  push(payoff: number): void {
    const value = payoff + 0; // −0 becomes 0
    if (this.raw !== null) {
      this.raw[this.count++] = value;
      return;
    }
    // Clicks: two values, no map.
    if (value === this.distinct[0]) this.codes[this.count++] = 0;
    else if (value === this.distinct[1]) this.codes[this.count++] = 1;
    else this.pushOther(value);
  }

  private pushOther(value: number): void {
    let code = this.codeOf.get(value);
    if (code === undefined) {
      code = this.distinct.length;
      if (code === MAX_DISTINCT) {
        this.raw = new Float64Array(this.capacity);
        for (let i = 0; i < this.count; i++) this.raw[i] = this.distinct[this.codes[i]];
        this.raw[this.count++] = value;
        return;
      }
      this.codeOf.set(value, code);
      this.distinct.push(value);
      this.times.push(0);
    }
    this.codes[this.count++] = code;
  }

  /** The payoffs since the last call, as they are; valid until the next `push`. */
  take(): Float64Array {
    const { count, codes, distinct, times, raw } = this;
    this.count = 0;
    const taken = raw?.subarray(0, count) ?? new Float64Array(count);
    for (let i = 0; i < count; i++) {
      if (raw !== null) this.finder.push(taken[i]);
      else {
        taken[i] = distinct[codes[i]];
        times[codes[i]]++;
      }
    }
    return taken;
  }

  /** Packs the payoffs that were not taken. @param range the declared range, which the caller has checked every payoff against. */
  finish(range?: readonly [number, number]): PayoffColumn {
    const { count, codes, distinct, times, raw, finder } = this;
    const steps = codes.subarray(0, count);
    // Not with of: iterators of typed arrays are several times slower.
    if (raw === null) for (let i = 0; i < count; i++) times[codes[i]]++;
    else for (let i = 0; i < count; i++) finder.push(raw[i]);
    for (const [code, payoff] of distinct.entries()) if (times[code] > 0) finder.push(payoff, times[code]);
    const { basis, ...found } = finder.finish(range);
    const stepsOf = stepCounter(found.scale);
    if (raw === null) {
      const table = Uint32Array.from(distinct, stepsOf);
      for (let i = 0; i < count; i++) steps[i] = table[steps[i]];
    } else for (let i = 0; i < count; i++) steps[i] = stepsOf(raw[i]);
    return { steps, ...found, rangeBasis: basis };
  }
}
