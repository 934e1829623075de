/** Contexts that are handed on a stretch at a time, as dense rows or as row numbers of a table. */

import { ContextPacker, type ContextSpec, isDense, seemsDense } from './contexts.js';
import type { ContextTable } from './event-log.js';
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

export class ContextStretches {
  private readonly row: Float64Array;
  private readonly words: Int32Array;
  /** Distinct rows so far, of a table. */
  private readonly table = new WordInterner();
  private readonly of: Uint32Array;
  private readonly dimension: number;
  /** The stretch so far, of dense rows. */
  private rows: ContextPacker;
  /** Events so far, and those of the stretch. */
  private total = 0;
  private count = 0;

  /** @param capacity the most events between two calls of `take`. */
  constructor(
    private readonly spec: ContextSpec,
    private readonly capacity: number,
    private readonly form: ContextForm,
  ) {
    this.rows = ContextPacker.dense(spec, form === 'table' ? 0 : capacity);
    this.dimension = this.rows.finish().dimension;
    this.row = new Float64Array(spec.sources.length);
    this.words = new Int32Array(this.row.buffer);
    this.of = u32Column(form === 'table' && this.dimension > 0 ? capacity : 0);
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
      if (seemsDense(this.table.count, this.total)) throw new OtherForm(this.denseForm());
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
