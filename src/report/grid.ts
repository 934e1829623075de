/** Borderless tables of at most 80 columns: one head line, a rule, rows. */

import Table from 'cli-table3';
import { PLAIN, type Style, WIDTH } from './style.js';
import { displayWidth, shorten } from './text.js';

export interface Column {
  head: string;
  align: 'left' | 'right';
  /** At most one column gives way where the table would be too wide: its texts are shortened in the middle. */
  flexible?: boolean;
  /** Left out where the table would still be too wide, lowest number first. */
  optional?: number;
}

const NO_BORDER = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Columns that a shortened text keeps, where anything else can give way instead. */
const FLEXIBLE_MINIMUM = 12;

/** Lines of a table. Texts are made printable; numbers are the caller's to format. */
export function gridLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style = PLAIN,
): string[] {
  const widths = columns.map((column, c) => widest(column.head, rows, c));
  const shown = chooseColumns(columns, widths);
  const table = new Table({
    chars: NO_BORDER,
    colWidths: shown.map((c) => widths[c]),
    colAligns: shown.map((c) => columns[c].align),
    // Padding and colours of the library are off: the rule below and the style decide.
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(shown.map((c) => columns[c].head));
  for (const row of rows) table.push(shown.map((c) => shorten(row[c], widths[c])));
  const [head, ...body] = table.toString().split('\n');
  const rule = shown.map((c) => '─'.repeat(widths[c])).join('  ');
  return [style.strong(head.trimEnd()), style.faint(rule), ...body.map((line) => line.trimEnd())];
}

/** Narrows the flexible column and drops optional ones until the table fits; the indices of the columns to show. */
function chooseColumns(columns: readonly Column[], widths: number[]): number[] {
  let shown = columns.map((_, c) => c);
  const flexible = columns.findIndex((column) => column.flexible);
  const excess = (): number => shown.reduce((sum, c) => sum + widths[c] + 2, -2) - WIDTH;
  const narrow = (minimum: number): void => {
    if (flexible >= 0 && excess() > 0) {
      widths[flexible] = Math.max(Math.min(widths[flexible], minimum), widths[flexible] - excess());
    }
  };
  narrow(FLEXIBLE_MINIMUM);
  const optional = shown.filter((c) => columns[c].optional !== undefined);
  optional.sort((a, b) => (columns[a].optional ?? 0) - (columns[b].optional ?? 0));
  for (const column of optional) if (excess() > 0) shown = shown.filter((c) => c !== column);
  narrow(1);
  return shown;
}

/** Without spreading a hundred thousand arguments into Math.max. */
function widest(head: string, rows: readonly (readonly string[])[], column: number): number {
  let width = displayWidth(head);
  for (const row of rows) width = Math.max(width, displayWidth(shorten(row[column], WIDTH)));
  return width;
}
