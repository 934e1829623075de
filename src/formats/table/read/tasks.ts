/** One task per part of a log: which SQL it needs of a file, which rows are bad, and where good rows go. */

import { type ItemColumn, isValid, type RowBatch } from '../../../files/duckdb.js';
import { f64Column, u32Column } from '../../../log/build/memory.js';
import { MISSING_HINT } from '../../../log/build/missing.js';
import { PayoffPacker } from '../../../log/build/payoff.js';
import { BAD_PROPENSITY, propensityGuess, propensityIsBad } from '../../../log/build/rules.js';
import { listNames } from '../../../names/order.js';
import type { SourceFile } from '../../format.js';
import type { CodeReader, Dictionary } from './dictionary.js';
import type { BadKind, Marks } from './marks.js';
import { NumberCheck } from './number-check.js';
import { findColumn, isText, numberOrNanSql, numberSql } from './values.js';

/** A part of a log that is filled batch by batch. */
export interface ColumnTask {
  /** Turns to a file. @returns the expressions that the task reads there. */
  bind(source: SourceFile): string[];
  /** Looks at a batch, in which the task's first expression is column `first`, and marks rows that are bad. */
  check(batch: RowBatch, first: number, marks: Marks): void;
  /** Takes rows `rows[0 .. count)` of the batch just checked. */
  append(rows: Uint32Array, count: number): void;
  /** Looks at what rows `rows[0 .. count)` of that batch have: they are not dropped, though a filter may leave them out. */
  see?(rows: Uint32Array, count: number): void;
}

const MISSING = 'a value in every row';

/** Codes of a categorical column, with NULL as −1. */
export class CodeTask implements ColumnTask {
  readonly column: Uint32Array;
  /** Codes of the batch just checked. */
  codes = new Int32Array(0);
  private count = 0;
  private reader: CodeReader | null = null;
  /** 1 for each code that an event has. */
  readonly kept: Uint8Array;
  /** 1 for each code that a row has which is not dropped. */
  private readonly seen: Uint8Array;
  private readonly missing: BadKind;
  private readonly unknown: BadKind;
  /** Code of missing values; −1 where they have none. */
  private readonly missingCode: number;
  /** Events that have it. */
  filled = 0;

  /** @param order codes by level; levels that are not in it are bad. */
  constructor(
    capacity: number,
    readonly dictionary: Dictionary,
    private readonly key: string,
    private readonly order: ReadonlyMap<string, number>,
    store = true,
    hint = 'add it to the list, or leave the list out',
  ) {
    this.column = u32Column(store ? capacity : 0);
    this.seen = new Uint8Array(order.size);
    this.kept = new Uint8Array(order.size);
    const { column } = dictionary;
    this.missingCode = (dictionary.missing === null ? undefined : order.get(dictionary.missing)) ?? -1;
    const advice = key === 'feature' || key === 'key' ? MISSING_HINT.level() : undefined;
    this.missing = { kind: `${key} is missing`, column, needed: MISSING, hint: advice, missing: 'identifier' };
    this.unknown = {
      kind: `${key} is not in the given list`,
      column,
      needed: `one of ${listNames([...order.keys()])}`,
      known: [...order.keys()],
      hint,
    };
  }

  get name(): string {
    return this.dictionary.column;
  }

  bind(source: SourceFile): string[] {
    const column = findColumn(source, this.dictionary.column, this.key);
    this.reader = this.dictionary.reader(source, column, (level) => this.order.get(level) ?? -1);
    return [this.reader.sql];
  }

  check(batch: RowBatch, first: number, marks: Marks): void {
    const { reader } = this;
    if (reader === null) return;
    const { items, valid } = batch.items(first);
    const { table, offset } = reader;
    if (this.codes.length < batch.rows) this.codes = new Int32Array(batch.rows);
    const { codes } = this;
    for (let i = 0; i < batch.rows; i++) {
      if (valid !== null && !isValid(valid, i)) {
        codes[i] = this.missingCode;
        marks.missing(i, this.missing, this.missingCode >= 0);
        continue;
      }
      const code = table[items[i] - offset];
      codes[i] = code;
      if (code < 0) marks.mark(i, this.unknown);
    }
  }

  see(rows: Uint32Array, count: number): void {
    const { codes, seen } = this;
    for (let k = 0; k < count; k++) seen[codes[rows[k]]] = 1;
  }

  /** The dictionary without the levels that only rows have which are dropped. */
  left(): Dictionary {
    return this.dictionary.keep((level) => this.seen[this.order.get(level) ?? -1] === 1);
  }

  append(rows: Uint32Array, count: number): void {
    const { codes, column, kept, missingCode } = this;
    if (missingCode >= 0) for (let k = 0; k < count; k++) if (codes[rows[k]] === missingCode) this.filled++;
    for (let k = 0; k < count; k++) kept[codes[rows[k]]] = 1;
    let at = this.count;
    if (column.length > 0) for (let k = 0; k < count; k++) column[at++] = codes[rows[k]];
    this.count += count;
  }

  /** Codes since the last call; valid until the next `append`. */
  take(): Uint32Array {
    const taken = this.column.subarray(0, this.count);
    this.count = 0;
    return taken;
  }
}

/** Payoffs. */
export class PayoffTask implements ColumnTask {
  private readonly packer: PayoffPacker;
  readonly numbers: NumberCheck;
  private readonly outside: BadKind | null;
  private isTyped = false;
  private items: ItemColumn['items'] = new Float64Array(0);

  constructor(
    capacity: number,
    private readonly name: string,
    private readonly range: readonly [number, number] | undefined,
    missing: number | null,
  ) {
    this.packer = new PayoffPacker(capacity);
    this.numbers = new NumberCheck(name, 'payoff', missing === null ? null : { value: missing, isMean: false });
    this.outside =
      range === undefined
        ? null
        : {
            kind: 'payoff is outside the declared range',
            column: name,
            needed: `${range[0]} to ${range[1]}`,
            hint: 'declare the range that payoffs can have, or correct the value',
          };
  }

  bind(source: SourceFile): string[] {
    const column = findColumn(source, this.name, 'payoff');
    this.isTyped = !isText(column);
    return [numberOrNanSql(source, column)];
  }

  check(batch: RowBatch, first: number, marks: Marks): void {
    this.items = this.numbers.check(batch.items(first), this.isTyped, batch.rows, marks);
    if (this.range === undefined || this.outside === null) return;
    const { items } = this;
    const [low, high] = this.range;
    for (let i = 0; i < batch.rows; i++) if (items[i] < low || items[i] > high) marks.mark(i, this.outside);
  }

  append(rows: Uint32Array, count: number): void {
    const { items } = this;
    this.numbers.append(items, rows, count);
    for (let k = 0; k < count; k++) this.packer.push(items[rows[k]]);
  }

  /** Payoffs since the last call; valid until the next `append`. */
  take(): Float64Array {
    return this.packer.take();
  }

  /** The payoffs that were not taken, packed. */
  finish() {
    return this.packer.finish(this.range);
  }
}

/** A column of f64: propensities. */
export class F64Task implements ColumnTask {
  private readonly column: Float64Array;
  private count = 0;
  private batch: ItemColumn | null = null;

  private constructor(
    capacity: number,
    private readonly sql: (source: SourceFile) => string,
    private readonly kind: BadKind,
    private readonly isBad: (value: number) => boolean,
  ) {
    this.column = f64Column(capacity);
  }

  static propensity(capacity: number, column: string): F64Task {
    const { problem, needed } = BAD_PROPENSITY;
    const kind = { kind: problem, column, needed, guess: propensityGuess };
    return new F64Task(
      capacity,
      (source) => `CAST(${numberSql(source, findColumn(source, column, 'propensity'))} AS DOUBLE)`,
      kind,
      propensityIsBad,
    );
  }

  bind(source: SourceFile): string[] {
    return [this.sql(source)];
  }

  check(batch: RowBatch, first: number, marks: Marks): void {
    this.batch = batch.items(first);
    const { items, valid } = this.batch;
    for (let i = 0; i < batch.rows; i++) {
      if ((valid !== null && !isValid(valid, i)) || this.isBad(items[i])) marks.mark(i, this.kind);
    }
  }

  append(rows: Uint32Array, count: number): void {
    const items = this.batch?.items ?? rows;
    for (let k = 0; k < count; k++) this.column[this.count++] = items[rows[k]];
  }

  /** Values since the last call; valid until the next `append`. */
  take(): Float64Array {
    const taken = this.column.subarray(0, this.count);
    this.count = 0;
    return taken;
  }
}
