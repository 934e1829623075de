/** Contexts of several files: a table of distinct rows where that is small, dense rows otherwise. */

import { isDense } from '../../log/build/contexts.js';
import { WordInterner } from '../../log/build/interner.js';
import { f32Column, f64Column, u32Column } from '../../log/build/memory.js';
import type { ContextTable } from '../../log/event-log.js';
import type { PackedFile } from '../packed-file.js';
import { type ContextRecoding, simplified } from '../recoding.js';
import { firstDifference, nonEmpty, placed, unlike } from './parts.js';

/** Events with dense rows that are looked at for rows that are in a table already. */
const MOST_LOOKED_AT = 131072;

type Values = Float32Array | Float64Array;

const SAME: ContextRecoding = { kind: 'same', codes: null };

export class ContextMerger {
  private readonly nonEmpty: ReadonlySet<PackedFile>;
  private columns: { readonly names: readonly string[]; readonly file: PackedFile } | null = null;
  /** Rows of the table, as words; `null`: rows are dense. */
  private table: WordInterner | null;
  private readonly type: 'f32' | 'f64';
  private readonly hasDense: boolean;
  private readonly parts: { readonly values: Values; readonly table: boolean; readonly codes: Uint32Array | null }[] =
    [];
  private readonly events: number;

  constructor(private readonly files: readonly PackedFile[]) {
    const with_ = nonEmpty(files);
    this.nonEmpty = new Set(with_);
    this.type = with_.some(({ header }) => header.contexts.values === 'f64') ? 'f64' : 'f32';
    const dense = with_.filter(({ header }) => header.contexts.table === null);
    const count = (some: readonly PackedFile[]): number => some.reduce((sum, { header }) => sum + header.events, 0);
    this.events = count(files);
    this.hasDense = dense.length > 0;
    this.table = count(dense) <= MOST_LOOKED_AT ? new WordInterner() : null;
  }

  /**
   * The next file's contexts.
   *
   * @param denseRows reads the contexts of all of its events, where they are dense.
   */
  async add(file: PackedFile, contexts: ContextTable, denseRows: () => Promise<Values>): Promise<void> {
    const isTable = file.header.contexts.table !== null;
    // A log of no events may lack columns that it would have.
    if (this.nonEmpty.has(file) || contexts.dimension > 0) this.checkColumns(file, contexts.columns);
    let codes: Uint32Array | null = null;
    const { dimension, values } = contexts;
    const isLookedAt = this.nonEmpty.has(file) && dimension > 0 && this.table !== null;
    if (isLookedAt) codes = this.intern(isTable ? values : await denseRows(), dimension);
    // A table may still have to be written out.
    this.parts.push({ values: this.hasDense ? values : new Float32Array(0), table: isTable, codes });
  }

  private checkColumns(file: PackedFile, names: readonly string[]): void {
    this.columns ??= { names, file };
    const first = this.columns;
    const at = firstDifference(first.names, names);
    if (at === null) return;
    throw unlike(this.files, {
      file: file.name,
      column: 'context',
      problem: `the context columns are not those of ${first.file.name}`,
      got: placed(names, at, 'column'),
      needed: `${placed(first.names, at, 'column')} (a one-hot column has one for each value that its file has)`,
    });
  }

  /** Numbers of rows in the table, to which new ones are added. */
  private intern(values: Values, dimension: number): Uint32Array {
    const rows = values.length / dimension;
    const codes = u32Column(rows);
    const row = this.type === 'f32' ? new Float32Array(dimension) : new Float64Array(dimension);
    const words = new Int32Array(row.buffer);
    const table = this.table ?? new WordInterner();
    for (let r = 0; r < rows; r++) {
      for (let j = 0, i = r * dimension; j < dimension; j++, i++) row[j] = values[i];
      codes[r] = table.intern(words, 0, words.length);
    }
    return codes;
  }

  /** The table without events, and what the contexts of each file become. */
  finish(): { contexts: ContextTable; recodings: ContextRecoding[] } {
    const { columns, table, parts, hasDense, events } = this;
    const names = columns?.names ?? [];
    const dimension = names.length;
    const make = this.type === 'f32' ? f32Column : f64Column;
    const none = { dimension, columns: names, rows: 0, row: null };
    if (dimension === 0) return { contexts: { ...none, values: make(0) }, recodings: parts.map(() => SAME) };
    if (table === null || (hasDense && isDense(table.count, events))) {
      const recodings = parts.map(
        (part): ContextRecoding => (part.table ? { kind: 'dense', values: part.values } : SAME),
      );
      return { contexts: { ...none, values: make(0) }, recodings };
    }
    const values = make(table.count * dimension);
    const words = new Int32Array(values.buffer, values.byteOffset, values.byteLength / 4);
    const width = words.length / Math.max(1, table.count);
    for (let r = 0; r < table.count; r++) words.set(table.list(r), r * width);
    this.table = null;
    const recodings = parts.map((part): ContextRecoding => {
      if (part.codes === null) return SAME;
      return part.table ? { kind: 'same', codes: simplified(part.codes) } : { kind: 'events', rows: part.codes };
    });
    return { contexts: { ...none, rows: table.count, values, row: u32Column(0) }, recodings };
  }
}
