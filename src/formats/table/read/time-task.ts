/** Times: numbers in a unit, ISO 8601 text, or columns of dates and timestamps. */

import type { Fault } from '../../../errors.js';
import { isValid, type RowBatch } from '../../../files/duckdb.js';
import { f64Column } from '../../../log/build/memory.js';
import {
  ImplausibleTimes,
  isPlausible,
  millisecondsOf,
  plausibleUnits,
  TIME_UNITS,
  type TimeUnit,
  UNCLEAR_UNIT,
  unclearUnit,
  YEARS,
} from '../../../log/build/time-units.js';
import type { SourceFile } from '../../format.js';
import type { BadKind, Marks } from './marks.js';
import type { Plan } from './plan.js';
import type { ColumnTask } from './tasks.js';
import { findColumn, timeSql } from './values.js';

export class TimeTask implements ColumnTask {
  private readonly column: Float64Array;
  private count = 0;
  /** Times of the batch just checked. */
  private times = new Float64Array(0);
  private readonly name: string;
  private readonly unit: TimeUnit | null;
  private readonly noTime: BadKind;
  private readonly otherUnit: BadKind;
  private readonly outside: BadKind;
  /** A number was a time in milliseconds. */
  private inMilliseconds = false;
  private readonly implausible = new ImplausibleTimes();

  constructor(capacity: number, { column, unit }: NonNullable<Plan['time']>) {
    this.column = f64Column(capacity);
    this.name = column;
    this.unit = unit;
    const number =
      unit === null ? `a number of milliseconds since 1970 in ${YEARS} (another unit: --time-unit)` : numberIn(unit);
    const needed = `a time that there is: ISO 8601, e.g. 2009-05-01T00:00:00Z, or ${number}`;
    this.noTime = { kind: 'not a time', column, needed };
    // Not one row's fault: rows in another unit are not to be dropped.
    this.otherUnit = { kind: UNCLEAR_UNIT, column, needed, fatal: true };
    this.outside = { kind: `time is outside ${YEARS}`, column, needed };
  }

  bind(source: SourceFile): string[] {
    const { number, timestamp } = timeSql(source, findColumn(source, this.name, 'time'));
    return [number, timestamp];
  }

  check(batch: RowBatch, first: number, marks: Marks): void {
    const numbers = batch.items(first);
    const stamps = batch.items(first + 1);
    if (this.times.length < batch.rows) this.times = new Float64Array(batch.rows);
    const { times, unit } = this;
    for (let i = 0; i < batch.rows; i++) {
      const isNumber = numbers.valid === null || isValid(numbers.valid, i);
      if (isNumber && unit === null) {
        times[i] = numbers.items[i];
        this.checkNumber(times[i], i, marks);
      } else {
        times[i] = isNumber
          ? millisecondsOf(numbers.items[i], unit ?? 'ms')
          : stamps.valid === null || isValid(stamps.valid, i)
            ? stamps.items[i]
            : Number.NaN;
        if (!Number.isFinite(times[i])) marks.mark(i, this.noTime);
      }
    }
  }

  /** A number in a unit that nobody said. */
  private checkNumber(value: number, row: number, marks: Marks): void {
    if (isPlausible(value)) this.inMilliseconds = true;
    else if (!Number.isFinite(value)) marks.mark(row, this.noTime);
    else {
      const strays = this.inMilliseconds && plausibleUnits(value).length === 0;
      marks.mark(row, strays ? this.outside : this.otherUnit, () => this.unclear(value));
    }
  }

  private unclear(value: number): Partial<Fault> {
    const { name } = this;
    return unclearUnit(
      value,
      (unit) => `--time-unit ${unit} (in a mapping "time": { "column": ${JSON.stringify(name)}, "unit": "${unit}" })`,
    );
  }

  append(rows: Uint32Array, count: number): void {
    const { times, column, implausible } = this;
    for (let k = 0; k < count; k++) {
      const time = times[rows[k]];
      column[this.count++] = time;
      implausible.add(time);
    }
  }

  /** Times since the last call; valid until the next `append`. */
  take(): Float64Array {
    const taken = this.column.subarray(0, this.count);
    this.count = 0;
    return taken;
  }

  /** About all times. */
  warnings(): string[] {
    return this.implausible.warnings(`column ${this.name}${this.unit === null ? '' : `, numbers in ${this.unit}`}`);
  }
}

function numberIn(unit: TimeUnit): string {
  if (unit === 'yyyymmdd') return 'digits such as 20200301, 202003011530 or 20200301153000';
  return `a number in ${unit} since 1970 (units are ${TIME_UNITS.join(', ')})`;
}
