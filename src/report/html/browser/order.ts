/** Which rows are shown, and in which order. */

import { csvField } from '../../csv-field.js';
import type { Cell, TableData } from '../table/cells.js';

export interface Wish {
  /** Part of a name, in any case. */
  name: string;
  /** Empty: all. */
  family: string;
  /** Only those that may be the best. */
  best: boolean;
  /** Name of the column to sort by; `null`: as they come, best first. */
  column: string | null;
  descending: boolean;
}

/** Numbers of rows. What is not known stands last, in either direction; equal ones stay as they come. */
export function orderOf({ columns }: TableData, { name, family, best, column, descending }: Wish): number[] {
  const cells = (wanted: string): readonly Cell[] => columns.find((one) => one.name === wanted)?.cells ?? [];
  const [names, families, mayBe] = [cells('name'), cells('family'), cells('mayBeBest')];
  const part = name.toLowerCase();
  const rows = [...names.keys()].filter(
    (row) =>
      (part === '' || String(names[row]).toLowerCase().includes(part)) &&
      (family === '' || families[row] === family) &&
      (!best || mayBe[row] === true),
  );
  if (column === null) return rows;
  const by = cells(column);
  return rows.sort((a, b) => {
    const [x, y] = [by[a], by[b]];
    if (x === null || y === null) return x === y ? a - b : x === null ? 1 : -1;
    return (descending ? compared(y, x) : compared(x, y)) || a - b;
  });
}

function compared(a: Cell, b: Cell): number {
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  return Number(a) - Number(b);
}

/** Rows as CSV. A text that a spreadsheet would run as a formula has an apostrophe before it, as in CSV results. */
export function toCsv({ columns }: TableData, rows: readonly number[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ cells }) => cells[row]))];
  return `${lines.map((line) => line.map(csvField).join(',')).join('\n')}\n`;
}
