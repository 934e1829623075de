/** What a time as it is written stands for: milliseconds since 1970-01-01 UTC. Nothing is guessed and nothing rolls over. */

import type { Fault } from '../../errors.js';
import { plural } from '../../words.js';

/** Units of a numeric time, since 1970; `yyyymmdd` is digits as in 20200301, 202003011530 or 20200301153000, in UTC. */
export const TIME_UNITS = ['s', 'ms', 'us', 'ns', 'yyyymmdd'] as const;

export type TimeUnit = (typeof TIME_UNITS)[number];

/** Years in which a log is looked for: times in different units that lie in them have different numbers of digits. */
const FIRST_YEAR = 1990;
const LAST_YEAR = 2099;
const FIRST = Date.UTC(FIRST_YEAR, 0);
const END = Date.UTC(LAST_YEAR + 1, 0);
export const YEARS = `the years ${FIRST_YEAR} to ${LAST_YEAR}`;

/** What a Date can hold: ECMA-262, 21.4.1.1. */
const MOST_MILLISECONDS = 8.64e15;

export function isPlausible(milliseconds: number): boolean {
  return milliseconds >= FIRST && milliseconds < END;
}

/** Milliseconds of a number in a unit; NaN for a date that there is none of, and beyond ±8.64·10¹⁵. */
export function millisecondsOf(value: number, unit: TimeUnit): number {
  const milliseconds = scaled(value, unit);
  return Math.abs(milliseconds) <= MOST_MILLISECONDS ? milliseconds : Number.NaN;
}

function scaled(value: number, unit: TimeUnit): number {
  switch (unit) {
    case 's':
      return value * 1000;
    case 'ms':
      return value;
    case 'us':
      return value / 1000;
    case 'ns':
      return value / 1e6;
    case 'yyyymmdd':
      return Number.isInteger(value) ? ofDigits(String(value)) : Number.NaN;
  }
}

function ofDigits(digits: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?$/.exec(digits);
  return parts === null ? Number.NaN : ofParts(parts.slice(1).map((part) => Number(part ?? 0)));
}

/** @returns NaN where a part is out of its range: `Date` would go on to the next month. */
function ofParts([year, month, day, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  const midnight = Date.UTC(year, month - 1, day);
  const isDay = year >= 100 && new Date(midnight).getUTCMonth() === month - 1 && day >= 1;
  const isTime = minute < 60 && second < 60 && (hour < 24 || (hour === 24 && minute === 0 && second === 0));
  return isDay && isTime ? midnight + 1000 * (second + 60 * (minute + 60 * hour)) : Number.NaN;
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(?: ?(?:Z|UTC|([+-])(0\d|1[0-4])(?::?([0-5]\d))?))?)?$/;

/** Milliseconds of ISO 8601 text, to the microsecond, UTC where it names no zone; NaN for other text and for no such time. */
export function isoTime(text: string): number {
  const parts = ISO.exec(text.trim());
  if (parts === null) return Number.NaN;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = 0, sign, hours = 0, minutes = 0] = parts;
  const offset = 60_000 * (60 * Number(hours) + Number(minutes)) * (sign === '-' ? -1 : 1);
  const whole = ofParts([year, month, day, hour, minute, second].map(Number));
  return whole - offset + Math.round(Number(fraction) * 1e6) / 1e3;
}

/** A time for a message. */
export function timeText(milliseconds: number): string {
  return Number.isNaN(millisecondsOf(milliseconds, 'ms')) ? `${milliseconds} ms` : new Date(milliseconds).toISOString();
}

/** Units in which a number is a time in `YEARS`. */
export function plausibleUnits(value: number): TimeUnit[] {
  return TIME_UNITS.filter((unit) => isPlausible(millisecondsOf(value, unit)));
}

export const UNCLEAR_UNIT = 'the unit of a numeric time is not clear';

/**
 * Of a number that as milliseconds lies outside `YEARS`, and whose unit nobody said.
 *
 * @param name how the caller names a unit, for the hint.
 */
export function unclearUnit(value: number, name: (unit: TimeUnit) => string): Partial<Fault> {
  const [unit] = plausibleUnits(value);
  return {
    got: `${value}, which in milliseconds is ${timeText(value)}`,
    needed: `milliseconds since 1970 in ${YEARS}, or the unit`,
    hint:
      unit === undefined
        ? `if the clock is one of its own, ${name('ms')} takes it as it is; else correct it, or write ISO 8601`
        : `${name(unit)}, with which it is ${timeText(millisecondsOf(value, unit))}`,
  };
}

/** Counts times that lie outside `YEARS`. */
export class ImplausibleTimes {
  private count = 0;
  private outside = 0;
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;

  add(milliseconds: number): void {
    this.count++;
    if (isPlausible(milliseconds)) return;
    this.outside++;
    if (milliseconds < this.first) this.first = milliseconds;
    if (milliseconds > this.last) this.last = milliseconds;
  }

  /** @param where e.g. `column ts, read in s`. */
  warnings(where: string): string[] {
    const { count, outside, first, last } = this;
    if (outside === 0) return [];
    return [
      `${outside.toLocaleString('en')} of ${plural(count, 'time')} (${where}) ${outside === 1 ? 'lies' : 'lie'} outside ${YEARS}, from ${timeText(first)} to ${timeText(last)}: where that is not the log's own clock, they or their unit are wrong`,
    ];
  }
}
