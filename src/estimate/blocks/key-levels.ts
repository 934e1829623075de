/** Segments: the values of key columns, together, that events of a log have. */

import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import { listNames } from '../../names/order.js';
import type { EventLevels, LevelEvents } from './levels.js';

/** Most segments: more are no table that anyone reads, and each has few events. */
export const MAX_SEGMENTS = 1000;

/** A key column without its events. */
export interface KeyName {
  readonly name: string;
  /** Distinct values, in their order. */
  readonly levels: readonly string[];
}

/** A level is a combination of values that some event has; in the order of the first column's values, then of the next. */
export class KeyLevels implements EventLevels {
  /** Combinations, as numbers whose digits are codes of the columns, with the level of each; until they are settled: 0. */
  private readonly levelOf = new Map<number, number>();
  private combinations: readonly number[] = [];

  /** @param keys at least one. @throws InputError where combinations of their values cannot be told apart. */
  constructor(private readonly keys: readonly KeyName[]) {
    const product = keys.reduce((all, { levels }) => all * Math.max(1, levels.length), 1);
    if (!Number.isSafeInteger(product)) throw this.tooMany();
  }

  count(batch: LevelEvents): void {
    let last = -1;
    for (const number of this.numbers(batch)) {
      if (number === last || this.levelOf.has(number)) continue;
      last = number;
      this.levelOf.set(number, 0);
      if (this.levelOf.size > MAX_SEGMENTS) throw this.tooMany();
    }
  }

  settle(): number {
    this.combinations = [...this.levelOf.keys()].sort((a, b) => a - b);
    this.combinations.forEach((number, level) => {
      this.levelOf.set(number, level);
    });
    // A log without events has a level without events, as it has a block.
    return Math.max(1, this.combinations.length);
  }

  of(batch: LevelEvents): Uint32Array {
    return Uint32Array.from(this.numbers(batch), (number) => this.levelOf.get(number) ?? 0);
  }

  /** Values of the columns of each level; after `settle`. */
  get values(): Readonly<Record<string, string>>[] {
    return this.combinations.map((number) => {
      let rest = number;
      const values = this.keys.toReversed().map(({ name, levels }) => {
        const code = rest % levels.length;
        rest = (rest - code) / levels.length;
        return [name, levels[code]] as const;
      });
      return Object.fromEntries(values.reverse());
    });
  }

  carry(archive: Archive): void {
    const numbers = archive.list(Float64Array.from(this.levelOf.keys()));
    if (archive.reading) for (const number of numbers) this.levelOf.set(number, 0);
  }

  private numbers({ events, keys }: LevelEvents): Float64Array {
    const numbers = new Float64Array(events);
    for (const { name, levels } of this.keys) {
      const code = keys.get(name)?.code;
      if (code === undefined) throw new RangeError(`a batch without the key column ${name}`);
      for (let t = 0; t < events; t++) numbers[t] = numbers[t] * levels.length + code[t];
    }
    return numbers;
  }

  private tooMany(): InputError {
    const [{ name }] = this.keys;
    const several = this.keys.length > 1;
    return new InputError({
      problem: `the log has too many segments by ${listNames(this.keys.map((key) => key.name))}`,
      got: `more than ${MAX_SEGMENTS}${several ? ' combinations of their values' : ' values'}`,
      needed: `at most ${MAX_SEGMENTS}, each with events enough to say something`,
      hint: several
        ? 'fewer columns in --by (in code: by)'
        : `a column of fewer values in place of ${JSON.stringify(name)}: group them in the file, or by --where take some of them`,
    });
  }
}
