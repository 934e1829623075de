/**
 * Real numbers as whole multiples of a power of two, so that engines add them exactly and in any order. Whole numbers and
 * binary fractions stay as they are where their range allows it.
 */

import type { Archive, Carried } from '../../archive.js';
import type { MatchColumn } from './summands.js';

/** What must be known of numbers before they are rounded. */
export class NumberRange implements Carried {
  /** Smallest and largest, 0 among them. */
  low = 0;
  high = 0;
  /** The smallest distance from 0 of a number other than 0; infinite where there is none. */
  least = Number.POSITIVE_INFINITY;

  add(value: number): void {
    if (value === 0) return;
    if (value < this.low) this.low = value;
    if (value > this.high) this.high = value;
    if (Math.abs(value) < this.least) this.least = Math.abs(value);
  }

  carry(archive: Archive): void {
    this.low = archive.number(this.low);
    this.high = archive.number(this.high);
    this.least = archive.number(this.least);
  }
}

const WORD = 2 ** 32;
/** Numbers that one word holds are not rounded by more than this share of themselves. */
const ONE_WORD_ROUNDING = 2 ** -22;

/** A number is (origin + w) · 2^exponent with w a whole number of one or two words. */
export interface FixedPoint {
  readonly exponent: number;
  readonly origin: number;
  readonly words: 1 | 2;
  /** Largest rounding as a share of the number itself, of the smallest there is. */
  readonly rounding: number;
}

/** The finest steps in which numbers of a range fit one word, where that is fine enough, else two. */
export function fixedPoint({ low, high, least }: Pick<NumberRange, 'low' | 'high' | 'least'>): FixedPoint {
  const one = inWords(low, high, least, 1);
  return one.rounding <= ONE_WORD_ROUNDING ? one : inWords(low, high, least, 2);
}

function inWords(low: number, high: number, least: number, words: 1 | 2): FixedPoint {
  if (least === Number.POSITIVE_INFINITY) return { exponent: 0, origin: 0, words: 1, rounding: 0 };
  // Of two words no more bits are used than an f64 has, so that whole numbers in it are exact. The ends are rounded outwards.
  const steps = (words === 1 ? WORD : Number.MAX_SAFE_INTEGER) - 2;
  let exponent = Math.floor(Math.log2((high - low) / steps));
  while ((high - low) / 2 ** exponent > steps) exponent++;
  const step = 2 ** exponent;
  return { exponent, origin: Math.floor(low / step), words, rounding: step / 2 / least };
}

/** The words of a number of each event, low word first. @param numberOf of event t. */
export function fixedColumns(
  name: string,
  { exponent, origin, words }: FixedPoint,
  events: number,
  numberOf: (t: number) => number,
): MatchColumn[] {
  const low = new Uint32Array(events);
  const high = words === 2 ? new Uint32Array(events) : null;
  const step = 2 ** exponent;
  for (let t = 0; t < events; t++) {
    const whole = Math.round(numberOf(t) / step) - origin;
    low[t] = whole % WORD;
    if (high !== null) high[t] = Math.floor(whole / WORD);
  }
  const column = (part: string, column: Uint32Array): MatchColumn => ({
    name: `${name}${part}`,
    reduce: 'sum',
    words: column,
  });
  return high === null ? [column('', low)] : [column(', low word', low), column(', high word', high)];
}

/** Σ of numbers in steps of 2^exponent, exactly, from the sums of their words over `matches` events. */
export function fixedSum({ origin }: FixedPoint, matches: number, [low, high = 0n]: readonly bigint[]): bigint {
  return BigInt(matches) * BigInt(origin) + (high << 32n) + low;
}
