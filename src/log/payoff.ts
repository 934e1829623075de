/** Payoffs as integer steps (DESIGN §3: payoffs are integers inside). */

import { basePayoff, type PayoffScale } from '../estimate/payoff-scale.js';
import type { PayoffColumn } from './event-log.js';
import { u32Column } from './memory.js';

const U32 = 4294967296;

/** Distinct payoffs kept in a dictionary before raw values are cheaper. */
const MAX_DISTINCT = 65536;

/**
 * Denominators tried, smallest first: halves, thirds, … as ratings use them, powers of two (every f32 in [0, 1] above
 * 2⁻⁸ or so is one of 2³² steps), powers of ten (money).
 */
const DENOMINATORS: readonly number[] = [
  ...new Set([
    ...[1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 50],
    ...Array.from({ length: 33 }, (_, i) => 2 ** i),
    ...Array.from({ length: 10 }, (_, i) => 10 ** i),
  ]),
].sort((a, b) => a - b);

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
    const { scale, basis } = findScale(values, range);
    const steps = this.codes.subarray(0, this.count);
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
    return { steps, maxSteps, scale, rangeBasis: basis };
  }
}

/** The inverse of a scale: steps of a payoff that the scale was made for. */
export function stepCounter(scale: PayoffScale): (payoff: number) => number {
  if (!scale.rounded) {
    return (payoff) => Math.round(payoff * scale.denominator) / scale.numerator - scale.origin;
  }
  const range = scale.high - scale.low;
  if (range === 0) return () => 0;
  const base = basePayoff(scale);
  return (payoff) => Math.min(U32 - 1, Math.round(((payoff - base) / range) * U32));
}

/**
 * The scale of a set of payoffs. Exact where a denominator makes every payoff n/denominator to the last bit, with n so
 * few steps apart that they fit a u32; rounded to (high − low) · 2⁻³², counted from the smallest payoff, otherwise. The
 * range is the declared one, else [0, 1] if every payoff lies in it, else the observed one.
 */
export function findScale(
  payoffs: Float64Array,
  range?: readonly [number, number],
): { scale: PayoffScale; basis: 'declared' | 'unit' | 'observed' } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const r of payoffs) {
    if (r < min) min = r;
    if (r > max) max = r;
  }
  const unit = payoffs.length === 0 || (min >= 0 && max <= 1);
  const basis = range !== undefined ? 'declared' : unit ? 'unit' : 'observed';
  const [low, high] = range ?? (unit ? [0, 1] : [min, max]);
  for (const denominator of DENOMINATORS) {
    const exact = exactScale(payoffs, denominator);
    if (exact !== null) return { scale: { rounded: false, ...exact, denominator, low, high }, basis };
  }
  return { scale: { rounded: true, origin: 0, numerator: 1, denominator: 1, low, high, base: min }, basis };
}

function exactScale(payoffs: Float64Array, denominator: number): { origin: number; numerator: number } | null {
  let divisor = 0;
  let min = 0;
  let max = 0;
  for (const r of payoffs) {
    const n = Math.round(r * denominator);
    if (!Number.isSafeInteger(n) || n / denominator !== r) return null;
    divisor = greatestCommonDivisor(divisor, Math.abs(n));
    if (n < min) min = n;
    if (n > max) max = n;
  }
  const numerator = divisor === 0 ? 1 : divisor;
  // Steps count from 0 where that fits, so that clicks are 0 and 1 even in a log without a click.
  if (min === 0 && max / numerator < U32) return { origin: 0, numerator };
  let first = Number.POSITIVE_INFINITY;
  for (const r of payoffs) first = Math.min(first, Math.round(r * denominator) / numerator);
  return max / numerator - first < U32 ? { origin: first, numerator } : null;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
