/** Contexts that are handed on a stretch at a time, as dense rows or as row numbers of a table. */

import type { ContextTable } from '../event-log.js';
import { ContextPacker, type ContextSpec, isDense, seemsDense } from './contexts.js';
import { WordInterner } from './interner.js';
import { f32Column, u32Column } from './memory.js';

/** How a log's contexts are kept: which one fits is known at its end. */
export type ContextForm = 'table' | 'f32' | 'f64';

/** Contexts of some events: dense rows, or row numbers. */
export interface ContextStretch {
  readonly values: Float32Array | Float64Array;
  readonly row: Uint32Array | null;
}

/** The contexts do not have the form that was supposed: the log is to be read again. */
export class OtherForm extends Error {
  override readonly name = 'OtherForm';

  constructor(readonly form: ContextForm) {
    super(`the contexts are kept as ${form}`);
  }
}

/**
 * Reads with a supposed form of the contexts, and again with the one that they turn out to have. In most logs that shows in
 * the first stretches.
 */
export async function inForm<T>(read: (form: ContextForm) => Promise<T>): Promise<T> {
  for (let form: ContextForm = 'table'; ; ) {
    try {
      return await read(form);
    } catch (error) {
      if (!(error instanceof OtherForm)) throw error;
      form = error.form;
    }
  }
}

/** Bytes of distinct contexts that are kept as a table, which is held in memory: beyond, rows are dense. */
const MOST_TABLE_BYTES = 1 << 27;

/** Whether so many distinct contexts are too many for a table, however often they repeat. */
export function outgrowsTable(distinct: number, dimension: number): boolean {
  return distinct * dimension * 8 > MOST_TABLE_BYTES;
}

export class ContextStretches {
  /** The next event's source values, as of `ContextPacker`. Fill, then call `push`. */
  readonly row: Float64Array;
  private readonly words: Int32Array;
  /** Distinct rows so far, of a table. */
  private readonly table = new WordInterner();
  private of: Uint32Array;
  private readonly dimension: number;
  /** The stretch so far, of dense rows. */
  private rows: ContextPacker;
  /** Events so far, and those of the stretch. */
  private total = 0;
  private count = 0;

  /** @param capacity the most events between two calls of `take`, unless `reserve` is called. */
  constructor(
    private readonly spec: ContextSpec,
    private capacity: number,
    private readonly form: ContextForm,
  ) {
    this.rows = ContextPacker.dense(spec, form === 'table' ? 0 : capacity);
    this.dimension = this.rows.finish().dimension;
    this.row = new Float64Array(spec.sources.length);
    this.words = new Int32Array(this.row.buffer);
    this.of = u32Column(form === 'table' && this.dimension > 0 ? capacity : 0);
  }

  /** Makes room for `capacity` events between two calls of `take`. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    this.capacity = capacity;
    if (this.form !== 'table') this.rows.reserve(capacity);
    else if (this.dimension > 0) {
      const { of } = this;
      this.of = u32Column(capacity);
      this.of.set(of);
    }
  }

  /** Takes `row` as the next event's context. */
  push(): void {
    this.total++;
    if (this.dimension === 0) return;
    const { row, words } = this;
    if (this.form !== 'table') {
      this.rows.row.set(row);
      this.rows.push();
      return;
    }
    for (let j = 0; j < row.length; j++) row[j] += 0;
    this.of[this.count++] = this.table.intern(words, 0, words.length);
  }

  /** Pushes rows `rows[0 .. count)` of a batch whose source columns are `columns`. */
  pushBatch(columns: readonly ArrayLike<number>[], rows: Uint32Array, count: number): void {
    this.total += count;
    if (this.dimension === 0) return;
    if (this.form !== 'table') {
      this.rows.pushBatch(columns, rows, count);
      return;
    }
    const { row, words, of, table } = this;
    for (let k = 0; k < count; k++) {
      const i = rows[k];
      // Adding 0 turns −0 into 0.
      for (let j = 0; j < columns.length; j++) row[j] = columns[j][i] + 0;
      of[this.count++] = table.intern(words, 0, words.length);
    }
  }

  /** The contexts since the last call; valid until the next push. @throws OtherForm */
  take(): ContextStretch {
    if (this.dimension === 0) return { values: f32Column(0), row: null };
    if (this.form === 'table') {
      const { table, total, dimension } = this;
      if (seemsDense(table.count, total) || outgrowsTable(table.count, dimension))
        throw new OtherForm(this.denseForm());
      const row = this.of.subarray(0, this.count);
      this.count = 0;
      return { values: f32Column(0), row };
    }
    const { values } = this.rows.finish();
    if (this.form === 'f32' && values instanceof Float64Array) throw new OtherForm('f64');
    this.rows = ContextPacker.dense(this.spec, this.capacity);
    return { values, row: null };
  }

  /** The table without row numbers, or no dense rows: the events were taken. @throws OtherForm */
  finish(): ContextTable {
    if (this.dimension === 0 || this.form !== 'table') {
      const none = ContextPacker.dense(this.spec, 0).finish();
      return this.form === 'f64' && this.dimension > 0 ? { ...none, values: new Float64Array(0) } : none;
    }
    if (isDense(this.table.count, this.total)) throw new OtherForm(this.denseForm());
    return { ...this.expanded(), row: u32Column(0) };
  }

  /** Which dense form the rows so far need. */
  private denseForm(): ContextForm {
    return this.expanded().values instanceof Float32Array ? 'f32' : 'f64';
  }

  private expanded(): ContextTable {
    const { table } = this;
    const packer = ContextPacker.dense(this.spec, table.count);
    const words = new Int32Array(packer.row.buffer);
    for (let entry = 0; entry < table.count; entry++) {
      words.set(table.list(entry));
      packer.push();
    }
    return packer.finish();
  }
}
