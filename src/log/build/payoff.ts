/** Payoffs as integer steps (docs/architecture.md, rule 7). */

import type { PayoffColumn } from '../event-log.js';
import { f64Column, u32Column } from './memory.js';
import { findScale, ScaleFinder, stepCounter } from './scale-finder.js';

export { findScale } from './scale-finder.js';

/** Distinct payoffs kept in a dictionary before raw values are cheaper. */
const MAX_DISTINCT = 65536;

/** Collects payoffs in event order and packs them when all are known. All pushed payoffs must be finite. */
export class PayoffPacker {
  private count = 0;
  private readonly codes: Uint32Array;
  private readonly distinct: number[] = [];
  private readonly codeOf = new Map<number, number>();
  private raw: Float64Array | null = null;

  /** @param capacity the most payoffs that may be pushed. */
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
    }
    this.codes[this.count++] = code;
  }

  /** Packs the payoffs. @param range the declared range, which the caller has checked every payoff against. */
  finish(range?: readonly [number, number]): PayoffColumn {
    const values = this.raw === null ? Float64Array.from(this.distinct) : this.raw.subarray(0, this.count);
    const steps = this.codes.subarray(0, this.count);
    let times: Float64Array | undefined;
    if (this.raw === null) {
      times = new Float64Array(values.length);
      for (const code of steps) times[code]++;
    }
    const { scale, basis, rounding } = findScale(values, range, times);
    let maxSteps = 0;
    const stepsOfValue = stepCounter(scale);
    if (this.raw === null) {
      const table = Uint32Array.from(values, stepsOfValue);
      for (let i = 0; i < steps.length; i++) steps[i] = table[steps[i]];
      maxSteps = table.reduce((a, b) => Math.max(a, b), 0);
    } else {
      for (let i = 0; i < steps.length; i++) {
        const k = stepsOfValue(values[i]);
        steps[i] = k;
        if (k > maxSteps) maxSteps = k;
      }
    }
    return { steps, maxSteps, scale, rangeBasis: basis, ...(rounding === undefined ? {} : { rounding }) };
  }
}

/** Payoffs as they are, a stretch at a time: their scale is known at the end. */
export class RawPayoffs {
  private readonly values: Float64Array;
  private readonly finder = new ScaleFinder();
  private count = 0;

  /** @param capacity the most payoffs between two calls of `take`. */
  constructor(capacity: number) {
    this.values = f64Column(capacity);
  }

  push(payoff: number): void {
    const value = payoff + 0; // −0 becomes 0
    this.values[this.count++] = value;
    this.finder.push(value);
  }

  /** The payoffs since the last call; valid until the next `push`. */
  take(): Float64Array {
    const taken = this.values.subarray(0, this.count);
    this.count = 0;
    return taken;
  }

  /** The column without its events, all of which were taken. */
  finish(range?: readonly [number, number]): PayoffColumn {
    const { basis, ...found } = this.finder.finish(range);
    return { steps: u32Column(0), ...found, rangeBasis: basis };
  }
}
