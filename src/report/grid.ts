/** Borderless tables of at most 80 columns: one head line, a rule, rows. */

import Table from 'cli-table3';
import { PLAIN, type Style, WIDTH } from './style.js';
import { displayWidth, shorten } from './text.js';

export interface Column {
  head: string;
  align: 'left' | 'right';
  /** At most one column gives way where the table would be too wide: its texts are shortened in the middle. */
  flexible?: boolean;
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

/** Lines of a table. Texts are made printable; numbers are the caller's to format. */
export function gridLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style = PLAIN,
): string[] {
  const widths = columns.map((column, c) =>
    Math.max(displayWidth(column.head), ...chunked(rows, (row) => displayWidth(shorten(row[c], WIDTH)))),
  );
  const flexible = columns.findIndex((column) => column.flexible);
  const total = widths.reduce((sum, w) => sum + w, 0) + 2 * (columns.length - 1);
  if (flexible >= 0 && total > WIDTH) {
    widths[flexible] = Math.max(displayWidth(columns[flexible].head), 6, widths[flexible] - (total - WIDTH));
  }
  const table = new Table({
    chars: NO_BORDER,
    colWidths: widths,
    colAligns: columns.map((column) => column.align),
    // Padding and colours of the library are off: the rule below and the style decide.
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(columns.map((column) => column.head));
  for (const row of rows) table.push(row.map((cell, c) => shorten(cell, widths[c])));
  const [head, ...body] = table.toString().split('\n');
  const rule = widths.map((w) => '─'.repeat(w)).join('  ');
  return [style.strong(head.trimEnd()), style.faint(rule), ...body.map((line) => line.trimEnd())];
}

/** Maximum over rows without spreading a hundred thousand arguments. */
function chunked(rows: readonly (readonly string[])[], measure: (row: readonly string[]) => number): [number] {
  let widest = 0;
  for (const row of rows) widest = Math.max(widest, measure(row));
  return [widest];
}
