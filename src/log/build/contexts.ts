/** Contexts: a table of distinct rows while rows repeat, dense rows otherwise. */

import { InputError } from '../../errors.js';
import type { ContextTable } from '../event-log.js';
import { type ContextBatch, type ContextForm, OtherForm, outgrowsTable } from './context-form.js';
import { WordInterner } from './interner.js';
import { availableBytes, checkRoom, f32Column, f64Column, gigabytes, u32Column } from './memory.js';

/** Name of the constant column. */
export const INTERCEPT = '(intercept)';

/** One column of the source: a number as it is, or a category as a block of 0/1 columns. */
export type ContextSource =
  | { readonly kind: 'numeric'; readonly name: string }
  | { readonly kind: 'onehot'; readonly name: string; readonly levels: readonly string[] };

/** The sources of a context in order, and whether a constant 1 is put last. */
export interface ContextSpec {
  readonly sources: readonly ContextSource[];
  readonly intercept: boolean;
}

/** Names of the d columns. */
export function contextColumns(spec: ContextSpec): string[] {
  const names = spec.sources.flatMap((source) =>
    source.kind === 'numeric' ? [source.name] : source.levels.map((level) => `${source.name}=${level}`),
  );
  if (spec.intercept) names.push(INTERCEPT);
  return names;
}

/** Events seen before rows that do not repeat are given up as dense: enough to recognize ten thousands of users. */
const SAMPLE = 131072;

/** Whether a log of `events` contexts, `distinct` of them distinct, has a dense row per event. */
export function isDense(distinct: number, events: number): boolean {
  return distinct * 2 > events;
}

/** The same of a log of which `events` have been seen. */
export function seemsDense(distinct: number, events: number): boolean {
  return events >= SAMPLE && isDense(distinct, events);
}

/** Dense rows are written this much at a time before the memory is looked at again. Bytes. */
const LOOK = 2 ** 28;

/** Memory comes in pages: a row of one-hot columns touches as many as it has blocks at most. Bytes. */
const PAGE = 4096;

/** Collects contexts in event order: of all events, or of a batch at a time, whose form is then not free. */
export class ContextPacker {
  /** The next event's source values: numbers, or level codes of one-hot columns. Fill, then call `push`. */
  readonly row: Float64Array;
  private readonly words: Int32Array;
  private readonly columns: string[];
  private readonly offsets: number[] = [];
  /** Events since the last `take`, and those before. */
  private count = 0;
  private before = 0;
  private interner: WordInterner | null = new WordInterner();
  private of: Uint32Array | null = null;
  private dense: Float32Array | Float64Array | null = null;
  /** Dense rows for which there is memory, as far as was looked. */
  private roomy = 0;

  /**
   * @param capacity the most events that may be pushed between two calls of `take`, unless `reserve` is called.
   * @param form that the contexts are to have; `null`: the one that fits.
   */
  constructor(
    private readonly spec: ContextSpec,
    private capacity: number,
    private readonly form: ContextForm | null = null,
  ) {
    this.row = new Float64Array(spec.sources.length);
    this.words = new Int32Array(this.row.buffer);
    this.columns = contextColumns(spec);
    let offset = 0;
    for (const source of spec.sources) {
      this.offsets.push(offset);
      offset += source.kind === 'numeric' ? 1 : source.levels.length;
    }
    if (this.columns.length === 0) return;
    if (form === 'f32' || form === 'f64') this.beginDense(capacity, form);
    else this.of = u32Column(capacity);
  }

  /** Makes room for `capacity` events, for readers that learn of their number as they go. */
  reserve(capacity: number): void {
    if (capacity <= this.capacity) return;
    this.capacity = capacity;
    const { of, dense, count } = this;
    const dimension = this.columns.length;
    if (of !== null) {
      this.of = u32Column(capacity);
      this.of.set(of.subarray(0, count));
    }
    if (dense !== null) {
      this.dense = dense instanceof Float32Array ? f32Column(capacity * dimension) : f64Column(capacity * dimension);
      this.dense.set(dense.subarray(0, count * dimension));
    }
  }

  /**
   * Takes `row` as the next event's context. Its values must be finite; −0 is stored as 0, which no score can tell apart.
   *
   * @throws OtherForm where the form is not free.
   */
  push(): void {
    const { row } = this;
    for (let j = 0; j < row.length; j++) row[j] += 0;
    if (this.dense !== null) {
      this.writeDense(this.count++);
      return;
    }
    const event = this.count++;
    if (this.interner === null || this.of === null) return;
    this.of[event] = this.interner.intern(this.words, 0, this.words.length);
    if (seemsDense(this.interner.count, this.before + this.count)) this.makeDense(this.capacity);
  }

  /** Pushes rows `rows[0 .. count)` of a batch whose source columns are `columns`. @throws OtherForm where the form is not free. */
  pushBatch(columns: readonly ArrayLike<number>[], rows: Uint32Array, count: number): void {
    const { row } = this;
    let k = 0;
    for (; k < count && this.dense === null; k++) {
      const i = rows[k];
      for (let j = 0; j < columns.length; j++) row[j] = columns[j][i];
      this.push();
    }
    if (k === count) return;
    this.look(this.count + count - k);
    for (let j = 0; j < columns.length; j++) this.writeColumn(j, columns[j], rows, k, count);
    if (this.spec.intercept) {
      const dimension = this.columns.length;
      const dense = this.dense as Float32Array | Float64Array;
      for (let t = this.count, n = this.count + count - k; t < n; t++) dense[(t + 1) * dimension - 1] = 1;
    }
    this.count += count - k;
  }

  /** Column-wise form of `writeDense` for the next events: short loops over one array each are several times faster. */
  private writeColumn(j: number, items: ArrayLike<number>, rows: Uint32Array, from: number, to: number): void {
    const dimension = this.columns.length;
    const oneHot = this.spec.sources[j].kind === 'onehot';
    let dense = this.dense as Float32Array | Float64Array;
    let at = this.count * dimension + this.offsets[j];
    if (oneHot) {
      for (let k = from; k < to; k++, at += dimension) dense[at + items[rows[k]]] = 1;
      return;
    }
    const mayLose = dense instanceof Float32Array && !(items instanceof Float32Array);
    for (let k = from; k < to; k++, at += dimension) {
      const value = items[rows[k]] + 0;
      if (mayLose && dense instanceof Float32Array && Math.fround(value) !== value) {
        // Columns to the left have written rows up to the end of the batch already.
        dense = this.widen((this.count + to - from) * dimension);
      }
      dense[at] = value;
    }
  }

  /**
   * Before dense rows up to `rows` are written. Arrays are as large as they may become, and take memory where they are written only.
   *
   * @throws InputError with the sum, where those to come do not fit the memory.
   */
  private look(rows: number): void {
    if (rows <= this.roomy) return;
    const { capacity, columns, dense, spec } = this;
    const each = dense instanceof Float64Array ? 8 : 4;
    const touched = spec.sources.reduce(
      (sum, source) => sum + (source.kind === 'numeric' ? each : Math.min(PAGE, source.levels.length * each)),
      0,
    );
    const all = Math.max(capacity, rows);
    const next = Math.min(all, Math.max(rows, this.roomy + Math.ceil(LOOK / touched)));
    const free = availableBytes();
    if ((next - this.roomy) * touched > free) {
      throw new InputError({
        problem: 'the contexts do not fit the memory',
        got: `${all} rows × ${columns.length} columns × ${each} bytes = ${gigabytes(all * columns.length * each)}, ${this.roomy} rows of which are read`,
        needed: `at most ${gigabytes(free)} for the rest, the memory that is free`,
        hint: 'fewer context columns, --where or --memory (in code: where, memory), or a machine with more memory',
      });
    }
    this.roomy = next;
  }

  /** Moves dense values to f64, of which the first `used` are in use. */
  private widen(used: number): Float64Array {
    if (this.form === 'f32') throw new OtherForm('f64');
    const dense = this.dense as Float32Array | Float64Array;
    const hint = 'features that f32 holds (steps of 2^-k, whole numbers to 2^24), or fewer context columns';
    checkRoom('the contexts in f64', `${used} numbers × 8 bytes`, used * 8, hint);
    const wide = f64Column(dense.length);
    wide.set(dense.subarray(0, used));
    this.dense = wide;
    return wide;
  }

  /** The contexts since the last call; valid until the next push. @throws OtherForm */
  take(): ContextBatch {
    const { count, capacity, columns, interner, of, dense } = this;
    const dimension = columns.length;
    this.before += count;
    this.count = 0;
    if (dense === null) {
      if (interner !== null && outgrowsTable(interner.count, dimension)) throw new OtherForm(this.denseForm(interner));
      return { values: f32Column(0), row: of?.subarray(0, count) ?? null };
    }
    this.beginDense(capacity, dense instanceof Float32Array ? 'f32' : 'f64');
    return { values: dense.subarray(0, count * dimension), row: null };
  }

  /** The contexts, without those that were taken. @throws OtherForm where the form is not free. */
  finish(): ContextTable {
    const { columns, count } = this;
    const dimension = columns.length;
    if (dimension === 0) return { dimension, rows: count, values: f32Column(0), row: null, columns };
    if (this.interner !== null && isDense(this.interner.count, this.before + count)) this.makeDense(count);
    if (this.dense !== null) {
      return { dimension, rows: count, values: this.dense.subarray(0, count * dimension), row: null, columns };
    }
    const { interner, of } = this;
    const rows = interner?.count ?? 0;
    if (interner !== null && interner.count > 0) this.expand(interner, rows);
    const values = this.dense ?? f32Column(0);
    return { dimension, rows, values, row: of?.subarray(0, count) ?? null, columns };
  }

  private beginDense(capacity: number, form: 'f32' | 'f64'): void {
    const length = capacity * this.columns.length;
    this.interner = null;
    this.of = null;
    this.dense = form === 'f32' ? f32Column(length) : f64Column(length);
    this.roomy = 0;
  }

  /** Stops looking for repeated rows: expands those of the events so far. */
  private makeDense(capacity: number): void {
    const { interner, of, count } = this;
    if (interner === null || of === null) return;
    if (this.form !== null) throw new OtherForm(this.denseForm(interner));
    this.beginDense(capacity, 'f32');
    const next = this.row.slice();
    for (let event = 0; event < count; event++) {
      this.words.set(interner.list(of[event]));
      this.writeDense(event);
    }
    this.row.set(next);
  }

  /** Which dense form distinct rows need. */
  private denseForm(interner: WordInterner): ContextForm {
    const { row, words, spec } = this;
    const isExact = (value: number, j: number) => spec.sources[j].kind === 'onehot' || Math.fround(value) === value;
    for (let entry = 0; entry < interner.count; entry++) {
      words.set(interner.list(entry));
      if (!row.every(isExact)) return 'f64';
    }
    return 'f32';
  }

  private expand(interner: WordInterner, rows: number): void {
    this.dense = f32Column(rows * this.columns.length);
    for (let entry = 0; entry < rows; entry++) {
      this.words.set(interner.list(entry));
      this.writeDense(entry);
    }
  }

  /** Writes `row`, expanded, as row `target`; moves to f64 at the first value that f32 cannot hold. */
  private writeDense(target: number): void {
    this.look(target + 1);
    const { row, spec, offsets } = this;
    const dimension = this.columns.length;
    const base = target * dimension;
    let dense = this.dense as Float32Array | Float64Array;
    for (let j = 0; j < row.length; j++) {
      const value = row[j];
      if (spec.sources[j].kind === 'onehot') {
        dense[base + offsets[j] + value] = 1;
        continue;
      }
      if (dense instanceof Float32Array && Math.fround(value) !== value) {
        dense = this.widen(base + dimension);
      }
      dense[base + offsets[j]] = value;
    }
    if (spec.intercept) dense[base + dimension - 1] = 1;
  }
}
