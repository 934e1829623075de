/** Parsers of option values: what was got, what is needed, and in which range. */

import type { Command } from 'commander';
import { InputError } from '../errors.js';
import { type Clip, isClip } from '../estimate/weights/clips.js';
import type { Impute } from '../log/build/missing.js';

/** A whole number from `low` to `high`. `1e6` and `1_000_000` count as whole numbers. */
export function wholeNumber(option: string, low: number, high = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (Number.isSafeInteger(value) && value >= low && value <= high) return value;
    const range = high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `from ${low} to ${high}`;
    throw new InputError({ problem: `option ${option} is not valid`, got: text, needed: `a whole number ${range}` });
  };
}

/** A number strictly between `low` and `high`. */
export function numberBetween(option: string, low: number, high: number): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (value > low && value < high) return value;
    const bounds = Number.isFinite(high)
      ? ` strictly between ${low} and ${high}`
      : Number.isFinite(low)
        ? ` above ${low}`
        : '';
    const share = high === 1 && value >= 50 && value < 100 ? `${option} ${value / 100}` : undefined;
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed: `a number${bounds}`,
      hint: share,
    });
  };
}

/** A finite number, whose range is for others to check. */
export function number(option: string): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (Number.isFinite(value)) return value;
    throw new InputError({ problem: `option ${option} is not valid`, got: text, needed: 'a number' });
  };
}

/** A finite number of at least `low`. */
export function numberFrom(option: string, low: number): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (Number.isFinite(value) && value >= low) return value;
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed: `a number of at least ${low}`,
    });
  };
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A length of time such as `5m`, `1h`, `1d`, in milliseconds. */
export function period(option: string): (text: string) => number {
  return (text) => {
    const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|min|h|d|w)$/.exec(text) ?? [];
    const value = Number(digits) * (UNITS[unit ?? ''] ?? Number.NaN);
    if (value >= 1) return value;
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed: 'a number and a unit (ms, s, m, h, d or w)',
      hint: `${option} 1d`,
    });
  };
}

/** A whole number of events such as `1000`, or a length of time such as `5m`. */
export function eventsOrPeriod(option: string): (text: string) => number | { period: number } {
  return (text) => {
    const events = numberOf(text);
    if (Number.isSafeInteger(events) && events >= 1) return events;
    if (Number.isNaN(events) && /^\d/.test(text)) return { period: period(option)(text) };
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed: 'a whole number of events, at least 1, or a length of time (ms, s, m, h, d or w)',
      hint: `${option} 1000, or ${option} 5m`,
    });
  };
}

/** Above 0, at most 1. @param needed what it is, in words. @param percent 5 may be meant as 0.05. */
function share(option: string, needed: string, percent = false): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (value > 0 && value <= 1) return value;
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed,
      hint: percent && value > 1 && value <= 100 ? `${option} ${value / 100}` : undefined,
    });
  };
}

/** A probability above 0, at most 1. */
export function probability(option: string): (text: string) => number {
  return share(option, 'a probability above 0 and at most 1', true);
}

/** The least of candidates × propensity. */
export function leastShare(option: string): (text: string) => number {
  return share(option, 'the least of candidates × propensity: above 0, and at most 1, which is uniform logging');
}

/** Largest weights: a number above 0, several separated by commas, or `auto`. */
export function clips(option: string): (text: string) => Clip {
  return (text) => {
    const numbers = text.split(',').map(numberOf);
    const clip = text === 'auto' ? text : numbers.length === 1 ? numbers[0] : numbers;
    if (isClip(clip)) return clip;
    const needed = 'a number above 0; or several separated by commas, or auto: one is chosen for each policy';
    throw new InputError({ problem: `option ${option} is not valid`, got: text, needed });
  };
}

/** Names separated by commas, e.g. columns. A comma within a name is written `\,`. */
export function names(option: string): (text: string, before?: string[]) => string[] {
  return addsUp((text: string, before: string[] = []) => {
    const list = text.split(/(?<!\\),/).map((name) => name.trim().replaceAll('\\,', ','));
    if (!list.includes('')) return [...before, ...list];
    throw new InputError({ problem: `option ${option} is not valid`, got: text, needed: 'names separated by commas' });
  });
}

/** Texts as they are, one each time that the option is given. */
export function texts(): (text: string, before?: string[]) => string[] {
  return addsUp((text: string, before: string[] = []) => [...before, text]);
}

/** What missing values of columns are filled in with: `age=mean,income=zero`. The last `=` of an entry counts. */
export function imputes(option: string): (text: string, before?: Record<string, Impute>) => Record<string, Impute> {
  return addsUp((text: string, before: Record<string, Impute> = Object.create(null)) => {
    const all: Record<string, Impute> = Object.assign(Object.create(null), before);
    for (const entry of names(option)(text)) {
      const [, column, how] = /^(.+)=(mean|zero)$/s.exec(entry) ?? [];
      if (column === undefined) {
        throw new InputError({
          problem: `option ${option} is not valid`,
          got: entry,
          needed: 'COLUMN=mean or COLUMN=zero',
          hint: /^(mean|zero)$/.test(entry) ? `${option} '*=${entry}' for every numeric column` : `${option} age=mean`,
        });
      }
      if (all[column] !== undefined && all[column] !== how) {
        throw new InputError({
          problem: `option ${option} is not valid`,
          got: `${column}=${all[column]} and ${column}=${how}`,
          needed: 'one of the two',
        });
      }
      all[column] = how as Impute;
    }
    return all;
  });
}

const adding = new WeakSet<object>();

/** A parser of lists: the lists of an option that is given several times are put together by it. */
function addsUp<List>(parser: (text: string, before?: List) => List): (text: string, before?: List) => List {
  adding.add(parser);
  return parser;
}

/** @throws InputError where an option that is not a list is given twice, or with its `--no-…`. */
export function refuseRepeats(command: Command): Command {
  const given = new Map<string, string>();
  for (const option of command.options) {
    const flag = option.long ?? option.flags;
    command.on(`option:${option.name()}`, () => {
      const before = given.get(option.attributeName());
      given.set(option.attributeName(), flag);
      // A switch that is set twice is set.
      const harmless = before === flag && option.isBoolean();
      if (before === undefined || harmless || (option.parseArg !== undefined && adding.has(option.parseArg))) return;
      throw new InputError(
        before === flag
          ? { problem: `option ${flag} is given twice`, needed: 'one value', hint: `leave one ${flag} out` }
          : { problem: `${before} and ${flag} contradict each other`, hint: 'one of the two' },
      );
    });
  }
  return command;
}

/** Two numbers, the lower first, e.g. `0,1`. */
export function range(option: string): (text: string) => [number, number] {
  return (text) => {
    const parts = text.split(',').map(numberOf);
    const [low, high] = parts;
    if (parts.length === 2 && Number.isFinite(low) && Number.isFinite(high) && low < high) return [low, high];
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed: 'two numbers, the lower one first',
      hint: `${option} 0,1`,
    });
  };
}

/** Slope and intercept of a straight line, e.g. `-1,1`; the slope is not 0. */
export function line(option: string): (text: string) => { scale: number; offset: number } {
  return (text) => {
    const parts = text.split(',').map(numberOf);
    const [scale, offset] = parts;
    if (parts.length === 2 && Number.isFinite(scale) && scale !== 0 && Number.isFinite(offset))
      return { scale, offset };
    throw new InputError({
      problem: `option ${option} is not valid`,
      got: text,
      needed: 'two numbers, the first one not 0',
      hint: `${option} -1,1`,
    });
  };
}

/**
 * The value of an option that a command cannot do without. Not left to commander, which looks for required options
 * before unknown ones and so reports a mistyped `--policies` as missing.
 */
export function required<T>(value: T | undefined, option: string, example: string): T {
  if (value !== undefined) return value;
  throw new InputError({ problem: `option ${option} is required`, hint: example });
}

function numberOf(text: string): number {
  const plain = text.trim().replace(/(?<=\d)_(?=\d)/g, '');
  // Number('') is 0 and Number('0x10') is 16: neither is what a person means here.
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN;
}
