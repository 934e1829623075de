/**
 * Many columns of numbers at a time. DuckDB takes time quadratic in the number of expressions, beyond the simplest: columns
 * of text are parsed as the elements of a few lists.
 */

import { type ItemColumn, isValid, type RowBatch } from '../../../files/duckdb.js';
import { MISSING_HINT } from '../../../log/build/missing.js';
import type { SourceColumn, SourceFile } from '../../format.js';
import type { BadKind, Marks } from './marks.js';
import { elementOf, findColumn, isText, numberOrNanSql, numberSql, wrongType } from './values.js';

/** Columns of a list. */
const WIDTH = 256;
/** So few columns are parsed by an expression each, which is faster. */
const FEW = 32;
/** The start of a list that is not as it must be. */
const NO_LIST = -1;

/** A column of numbers, or of lists of so many. */
export interface ColumnOfNumbers {
  readonly name: string;
  readonly length: number | null;
}

/** Where a feature is found: an expression, and an element of its lists unless it is the column itself. */
interface Place {
  readonly expression: number;
  readonly element: number | null;
  /** NULL is a missing number, not a text that is none. */
  readonly isTyped: boolean;
}

/** Lists of the log. */
interface Lists {
  readonly expression: number;
  readonly length: number;
  readonly fault: BadKind;
}

/** A column of a batch. */
export interface NumberColumn extends ItemColumn {
  readonly isTyped: boolean;
}

export class NumberColumns {
  private places: Place[] = [];
  private lists: Lists[] = [];
  /** Starts of the lists of a batch, by expression. */
  private readonly starts = new Map<number, Int32Array>();

  /** @param columns all of them contexts. */
  constructor(private readonly columns: readonly ColumnOfNumbers[]) {}

  /** Turns to a file. @returns the expressions to read. */
  bind(source: SourceFile): string[] {
    const expressions: string[] = [];
    const found = this.columns.map(({ name }) => findColumn(source, name, 'context'));
    const texts = found.filter(({ type }, i) => type === 'TEXT' && this.columns[i].length === null);
    const grouped = new Map<SourceColumn, Place>();
    for (let from = 0; from < texts.length && texts.length > FEW; from += WIDTH) {
      const group = texts.slice(from, from + WIDTH);
      for (const [element, column] of group.entries())
        grouped.set(column, { expression: expressions.length, element, isTyped: false });
      const values = group.map(({ sql }) => sql).join(', ');
      const number = numberOrNanSql(source, { ...group[0], sql: 'e' });
      expressions.push(`list_transform([${values}], lambda e: ${number})`);
    }
    this.lists = [];
    this.places = found.flatMap((column, i): Place[] => {
      const { name, length } = this.columns[i];
      const place = grouped.get(column);
      if (place !== undefined) return [place];
      if (length === null) {
        const expression = expressions.push(numberOrNanSql(source, column)) - 1;
        return [{ expression, element: null, isTyped: !isText(column) }];
      }
      const expression = expressions.push(listSql(source, column)) - 1;
      const needed = `a list of ${length} ${length === 1 ? 'number' : 'numbers'}, as in the first row that has one`;
      const fault = { kind: 'feature is no list of that length', column: name, needed, hint: MISSING_HINT.list() };
      this.lists.push({ expression, length, fault });
      return Array.from({ length }, (_, element) => ({ expression, element, isTyped: false }));
    });
    return expressions;
  }

  /** Turns to a batch, in which the first expression is column `first`. @returns the features in order of their names. */
  read(batch: RowBatch, first: number, marks: Marks): NumberColumn[] {
    this.starts.clear();
    for (const list of this.lists) this.checkLists(batch, first, list, marks);
    return this.places.map(({ expression, element, isTyped }) => ({
      ...(element === null ? batch.items(first + expression) : this.element(batch, first, expression, element)),
      isTyped,
    }));
  }

  /** Marks rows whose list has another length, whose features are then anything. */
  private checkLists(batch: RowBatch, first: number, { expression, length, fault }: Lists, marks: Marks): void {
    const { entries, valid } = batch.lists(first + expression);
    const starts = new Int32Array(batch.rows);
    for (let i = 0; i < batch.rows; i++) {
      const isList = (valid === null || isValid(valid, i)) && Number(entries[2 * i + 1]) === length;
      starts[i] = isList ? Number(entries[2 * i]) : NO_LIST;
      if (!isList) marks.mark(i, fault);
    }
    this.starts.set(expression, starts);
  }

  private element(batch: RowBatch, first: number, expression: number, element: number): ItemColumn {
    const { child, entries } = batch.lists(first + expression);
    const { rows } = batch;
    let starts = this.starts.get(expression);
    if (starts === undefined) {
      starts = Int32Array.from({ length: rows }, (_, i) => Number(entries[2 * i]));
      this.starts.set(expression, starts);
    }
    const { items } = child;
    const column = items instanceof Float32Array ? new Float32Array(rows) : new Float64Array(rows);
    for (let i = 0; i < rows; i++) if (starts[i] >= 0) column[i] = items[starts[i] + element];
    if (child.valid === null) return { items: column, valid: null };
    const valid = new Uint32Array(Math.ceil(rows / 32));
    for (let i = 0; i < rows; i++)
      if (starts[i] < 0 || isValid(child.valid, starts[i] + element)) valid[i >>> 5] |= 1 << (i & 31);
    return { items: column, valid };
  }
}

/** Lists of numbers: f32 where the file has f32, f64 otherwise. */
function listSql(source: SourceFile, column: SourceColumn): string {
  const element = column.type === 'TEXT' ? { ...column, sql: 'e' } : elementOf(column, 'e');
  if (element === null) throw wrongType(source, column, 'lists of numbers, as in the first file');
  const list =
    column.type === 'TEXT' ? `TRY_CAST(${column.sql} AS VARCHAR[])` : `CAST(${column.sql} AS ${element.type}[])`;
  return `list_transform(${list}, lambda e: ${numberSql(source, element)})`;
}
