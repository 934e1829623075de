/** Cells of the table of a report as text: by the program for the first rows, by the script of the page for those that are scrolled to. */

import { count, fixed, nonzero, percent } from '../../numbers.js';

/** What a column holds. `low` and `high` of the same head are shown as one. */
export type ColumnKind = 'name' | 'text' | 'index' | 'count' | 'number' | 'signed' | 'share' | 'low' | 'high' | 'flag';

export type Cell = string | number | boolean | null;

export interface TableColumn {
  /** As CSV calls it. */
  readonly name: string;
  /** As the page calls it. */
  readonly head: string;
  readonly kind: ColumnKind;
  readonly decimals: number;
  /** Row by row. */
  readonly cells: readonly Cell[];
}

/** The table, and what its script must know. */
export interface TableData {
  readonly noun: readonly [one: string, many: string];
  /** Rows, and those that the result leaves out. */
  readonly total: number;
  readonly columns: readonly TableColumn[];
  /** Values over time of those rows that have them, by index, for the picture of that name. */
  readonly series: Readonly<
    Record<
      string,
      { readonly x: readonly number[]; readonly rows: Readonly<Record<string, readonly (number | null)[]>> }
    >
  >;
}

/** Rows on paper. */
export const PRINTED = 200;

/** Columns that are shown: all but upper ends, which stand beside their lower ones. */
export function shownColumns(columns: readonly TableColumn[]): TableColumn[] {
  return columns.filter(({ kind }) => kind !== 'high');
}

/** Numbers stand on the right. */
export function isNumeric({ kind }: TableColumn): boolean {
  return kind !== 'name' && kind !== 'text' && kind !== 'flag';
}

/** One cell as text. */
export function cellText(columns: readonly TableColumn[], column: TableColumn, row: number): string {
  const { kind, decimals, cells } = column;
  const cell = cells[row];
  if (kind === 'low') {
    const high = columns[columns.indexOf(column) + 1]?.cells[row];
    if (typeof cell !== 'number' || typeof high !== 'number') return '–';
    return `${fixed(cell, decimals)} to ${fixed(high, decimals)}`;
  }
  if (kind === 'flag') return cell === true ? 'yes' : '';
  if (cell === null) return kind === 'number' ? 'none' : '–';
  if (typeof cell !== 'number') return String(cell);
  if (kind === 'index') return String(cell);
  if (kind === 'count') return count(cell);
  if (kind === 'share') return percent(Math.round(cell * 1000) / 1000);
  if (kind === 'signed') return `${cell < 0 ? '−' : '+'}${fixed(Math.abs(cell), decimals)}`;
  return nonzero(cell, decimals);
}
