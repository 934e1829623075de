/** What to say of a bad row: where it is, and its value as it was written. */

import type { Fault } from '../../../errors.js';
import { type Database, sqlName } from '../../../files/duckdb.js';
import { lookAlikeOf } from '../../../names/look-alike.js';
import { nearestName } from '../../../names/order.js';
import { plural } from '../../../words.js';
import type { Reject, SourceColumn, SourceFile } from '../../format.js';
import type { FirstBad } from './marks.js';
import { parseList } from './plan.js';
import { findColumn, missingSql } from './values.js';

/** Name of the row number in a query; no source column is called so. */
export const ROW = '__hindcast_row';

/** Number of a row in its file, from its number among the rows that are records. */
export function rowMapper(rejects: readonly Reject[]): (row: number) => number {
  if (rejects.length === 0) return (row) => row;
  // The j-th reject lies after all records whose number is at most its row minus j.
  const limits = rejects.map(({ row }, j) => row - j);
  return (row) => {
    let low = 0;
    let high = limits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (limits[middle] <= row) low = middle + 1;
      else high = middle;
    }
    return row + low;
  };
}

export function rejectFault(source: SourceFile, { row, line, kind, got, needed, hint }: Reject): Fault {
  return { file: source.file, row, line: line ?? undefined, problem: kind, got, needed, hint };
}

/** The row at which a reading ends, in full; of a missing value, with the number of rows of the file that miss it. */
export async function describeLast(
  database: Database,
  source: SourceFile,
  bad: FirstBad,
  toFileRow: (row: number) => number,
): Promise<Fault> {
  const fault = await describe(database, source, bad, toFileRow);
  const { missing, column } = bad.kind;
  if (missing === undefined || column === null) return fault;
  const isMissing = missingSql(source, findColumn(source, column, 'mapping'), missing);
  const [[rows, all]] = await database.rows(
    `SELECT count(*) FILTER (WHERE ${isMissing}), count(*) FROM ${source.relation}`,
  );
  return {
    ...fault,
    got: `${fault.got}; missing in ${Number(rows).toLocaleString('en')} of ${plural(Number(all), 'row')} of the file`,
  };
}

/** A bad row in full: reads it again for the value as it was written. */
export async function describe(
  database: Database,
  source: SourceFile,
  bad: FirstBad,
  toFileRow: (row: number) => number,
): Promise<Fault> {
  const { kind } = bad;
  const row = toFileRow(bad.row);
  const fault: Fault = {
    file: source.file,
    row,
    line: (await source.line(row)) ?? undefined,
    column: kind.column ?? undefined,
    problem: kind.kind,
    needed: kind.needed,
    hint: kind.hint ?? 'correct it, or drop such rows with --skip-bad-rows, which counts them',
    ...bad.fault,
  };
  if (fault.got === undefined && kind.column !== null) {
    const value = await readValue(database, source, bad.row, findColumn(source, kind.column, 'mapping'));
    fault.got = value.shown;
    const near = nearestOf(value.text, kind.known);
    if (near !== null) fault.hint = `did you mean ${JSON.stringify(near)}?`;
    const number = source.decimalComma === true ? value.text?.replace(',', '.') : value.text;
    fault.hint = kind.guess?.(Number(number ?? 0)) ?? fault.hint;
  }
  const { got = '' } = fault;
  if (/^"\s*[+-]?\d+,\d+\s*"$/.test(got) && /number|propensity/.test(kind.kind) && source.decimalComma !== true)
    fault.hint = 'if the comma stands before decimals: --decimal-separator ,';
  if (/^"\s*[+-]?\d*\.[\d.]*(,\d+)?\s*"$/.test(got) && source.decimalComma === true)
    fault.hint = 'with --decimal-separator , numbers have no dots, neither between thousands nor before decimals';
  return fault;
}

/** Of a value, or of a list of values, what the first one that is not known is likely to mean. */
function nearestOf(text: string | null, known: readonly string[] | undefined): string | null {
  if (text === null || known === undefined || known.includes(text)) return null;
  const one = parseList(text, null).find((id) => !known.includes(id)) ?? text;
  return lookAlikeOf(text, known) ?? nearestName(one, known);
}

async function readValue(
  database: Database,
  source: SourceFile,
  row: number,
  { sql, type }: SourceColumn,
): Promise<{ shown: string; text: string | null }> {
  const [found] = await database.rows(
    `SELECT v FROM (SELECT CAST(${sql} AS VARCHAR) AS v, ${source.rowNumber} AS ${sqlName(ROW)} FROM ${source.relation}) WHERE ${sqlName(ROW)} = ${row}`,
  );
  const value = found?.[0];
  if (value === null || value === undefined) return { shown: type === 'TEXT' ? 'nothing' : 'NULL', text: null };
  const text = String(value);
  return { shown: type === 'TEXT' || type === 'VARCHAR' ? JSON.stringify(text.slice(0, 120)) : text, text };
}
