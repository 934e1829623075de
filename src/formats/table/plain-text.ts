/** Text as DuckDB gets it: unpacked, of records only, and with none longer than the limit. */

import { InputError } from '../../errors.js';
import { DAMAGED } from '../../files/damage.js';
import { sqlPath, sqlText } from '../../files/duckdb.js';
import { unpacked } from '../../files/files.js';
import { MOST_LINE } from '../../files/lines.js';
import { plural } from '../../words.js';
import type { OpenOptions, Reject } from '../format.js';

/** Longest record and smallest buffer of DuckDB's reader by default, in bytes. */
const DUCKDB_LINE = 2e6;
const DUCKDB_BUFFER = 32e6;

/** A text file of records that are all sound. */
export interface PlainText {
  readonly path: string;
  /** Line of its header; `null`: none, and records are from the second line on. */
  readonly header: number | null;
  readonly delimiter: string;
  /** How each record ends. */
  readonly newLine: '\\n' | '\\r\\n';
  readonly columns: number;
  /** Bytes of the longest record. */
  readonly longest: number;
  /** Whether values hold line ends. */
  readonly breaks: boolean;
  /** Whether "" is a value, and not nothing. */
  readonly emptyIsText: boolean;
}

/** How DuckDB reads it: columns `c0`, `c1`, … of text. @param isOrdered rows come in the order of the file. */
export function scanOf(text: PlainText, isOrdered: boolean): string {
  const { path, header, delimiter, newLine, columns, longest, breaks, emptyIsText } = text;
  const buffer = Math.max(DUCKDB_BUFFER, 4 * longest);
  const sizes = longest < DUCKDB_LINE ? '' : `, max_line_size = ${longest + 2}, buffer_size = ${buffer}`;
  const names = Array.from({ length: columns }, (_, i) => `c${i}: 'VARCHAR'`).join(', ');
  return (
    `read_csv(${sqlPath(path)}, auto_detect = false, skip = ${header === null ? 1 : header - 1}, header = ${header !== null}, quote = '"', escape = '"', ` +
    `delim = ${sqlText(delimiter)}, new_line = '${newLine}', compression = 'none', hive_partitioning = false, allow_quoted_nulls = ${!emptyIsText}${sizes}, ` +
    // In several threads it looks for records from the middle of a file on.
    `parallel = ${!isOrdered && !breaks}, columns = {${names}})`
  );
}

/** Longest record of a text file, in bytes. */
export function mostLine({ maxLine }: OpenOptions): number {
  return maxLine ?? MOST_LINE;
}

/** @throws InputError where a record is too long. @param end of the record, where it was found. */
export function checkLength(file: string, line: number, length: number, limit: number, hasEnded: boolean): void {
  if (length <= limit) return;
  throw new InputError({
    file,
    line,
    problem: 'line is too long',
    got: `${plural(length, 'byte')}${hasEnded ? '' : ', and no end yet'}`,
    needed: `at most ${plural(limit, 'byte')}`,
    hint: 'correct it (a quote that is not closed makes one line of many), or allow longer ones with --max-line',
  });
}

/** What a file lost that breaks off, as a row that is no record. @throws InputError for any other error, or unless such rows are skipped. */
export async function lostEnd(
  error: unknown,
  source: string,
  rows: number,
  bytes: number,
  { head, skipBadRows }: OpenOptions,
): Promise<Reject> {
  if (!(error instanceof InputError) || !Object.values<string>(DAMAGED).includes(error.fault.problem)) {
    // A row may be bad because the file is damaged, which its checksum tells.
    const isRow = error instanceof InputError && error.fault.row !== undefined;
    if (isRow && head.packing !== null) for await (const part of unpacked(source, head.packing)) void part;
    throw error;
  }
  const { problem, got, needed, hint, file } = error.fault;
  const after = `${got ?? ''}, after ${plural(rows, 'whole row')} (${plural(bytes, 'byte')} unpacked)`;
  const reads = `${hint}; --skip-bad-rows reads what comes before the damage`;
  if (!skipBadRows) throw new InputError({ file, problem, got: after, needed, hint: reads }, { cause: error });
  return { row: rows, line: null, kind: problem, got: after, needed: needed ?? '', hint, lost: 'stretch' };
}
