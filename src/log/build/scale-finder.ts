/** The scale of payoffs: the step of which every payoff is a whole number, where there is one. */

import { InputError } from '../../errors.js';
import { basePayoff, type PayoffScale, spanOf } from '../../estimate/sums/payoff-scale.js';
import type { PayoffRounding } from '../../estimate/sums/rounding.js';
import { PayoffSizes } from './payoff-sizes.js';

const U32 = 4294967296;

/** Distinct payoffs remembered as seen. */
const MOST_SEEN = 65536;

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

/** The inverse of a scale: steps of a payoff that the scale was made for. */
export function stepCounter(scale: PayoffScale): (payoff: number) => number {
  if (!scale.rounded) {
    return (payoff) => Math.round(payoff * scale.denominator) / scale.numerator - scale.origin;
  }
  const range = spanOf(scale);
  if (range === 0) return () => 0;
  const base = basePayoff(scale);
  return (payoff) => Math.min(U32 - 1, Math.round(((payoff - base) / range) * U32));
}

/** What the payoffs seen so far are as multiples of 1/denominator. */
interface Fit {
  readonly denominator: number;
  divisor: number;
  min: number;
  max: number;
}

/** Finds the scale of payoffs that are seen one by one, in any order. All must be finite. */
export class ScaleFinder {
  private count = 0;
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;
  /** Denominators of which every payoff so far is a multiple, smallest first. */
  private fits: Fit[] = DENOMINATORS.map((denominator) => ({
    denominator,
    divisor: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  }));
  private readonly seen = new Set<number>();
  private readonly sizes = new PayoffSizes();

  /** @param times how often it is there. */
  push(payoff: number, times = 1): void {
    this.count++;
    this.sizes.add(payoff, times);
    if (this.fits.length > 0 && this.seen.has(payoff)) return;
    if (payoff < this.min) this.min = payoff;
    if (payoff > this.max) this.max = payoff;
    if (this.fits.length === 0) return;
    if (this.seen.size < MOST_SEEN) this.seen.add(payoff);
    this.fits = this.fits.filter((fit) => takes(fit, payoff));
  }

  /**
   * The scale of a set of payoffs. Exact where a denominator makes every payoff n/denominator to the last bit, with n so
   * few steps apart that they fit a u32; rounded to 2⁻³² of what lies between the smallest payoff and the largest otherwise. The
   * range is the declared one, else [0, 1] if every payoff lies in it, else the observed one.
   */
  finish(range?: readonly [number, number]): {
    scale: PayoffScale;
    basis: 'declared' | 'unit' | 'observed';
    /** The largest payoff in steps. */
    maxSteps: number;
    /** Where they were rounded. */
    rounding?: PayoffRounding;
  } {
    const { min, max, count } = this;
    const unit = count === 0 || (min >= 0 && max <= 1);
    const basis = range !== undefined ? 'declared' : unit ? 'unit' : 'observed';
    const [low, high] = range ?? (unit ? [0, 1] : [min, max]);
    if (count > 0 && !Number.isFinite(max - min)) throw tooFarApart(min, max);
    if (max > min && (max - min) / U32 < LEAST_STEP) throw tooClose(min, max);
    const found = this.fits.map(exactScale).find((one) => one !== null);
    const scale: PayoffScale =
      found === undefined
        ? { rounded: true, origin: 0, numerator: 1, denominator: 1, low, high, base: min, span: max - min }
        : { rounded: false, ...found, low, high };
    const maxSteps = count === 0 ? 0 : stepCounter(scale)(max);
    if (!scale.rounded) return { scale, basis, maxSteps };
    return { scale, basis, maxSteps, rounding: { typical: this.sizes.typical(), exact: this.exactStep() } };
  }

  /** A step of which all payoffs are whole numbers, though too many. */
  private exactStep(): PayoffRounding['exact'] {
    if (this.fits.length === 0) return null;
    const [{ denominator, divisor, min, max }] = this.fits;
    return { step: divisor / denominator, steps: (max - min) / divisor };
  }
}

/** The scale of payoffs, and where its range comes from: see {@link ScaleFinder.finish}. @param times how often each is there. */
export function findScale(
  payoffs: Float64Array,
  range?: readonly [number, number],
  times?: Float64Array,
): ReturnType<ScaleFinder['finish']> {
  const finder = new ScaleFinder();
  for (let i = 0; i < payoffs.length; i++) finder.push(payoffs[i], times?.[i]);
  return finder.finish(range);
}

/** Below this numbers of 64 bits have fewer digits. */
const LEAST_STEP = 2 ** -1022;

function tooClose(min: number, max: number): InputError {
  return new InputError({
    problem: 'payoffs lie too close together for 64-bit numbers',
    got: `${min} to ${max}, in steps of ${(max - min) / U32}`,
    needed: `steps of at least ${LEAST_STEP}`,
    hint: 'multiply the payoffs by a constant, so that they are of sizes about 1',
  });
}

function tooFarApart(min: number, max: number): InputError {
  return new InputError({
    problem: 'payoffs lie too far apart for 64-bit numbers',
    got: `${min} to ${max}`,
    hint: 'declare the range that payoffs may have: --payoff-range LOW,HIGH (in code: payoffRange)',
  });
}

function takes(fit: Fit, payoff: number): boolean {
  const n = Math.round(payoff * fit.denominator);
  if (!Number.isSafeInteger(n) || n / fit.denominator !== payoff) return false;
  fit.divisor = greatestCommonDivisor(fit.divisor, Math.abs(n));
  if (n < fit.min) fit.min = n;
  if (n > fit.max) fit.max = n;
  return true;
}

function exactScale({
  denominator,
  divisor,
  min,
  max,
}: Fit): Pick<PayoffScale, 'origin' | 'numerator' | 'denominator'> | null {
  const numerator = divisor === 0 ? 1 : divisor;
  const first = Math.min(0, min) / numerator;
  const last = Math.max(0, max) / numerator;
  // Steps count from 0 where that fits, so that clicks are 0 and 1 even in a log without a click.
  if (first === 0 && last < U32) return { origin: 0, numerator, denominator };
  return last - min / numerator < U32 ? { origin: min / numerator, numerator, denominator } : null;
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
