/**
 * Result → CSV: quoting as in RFC 4180, one header line, full precision, nothing for `null`.
 * A text that a spreadsheet would run as a formula gets an apostrophe before it, which spreadsheets take as "this is text".
 * Lines end with `\n`, as DuckDB's and pandas' do, so that `cut`, `diff` and `sort` work on them.
 */

import { csvField } from './csv-field.js';
import type { ReplayResult } from './replay-result.js';
import type { EvaluationResult } from './result.js';
import { learnerColumns, policyColumns, type ResultColumn } from './result-columns.js';

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
    lines.push(columns.map(({ values }) => csvField(values[row])).join(','));
  return `${lines.join('\n')}\n`;
}
