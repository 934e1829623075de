/**
 * Result → CSV: quoting as in RFC 4180, one header line, full precision, nothing for `null`.
 * A text that a spreadsheet would run as a formula gets an apostrophe before it, which spreadsheets take as "this is text".
 * Lines end with `\n`, as DuckDB's and pandas' do, so that `cut`, `diff` and `sort` work on them.
 */

import type { ReplayResult } from './replay-result.js';
import type { EvaluationResult } from './result.js';
import { type CellValue, learnerColumns, policyColumns, type ResultColumn } from './result-columns.js';

/** The policies as CSV; `consumed` and `complete` only for Algorithm 1. */
export function toCsv(result: EvaluationResult): string {
  return csvText(policyColumns(result));
}

/** The learners as CSV, or their replicas where these are in the result. */
export function toReplayCsv(result: ReplayResult): string {
  return csvText(learnerColumns(result));
}

/** A header line and one line per row. */
function csvText(columns: readonly ResultColumn[]): string {
  const lines = [columns.map(({ name }) => name).join(',')];
  for (let row = 0; row < columns[0].values.length; row++)
    lines.push(columns.map(({ values }) => field(values[row])).join(','));
  return `${lines.join('\n')}\n`;
}

/** One field: quoted where it holds a comma, a quote or a line break, or where blanks at its ends could be lost. */
function field(value: CellValue): string {
  if (value === null) return '';
  const text = typeof value === 'string' && isFormula(value) ? `'${value}` : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What spreadsheets take for a formula, full-width signs included (OWASP, CSV injection); a number is none. */
function isFormula(text: string): boolean {
  return /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
}
