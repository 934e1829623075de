/**
 * Many columns of numbers at a time. DuckDB takes time quadratic in the number of expressions, beyond the simplest: columns
 * of text are parsed as the elements of a few lists.
 */

import { type Batch, type ItemColumn, isValid } from '../formats/duckdb.js';
import type { SourceColumn, SourceFile } from '../formats/source.js';
import { findColumn, numberSql } from './values.js';

/** Columns of a list. */
const WIDTH = 256;

/** Where a column is found: an expression, and an element of its lists unless it is the column itself. */
interface Place {
  readonly expression: number;
  readonly element: number | null;
}

export class NumberColumns {
  private places: Place[] = [];
  /** Starts of the lists of a batch, by expression. */
  private readonly starts = new Map<number, Int32Array>();

  /** @param names of the columns, all of them contexts. */
  constructor(private readonly names: readonly string[]) {}

  /** Turns to a file. @returns the expressions to read. */
  bind(source: SourceFile): string[] {
    const expressions: string[] = [];
    const columns = this.names.map((name) => findColumn(source, name, 'context'));
    const texts = columns.filter(({ type }) => type === 'TEXT');
    const lists = new Map<SourceColumn, Place>();
    for (let from = 0; from < texts.length; from += WIDTH) {
      const group = texts.slice(from, from + WIDTH);
      for (const [element, column] of group.entries()) lists.set(column, { expression: expressions.length, element });
      const values = group.map(({ sql }) => sql).join(', ');
      const number = numberSql(source, { ...group[0], sql: 'e' });
      expressions.push(`list_transform([${values}], lambda e: ${number})`);
    }
    this.places = columns.map(
      (column) => lists.get(column) ?? { expression: expressions.push(numberSql(source, column)) - 1, element: null },
    );
    return expressions;
  }

  /** Turns to a batch, in which the first expression is column `first`. @returns the columns in order of their names. */
  read(batch: Batch, first: number): ItemColumn[] {
    this.starts.clear();
    return this.places.map(({ expression, element }) =>
      element === null ? batch.items(first + expression) : this.element(batch, first, expression, element),
    );
  }

  private element(batch: Batch, first: number, expression: number, element: number): ItemColumn {
    const { child, entries } = batch.lists(first + expression);
    const { rows } = batch;
    let starts = this.starts.get(expression);
    if (starts === undefined) {
      starts = Int32Array.from({ length: rows }, (_, i) => Number(entries[2 * i]));
      this.starts.set(expression, starts);
    }
    const { items } = child;
    const column = new Float64Array(rows);
    for (let i = 0; i < rows; i++) column[i] = items[starts[i] + element];
    if (child.valid === null) return { items: column, valid: null };
    const valid = new Uint32Array(Math.ceil(rows / 32));
    for (let i = 0; i < rows; i++) if (isValid(child.valid, starts[i] + element)) valid[i >>> 5] |= 1 << (i & 31);
    return { items: column, valid };
  }
}
