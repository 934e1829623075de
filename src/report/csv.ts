/**
 * Result → CSV: quoting as in RFC 4180, one header line, full precision, nothing for `null`.
 * A text that a spreadsheet would run as a formula gets an apostrophe before it, which spreadsheets take as "this is text".
 * Lines end with `\n`, as DuckDB's and pandas' do, so that `cut`, `diff` and `sort` work on them.
 */

import type { EvaluationResult, PolicyResult } from './result.js';

/** A column and what a row holds in it. */
export type CsvColumn<Row> = readonly [name: string, cell: (row: Row) => string | number | boolean | null | undefined];

type Column = CsvColumn<PolicyResult>;

const COLUMNS: readonly Column[] = [
  ['index', (p) => p.index],
  ['name', (p) => p.name],
  ['family', (p) => p.family],
  ['matches', (p) => p.matches],
  ['payoff', (p) => p.payoff],
  ['value', (p) => p.value],
  ['lower', (p) => p.interval[0]],
  ['upper', (p) => p.interval[1]],
];

const ALGORITHM_1: readonly Column[] = [
  ['consumed', (p) => p.consumed],
  ['complete', (p) => p.complete],
];

/** The policies as CSV; `consumed` and `complete` only for Algorithm 1. */
export function toCsv(result: EvaluationResult): string {
  const columns = result.estimator.algorithm === 1 ? [...COLUMNS, ...ALGORITHM_1] : COLUMNS;
  return csvText(columns, result.policies);
}

/** A header line and one line per row. */
export function csvText<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(([name]) => name).join(',')];
  for (const row of rows) lines.push(columns.map(([, cell]) => field(cell(row))).join(','));
  return `${lines.join('\n')}\n`;
}

/** One field: quoted where it holds a comma, a quote or a line break, or where blanks at its ends could be lost. */
function field(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && isFormula(value) ? `'${value}` : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What spreadsheets take for a formula, full-width signs included (OWASP, CSV injection); a number is none. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}
