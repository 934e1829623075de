/**
 * Numbers ≥ 0 as whole multiples of a power of two, so that engines add them exactly and in any order. Whole numbers and binary
 * fractions stay as they are where their range allows it.
 */

import type { Archive, Carried } from '../../archive.js';
import { newWords } from './whole-numbers.js';

/** What must be known of numbers before they are rounded. */
export class NumberRange implements Carried {
  /** The largest; 0 where there is none. */
  high = 0;
  /** The smallest that is not 0; infinite where there is none. */
  least = Number.POSITIVE_INFINITY;

  add(value: number): void {
    if (value === 0) return;
    if (value > this.high) this.high = value;
    if (value < this.least) this.least = value;
  }

  carry(archive: Archive): void {
    this.high = archive.number(this.high);
    this.least = archive.number(this.least);
  }
}

const WORD = 2 ** 32;
/** Numbers that one word holds are not rounded by more than this share of themselves: less than 10⁻⁶. */
export const ONE_WORD_ROUNDING = 2 ** -20;

/** A number is w · 2^exponent with w a whole number of one or two words. */
export interface FixedPoint {
  readonly exponent: number;
  readonly words: 1 | 2;
  /** Largest rounding as a share of the number itself, of the smallest there is. */
  readonly rounding: number;
}

/** The finest steps in which numbers of a range fit one word, where that is fine enough, else two. */
export function fixedPoint({ high, least }: Pick<NumberRange, 'high' | 'least'>): FixedPoint {
  const one = inWords(high, least, 1);
  return one.rounding <= ONE_WORD_ROUNDING ? one : twoWords({ high, least });
}

/** The finest steps in two words. */
export function twoWords({ high, least }: Pick<NumberRange, 'high' | 'least'>): FixedPoint {
  return inWords(high, least, 2);
}

function inWords(high: number, least: number, words: 1 | 2): FixedPoint {
  if (least === Number.POSITIVE_INFINITY) return { exponent: 0, words: 1, rounding: 0 };
  // Of two words no more bits are used than an f64 has, so that whole numbers in it are exact.
  const steps = (words === 1 ? WORD : Number.MAX_SAFE_INTEGER) - 2;
  let exponent = Math.floor(Math.log2(high / steps));
  while (high / 2 ** exponent > steps) exponent++;
  return { exponent, words, rounding: 2 ** exponent / 2 / least };
}

/** The words of a number of each event, low word first. @param numberOf of event t. */
export function wholeNumbers(
  { exponent, words }: FixedPoint,
  events: number,
  numberOf: (t: number) => number,
): Uint32Array[] {
  const columns = Array.from({ length: words }, () => newWords(events));
  const [low, high] = columns;
  const step = 2 ** exponent;
  for (let t = 0; t < events; t++) {
    const whole = Math.round(numberOf(t) / step);
    low[t] = whole % WORD;
    if (high !== undefined) high[t] = Math.floor(whole / WORD);
  }
  return columns;
}
