/** Borderless tables as wide as the style allows at most: one head line, a rule, rows. */

import Table from 'cli-table3';
import { printable } from '../printable.js';
import { PLAIN, type Style } from './style.js';
import { displayWidth, shortenAll, wrap } from './text.js';

export interface Column {
  head: string;
  align: 'left' | 'right';
  /**
   * At most one column gives way where the table would be too wide: `shorten` leaves out a part of each text, with a mark;
   * `wrap` goes on in lines below.
   */
  flexible?: 'shorten' | 'wrap';
  /** Left out where the table would still be too wide, lowest number first; 0: before a text is shortened. */
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

/** Columns that a shortened text keeps, where anything else can give way instead; and most of them for a word of a wrapped one. */
const FLEXIBLE_MINIMUM = 12;
const WORD_MAXIMUM = 24;
/** Further lines of a wrapped text. */
const INDENT = '  ';

/** Lines of a table. Texts are made printable; numbers are the caller's to format. */
export function gridLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  style: Style = PLAIN,
): string[] {
  const widths = columns.map((column, c) => widest(column.head, rows, c, style.width));
  const shown = chooseColumns(columns, widths, rows, style.width);
  const table = new Table({
    chars: NO_BORDER,
    colWidths: shown.map((c) => widths[c]),
    colAligns: shown.map((c) => columns[c].align),
    // Padding and colours of the library are off: the rule below and the style decide.
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  });
  table.push(shown.map((c) => columns[c].head));
  const texts = shown.map((c) =>
    columnTexts(
      columns[c],
      rows.map((row) => row[c]),
      widths[c],
    ),
  );
  for (let r = 0; r < rows.length; r++) {
    const lines = Math.max(...texts.map((column) => column[r].length));
    for (let l = 0; l < lines; l++) table.push(texts.map((column) => column[r][l] ?? ''));
  }
  const [head, ...body] = table.toString().split('\n');
  const rule = shown.map((c) => '─'.repeat(widths[c])).join('  ');
  return [style.strong(head.trimEnd()), style.faint(rule), ...body.map((line) => line.trimEnd())];
}

/** Width that is left for the flexible column beside all others. */
export function flexibleRoom(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): number {
  const others = columns.flatMap(({ head, flexible }, c) =>
    flexible === undefined ? [widest(head, rows, c, room) + 2] : [],
  );
  return room - others.reduce((sum, width) => sum + width, 0);
}

/** Lines of each text of a column. */
function columnTexts({ flexible }: Column, texts: readonly string[], width: number): string[][] {
  if (flexible !== 'wrap') return shortenAll(texts, width).map((text) => [text]);
  return texts.map((text) => {
    if (displayWidth(printable(text)) <= width) return [printable(text)];
    // Only what goes on below is indented.
    const [first] = wrap(printable(text), width);
    const rest = printable(text).slice(first.length).trimStart();
    const more = rest === '' ? [] : wrap(rest, Math.max(1, width - INDENT.length));
    return [first, ...more.map((line) => INDENT + line)];
  });
}

/** Narrows the flexible column and drops optional ones until the table fits; the indices of the columns to show. */
function chooseColumns(
  columns: readonly Column[],
  widths: number[],
  rows: readonly (readonly string[])[],
  room: number,
): number[] {
  let shown = columns.map((_, c) => c);
  const flexible = columns.findIndex((column) => column.flexible !== undefined);
  const excess = (): number => shown.reduce((sum, c) => sum + widths[c] + 2, -2) - room;
  const narrow = (minimum: number): void => {
    if (flexible >= 0 && excess() > 0) {
      widths[flexible] = Math.max(Math.min(widths[flexible], minimum), widths[flexible] - excess());
    }
  };
  if (excess() > 0) shown = shown.filter((c) => columns[c].optional !== 0);
  narrow(columns[flexible]?.flexible === 'wrap' ? widestWord(rows, flexible) : FLEXIBLE_MINIMUM);
  const optional = shown.filter((c) => columns[c].optional !== undefined);
  optional.sort((a, b) => (columns[a].optional ?? 0) - (columns[b].optional ?? 0));
  for (const column of optional) if (excess() > 0) shown = shown.filter((c) => c !== column);
  narrow(1);
  return shown;
}

/** Width at which a column wraps between words. */
function widestWord(rows: readonly (readonly string[])[], column: number): number {
  let width = FLEXIBLE_MINIMUM;
  for (const row of rows)
    for (const [i, word] of printable(row[column]).split(' ').entries())
      width = Math.max(width, displayWidth(word) + (i === 0 ? 0 : INDENT.length));
  return Math.min(width, WORD_MAXIMUM);
}

/** Without spreading a hundred thousand arguments into Math.max. */
function widest(head: string, rows: readonly (readonly string[])[], column: number, room: number): number {
  let width = displayWidth(head);
  for (const row of rows) width = Math.max(width, Math.min(room, displayWidth(printable(row[column]))));
  return width;
}
