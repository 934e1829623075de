/** Factors of the context: levels of one-hot columns, bins of numbers, and the context as a whole. */

import type { Archive } from '../../../archive.js';
import { INTERCEPT } from '../../build/contexts.js';
import type { ContextTable, EventLog } from '../../event-log.js';
import type { Factor, FactorSpan } from './factor.js';

/** Columns looked at; of those, factors tested. */
const MOST_COLUMNS = 2048;
export const MOST_CONTEXT_FACTORS = 64;
/** Numeric columns of which the tested ones are chosen. */
const MOST_NUMERIC = 256;

/** Borders of a number's bins, the same for every column. */
export const BORDERS = 15;

/** Bytes of a table of contexts beyond which a log that comes in batches has dense rows. */
const MOST_TABLE_BYTES = 2 ** 27;

/** Columns of the context: numbers, and runs of columns `name=level`. */
export interface ContextPlan {
  readonly numeric: readonly number[];
  readonly oneHot: readonly { readonly name: string; readonly from: number; readonly to: number }[];
  /** Columns that no factor looks at. */
  readonly left: number;
}

/** @param most columns are looked at, if that is more than usual. */
export function planContexts({ columns }: Pick<ContextTable, 'columns'>, most = 0): ContextPlan {
  const numeric: number[] = [];
  const oneHot: { name: string; from: number; to: number }[] = [];
  const looked = Math.min(columns.length, Math.max(most, MOST_COLUMNS));
  let left = columns.length - looked;
  for (let j = 0; j < looked; ) {
    const sign = columns[j].indexOf('=');
    const prefix = sign < 0 ? null : columns[j].slice(0, sign + 1);
    let to = j + 1;
    if (prefix !== null) while (to < looked && columns[to].startsWith(prefix)) to++;
    if (prefix !== null && to - j > 1) {
      if (oneHot.length < Math.max(most, MOST_CONTEXT_FACTORS)) oneHot.push({ name: prefix.slice(0, -1), from: j, to });
      else left += to - j;
    } else if (columns[j] !== INTERCEPT) {
      if (numeric.length < Math.max(most, MOST_NUMERIC)) numeric.push(j);
      else left++;
    }
    j = to;
  }
  return { numeric, oneHot, left };
}

/** Which of its columns an event shows. */
export function oneHotFactor(
  { columns, dimension }: ContextTable,
  { name, from: low, to: high }: ContextPlan['oneHot'][number],
  { room }: FactorSpan,
): Factor | null {
  const levels = high - low;
  const groups = Math.min(levels + 1, room);
  if (groups < 2) return null;
  return {
    name,
    groups,
    groupsOf({ contexts: { row, values } }, from, to, _, out) {
      for (let t = from; t < to; t++) {
        const base = (row === null ? t : row[t]) * dimension;
        let j = low;
        while (j < high && values[base + j] === 0) j++;
        out[t - from] = (j - low) % groups;
      }
    },
    // The last group is that of events that show none of them.
    label: (group) =>
      group === levels
        ? 'none'
        : `${columns[low + group].slice(name.length + 1)}${levels + 1 > groups ? ' and others' : ''}`,
  };
}

/** Groups of a number: how many of its borders it exceeds. @param borders ascending, filled up with infinities. */
export function numericFactor(name: string, dimension: number, column: number, borders: Float64Array): Factor {
  const used = borders.indexOf(Number.POSITIVE_INFINITY);
  const count = used < 0 ? BORDERS : used;
  // The first border may lie just below a least value of 0, which is then what it is called.
  const text = (value: number): string => String(Number((value + Number.MIN_VALUE).toPrecision(5)));
  return {
    name,
    groups: count + 1,
    groupsOf({ contexts: { row, values } }, from, to, _, out) {
      for (let t = from; t < to; t++)
        out[t - from] = bin(borders, values[(row === null ? t : row[t]) * dimension + column]);
    },
    label(group) {
      if (group === 0) return `to ${text(borders[0])}`;
      return group === count
        ? `over ${text(borders[count - 1])}`
        : `${text(borders[group - 1])} to ${text(borders[group])}`;
    },
  };
}

/** Borders below `value`, of 15, in four steps without a branch, which would be mispredicted half the time. */
export function bin(borders: Float64Array, value: number): number {
  let at = Number(value > borders[7]) << 3;
  at += Number(value > borders[at + 3]) << 2;
  at += Number(value > borders[at + 1]) << 1;
  return at + Number(value > borders[at]);
}

/** Borders between the values of a sample: between all of them where they are few, else sixteenths. */
export function bordersOf(sample: Float64Array): Float64Array {
  const borders = new Float64Array(BORDERS).fill(Number.POSITIVE_INFINITY);
  const sorted = sample.slice().sort();
  const distinct = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
  if (distinct.length === 0) return borders;
  let at = 0;
  if (distinct.length < BORDERS) {
    // What lies below or above all of the sample is apart.
    const low = distinct[0];
    borders[at++] = low - Math.max(Math.abs(low) * 2 ** -52, Number.MIN_VALUE);
    for (let i = 1; i < distinct.length; i++) borders[at++] = distinct[i - 1] / 2 + distinct[i] / 2;
    borders[at++] = distinct[distinct.length - 1];
    return borders;
  }
  for (let i = 1; i <= BORDERS; i++) {
    const value = sorted[Math.floor((i * sorted.length) / (BORDERS + 1))];
    // The largest value of the sample is in a bin of its own only if something lies above.
    if (at === 0 || value > borders[at - 1]) borders[at++] = value;
  }
  return borders;
}

/** Contexts that repeat, each a group; many share one. */
export function wholeContextFactor({ contexts }: EventLog, { room }: FactorSpan): Factor | null {
  const { rows, row, dimension } = contexts;
  if (row === null || dimension * rows * 8 > MOST_TABLE_BYTES) return null;
  const groups = Math.min(rows, room);
  if (groups < 2) return null;
  return {
    name: 'the context as a whole',
    groups,
    groupsOf({ contexts: of }, from, to, _, out) {
      const codes = of.row as Uint32Array;
      for (let t = from; t < to; t++) out[t - from] = codes[t] % groups;
    },
    label: (group) => `context ${group + 1}${rows > groups ? ' and others' : ''}`,
  };
}

/** The first events' values of the numeric columns, from which borders are made: the same for every way to cut the log. */
export class Prefix {
  readonly values: Float64Array;
  seen = 0;

  /** @param size events. */
  constructor(
    readonly columns: readonly number[],
    readonly size: number,
  ) {
    this.values = new Float64Array(columns.length * size);
  }

  get full(): boolean {
    return this.seen === this.size;
  }

  /** Takes the next events of a batch, as many as it needs; returns how many. */
  take({ contexts: { row, values, dimension } }: EventLog, from: number, to: number): number {
    const count = Math.min(to - from, this.size - this.seen);
    for (const [i, column] of this.columns.entries()) {
      for (let k = 0; k < count; k++) {
        const t = from + k;
        this.values[i * this.size + this.seen + k] = values[(row === null ? t : row[t]) * dimension + column];
      }
    }
    this.seen += count;
    return count;
  }

  /** Values of the i-th column. */
  of(i: number): Float64Array {
    return this.values.subarray(i * this.size, (i + 1) * this.size);
  }

  carry(archive: Archive): void {
    this.seen = archive.number(this.seen);
    archive.array(this.values);
  }
}
