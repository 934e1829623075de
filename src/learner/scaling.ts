/**
 * Columns of contexts and arm features brought to like sizes before learners see them: x′ = (x − offset) / divisor.
 *
 * `max` divides a column by its largest |x|. `standard` takes its mean off and divides by its standard deviation (divisor n),
 * but leaves a column of nothing but 0 and 1 alone (one-hot columns, indicators). A column with a single value, of which
 * `standard` would leave nothing, is divided by its size: an intercept stays one. Arm features count once per row of their table.
 *
 * Moments are summed in double-doubles, event by event in the order of the log, of differences from the first event's value:
 * the same sums however the log is stored, cut and read. With c one of n values, Σ(x − c)² ≤ (n + 1) Σ(x − mean)², so their
 * difference loses a factor n + 1 at most: of 10⁸ events a standard deviation is right to f64's last digits.
 */

import type { Archive, Carried } from '../archive.js';
import { InputError } from '../errors.js';
import type { ArmFeatureTable, ContextSizes, ContextTable, EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import { DoubleDouble } from './linear/double-double.js';

export const SCALE_METHODS = ['standard', 'max'] as const;

export type ScaleMethod = (typeof SCALE_METHODS)[number];

/** x′ = (x − offset) / divisor; 0 and 1: the column stays as it is. */
export interface ColumnScale {
  column: string;
  offset: number;
  divisor: number;
}

/** What was made of a log's columns, in their order. */
export interface Scaling {
  method: ScaleMethod;
  contexts: ColumnScale[];
  /** Empty where the log has none. */
  armFeatures: ColumnScale[];
}

/** Values that differ by no more of their size are one value, rounded. */
const ROUNDING = 2 ** -50;
/** Squares of differences within these bounds keep all their bits. */
const SPREAD = [2 ** -400, 2 ** 400] as const;

/** Range and moments of columns, row by row. */
class Moments implements Carried {
  private rows = 0;
  private readonly lowest: Float64Array;
  private readonly highest: Float64Array;
  /** 1 where a value was neither 0 nor 1. */
  private readonly other: Uint8Array;
  /** Of the first row. */
  private readonly first: Float64Array;
  /** Σ (x − first) and Σ (x − first)², double-doubles. */
  private readonly sums: Float64Array;
  private readonly squares: Float64Array;
  private readonly one = new DoubleDouble();

  constructor(private readonly columns: readonly string[]) {
    const { length } = columns;
    this.lowest = new Float64Array(length).fill(Number.POSITIVE_INFINITY);
    this.highest = new Float64Array(length).fill(Number.NEGATIVE_INFINITY);
    this.other = new Uint8Array(length);
    this.first = new Float64Array(length);
    this.sums = new Float64Array(2 * length);
    this.squares = new Float64Array(2 * length);
  }

  /** Takes the row that begins at `from`. */
  add(values: ArrayLike<number>, from: number): void {
    const { columns, lowest, highest, other, first } = this;
    const begins = this.rows++ === 0;
    for (let j = 0; j < columns.length; j++) {
      const x = values[from + j];
      if (begins) first[j] = x;
      if (x < lowest[j]) lowest[j] = x;
      if (x > highest[j]) highest[j] = x;
      if (x !== 0 && x !== 1) other[j] = 1;
      if (x !== first[j]) this.addDifference(j, x, first[j]);
    }
  }

  private addDifference(j: number, x: number, c: number): void {
    const { one, sums, squares } = this;
    const hi = x - c;
    const back = hi - x;
    const lo = x - (hi - back) - (c + back);
    one.set(sums[2 * j], sums[2 * j + 1]).add(hi, lo);
    [sums[2 * j], sums[2 * j + 1]] = [one.hi, one.lo];
    one.set(squares[2 * j], squares[2 * j + 1]).addProduct(hi, lo, hi, lo);
    [squares[2 * j], squares[2 * j + 1]] = [one.hi, one.lo];
  }

  scales(method: ScaleMethod): ColumnScale[] {
    return this.columns.map((column, j) => ({ column, ...this.scale(method, j) }));
  }

  private scale(method: ScaleMethod, j: number): Omit<ColumnScale, 'column'> {
    const [low, high] = [this.lowest[j], this.highest[j]];
    const largest = Math.max(Math.abs(low), Math.abs(high));
    if (this.rows === 0 || largest === 0) return { offset: 0, divisor: 1 };
    const constant = high - low <= ROUNDING * largest;
    if (method === 'max' || constant) return { offset: 0, divisor: largest };
    if (this.other[j] === 0) return { offset: 0, divisor: 1 };
    return this.standard(j, low, high);
  }

  private standard(j: number, low: number, high: number): Omit<ColumnScale, 'column'> {
    const { rows, first, sums, squares } = this;
    if (!(high - low >= SPREAD[0] && high - low <= SPREAD[1])) {
      throw new InputError({
        column: this.columns[j],
        problem: 'a column whose spread is too large or too small to be standardized',
        got: `values from ${low} to ${high}`,
        needed: 'a difference between 1e-120 and 1e+120',
        hint: 'another unit, or --scale max (in code: scale)',
      });
    }
    const mean = new DoubleDouble().set(sums[2 * j], sums[2 * j + 1]).dividedBy(rows, 0);
    // Σ(x − c)² − (Σ(x − c))²/n
    const centred = new DoubleDouble().product(mean.hi, mean.lo, -sums[2 * j], -sums[2 * j + 1]);
    const deviation = centred
      .add(squares[2 * j], squares[2 * j + 1])
      .dividedBy(rows, 0)
      .root();
    return { offset: mean.add(first[j], 0).hi, divisor: deviation.hi };
  }

  /** Largest |x′| of each column. */
  largest(scales: readonly ColumnScale[]): Float64Array {
    const { rows, lowest, highest } = this;
    return Float64Array.from(scales, ({ offset, divisor }, j) =>
      rows === 0 ? 0 : Math.max(Math.abs(lowest[j] - offset), Math.abs(highest[j] - offset)) / divisor,
    );
  }

  carry(archive: Archive): void {
    this.rows = archive.number(this.rows);
    for (const list of [this.lowest, this.highest, this.other, this.first, this.sums, this.squares])
      archive.array(list);
  }
}

/** What scaling a log takes to know, batch by batch. */
export class ScalingSurvey implements Carried {
  private readonly contexts: Moments;

  /** @throws InputError where the log has nothing to scale. */
  constructor(
    private readonly head: EventLog,
    private readonly method: ScaleMethod,
  ) {
    const { contexts, armFeatures } = head;
    if (contexts.dimension === 0 && armFeatures === null) {
      throw new InputError({
        problem: '--scale (in code: scale) brings context columns to like sizes, and the log has none',
        hint: 'map context columns ("context": ["age", …]), or leave it out',
      });
    }
    this.contexts = new Moments(contexts.columns);
  }

  /** Batches come in the order of the log. */
  add({ events, contexts: { values, row, dimension } }: EventLog): void {
    if (dimension === 0) return;
    for (let t = 0; t < events; t++) this.contexts.add(values, (row === null ? t : row[t]) * dimension);
  }

  /** @throws InputError where a column cannot be standardized. */
  scaling(): Scaling {
    const { method, contexts, head } = this;
    return { method, contexts: contexts.scales(method), armFeatures: ofFeatures(head.armFeatures, method) };
  }

  /** Of the scaled contexts. @param rows events of the arm that has most. */
  sizes(rows: number): ContextSizes {
    const { contexts, method } = this;
    return { largest: contexts.largest(contexts.scales(method)), rows, scaled: true };
  }

  carry(archive: Archive): void {
    this.contexts.carry(archive);
  }
}

function ofFeatures(features: ArmFeatureTable | null, method: ScaleMethod): ColumnScale[] {
  if (features === null) return [];
  const moments = new Moments(features.columns);
  for (let row = 0; row < features.rows; row++) moments.add(features.values, row * features.dimension);
  return moments.scales(method);
}

/** A stream whose columns are scaled, in f64. */
export function scaledStream(stream: LogStream, { contexts, armFeatures }: Scaling): LogStream {
  const { head } = stream;
  const features = head.armFeatures && {
    ...head.armFeatures,
    values: scaledRows(head.armFeatures.values, armFeatures),
  };
  // Of a table that batches share, and of a log in memory, there is one copy.
  const known = new WeakMap<ContextTable['values'], ContextTable['values']>();
  const scaled = (log: EventLog): EventLog => {
    const { values } = log.contexts;
    const found = known.get(values) ?? scaledRows(values, contexts);
    known.set(values, found);
    return { ...log, armFeatures: features, contexts: { ...log.contexts, values: found } };
  };
  return {
    ...stream,
    head: scaled(head),
    bytesPerEvent: stream.bytesPerEvent + (head.contexts.row === null ? 8 * head.contexts.dimension : 0),
    read: async (...batch) => scaled(await stream.read(...batch)),
    close: () => stream.close(),
  };
}

/** Rows of columns, row-major. What is not scaled is not copied. */
function scaledRows<Values extends ContextTable['values']>(
  values: Values,
  scales: readonly ColumnScale[],
): Values | Float64Array {
  const changed = scales.flatMap(({ offset, divisor }, j) =>
    offset === 0 && divisor === 1 ? [] : [{ j, offset, divisor }],
  );
  if (changed.length === 0) return values;
  const scaled = Float64Array.from(values);
  for (const { j, offset, divisor } of changed) {
    for (let i = j; i < scaled.length; i += scales.length) scaled[i] = (scaled[i] - offset) / divisor;
  }
  return scaled;
}
