/** What to say of a bad row: where it is, and its value as it was written. */

import type { Fault } from '../../errors.js';
import { type Database, sqlName } from '../formats/duckdb.js';
import type { Reject, SourceFile } from '../formats/source.js';
import type { FirstBad } from './marks.js';
import { findColumn } from './values.js';

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
  if (fault.got === undefined) fault.got = await readValue(database, source, bad);
  return fault;
}

async function readValue(database: Database, source: SourceFile, { row, kind }: FirstBad): Promise<string> {
  const column = kind.column === null ? null : findColumn(source, kind.column, 'mapping');
  const sql = column === null ? 'line' : column.sql;
  const [found] = await database.rows(
    `SELECT v FROM (SELECT CAST(${sql} AS VARCHAR) AS v, ${source.rowNumber} AS ${sqlName(ROW)} FROM ${source.relation}) WHERE ${sqlName(ROW)} = ${row}`,
  );
  const value = found?.[0];
  if (value === null || value === undefined) return column?.type === 'TEXT' ? 'nothing' : 'NULL';
  return column === null || column.type === 'TEXT' || column.type === 'VARCHAR'
    ? JSON.stringify(String(value).slice(0, 120))
    : String(value);
}
