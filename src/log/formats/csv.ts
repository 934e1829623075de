/** CSV and TSV, plain or packed (gzip, Zstandard): RFC 4180 with a header; UTF-8; every value is read as text, so that nothing is guessed. */

import { InputError } from '../../errors.js';
import { NEWLINE, RETURN, type RecordForm, visitRecords } from './csv-records.js';
import { duckdbMessage, sqlPath, sqlText } from './duckdb.js';
import { type Head, unpacked } from './files.js';
import { plainText } from './plain-text.js';
import type { Format, OpenOptions, Reject, SourceFile } from './source.js';

const DELIMITERS = [',', '\t', ';', '|'];

export const csv: Format = { name: 'csv', extensions: ['.csv', '.tsv', '.txt'], open };

async function open(file: string, options: OpenOptions): Promise<SourceFile> {
  const { head } = options;
  const { names, delimiter, line } = await wholeHeader(file, head);
  const form: RecordForm = { header: line, delimiter: delimiter.charCodeAt(0) };
  const { path, records, sizes } = await plainText(file, form, options);
  // In one thread DuckDB 1.5 ends the file silently at a quote that is never closed; in several it reports the quote.
  const scan = (skip: boolean, suffix: string, checked: boolean) =>
    `read_csv(${sqlPath(path)}, auto_detect = false, skip = ${line - 1}, header = true, quote = '"', escape = '"', delim = ${sqlText(delimiter)}, ` +
    `compression = 'none', hive_partitioning = false${sizes}, parallel = ${checked}, columns = {${names.map((_, i) => `c${i}: 'VARCHAR'`).join(', ')}}` +
    (skip
      ? `, store_rejects = true, rejects_table = '${rejectTable(suffix)}', rejects_scan = '${rejectTable(suffix)}_scan')`
      : ')');
  const rejectTable = (suffix: string) => `rejects_${options.number}${suffix}`;
  const readRejects = (suffix: string) =>
    describeRejects(path, form, () =>
      options.database.rows(
        `SELECT line_byte_position, min(error_type::VARCHAR), first(csv_line), first(error_message) FROM ${rejectTable(suffix)} GROUP BY line_byte_position ORDER BY 1`,
      ),
    );
  let skipped: Promise<Reject[]> | undefined;
  return {
    file,
    format: 'csv',
    columns: names.map((name, i) => ({ name, type: 'TEXT', sql: `c${i}` })),
    relation: scan(options.skipBadRows, '', false),
    checkedRelation: scan(options.skipBadRows, '', true),
    rowNumber: '(row_number() OVER () - 1)',
    isRecord: null,
    rejects() {
      // Later scans of the same file reject the same rows again: read the table once.
      if (options.skipBadRows) skipped ??= readRejects('');
      return skipped ?? Promise.resolve([]);
    },
    records,
    line: (row) => lineOf(path, form, row),
    async failure(error) {
      // Scan again, collecting what was wrong: a table says more than a message.
      try {
        const all = names.map((_, i) => `count(c${i})`).join(', ');
        await options.database.rows(`SELECT ${all} FROM ${scan(true, '_again', true)}`);
        const [first] = await readRejects('_again');
        if (first !== undefined) return rejectError(file, first);
      } catch {
        // Fall through to the message.
      }
      const mixed = await mixedLineEnds(file, path);
      if (mixed !== null) return mixed;
      return new InputError(
        { file, problem: 'the file cannot be read as CSV', got: duckdbMessage(error) },
        { cause: error },
      );
    },
  };
}

/** DuckDB refuses records that end in different ways with a message about its own states. `null`: that is not the fault. */
async function mixedLineEnds(file: string, path: string): Promise<InputError | null> {
  const name = (end: number) => (end === NEWLINE ? 'LF (Unix)' : 'CR LF (Windows)');
  let line = 1;
  let before = 0;
  let first: number | null = null;
  for await (const part of unpacked(path, null)) {
    for (const byte of part) {
      if (byte === NEWLINE) {
        const end = before === RETURN ? RETURN : NEWLINE;
        first ??= end;
        if (end !== first) {
          return new InputError({
            file,
            line,
            problem: 'lines end in different ways',
            got: `${name(end)}, after ${name(first)} in the lines before`,
            needed: 'the same end for every line',
            hint: "dos2unix, or sed 's/\\r$//', makes every end LF",
          });
        }
        line++;
      }
      before = byte;
    }
  }
  return null;
}

/** A row that is no record, as an error. */
export function rejectError(file: string, reject: Reject): InputError {
  const { row, line, kind, got, needed, hint } = reject;
  return new InputError({
    file,
    row,
    line: line ?? undefined,
    problem: kind,
    got,
    needed,
    hint: hint ?? 'correct the line, or drop such rows with --skip-bad-rows, which counts them',
  });
}

/** What the first lines say. */
interface Header {
  readonly names: string[];
  readonly delimiter: string;
  /** Line of the header, 1-based. */
  readonly line: number;
}

/** The header; where it makes no sense, first whether the file is whole: the head of a damaged one may end anywhere. */
async function wholeHeader(file: string, head: Head): Promise<Header> {
  try {
    return readHeader(file, head);
  } catch (error) {
    for await (const part of unpacked(file, head.packing)) void part;
    throw error;
  }
}

function readHeader(file: string, head: Head): Header {
  if (head.bytes.length === 0) {
    throw new InputError({ file, problem: 'the file is empty', needed: 'a header line and a row per event' });
  }
  const marks = head.bytes.subarray(0, 2).toString('latin1');
  if (marks === '\xff\xfe' || marks === '\xfe\xff') {
    throw new InputError({
      file,
      problem: 'the file is UTF-16',
      needed: 'UTF-8',
      hint: 'iconv -f UTF-16 -t UTF-8 converts it',
    });
  }
  if (head.bytes.includes(0)) {
    throw new InputError({
      file,
      problem: 'the file is not text',
      got: 'a zero byte near its beginning',
      needed: 'CSV in UTF-8',
    });
  }
  let text: string;
  try {
    // A cut in the middle of a character is no fault: the header lies far before the cut.
    text = new TextDecoder('utf-8', { fatal: true }).decode(head.bytes, { stream: true });
  } catch {
    text = head.bytes.toString('latin1');
  }
  const { line, start } = headerStart(text);
  const delimiter = findDelimiter(file, text, start);
  const names = headerFields(text, start, delimiter);
  if (names === null) {
    throw new InputError({
      file,
      line,
      problem: 'the header does not end',
      got: 'an open quote, or a header longer than 64 KiB',
      needed: 'a header line with the names of the columns',
    });
  }
  if (names.length < 2) {
    throw new InputError({
      file,
      line,
      problem: 'the header names one column only',
      got: JSON.stringify(names[0]),
      needed: 'names separated by a comma, tab, semicolon or |',
    });
  }
  const seen = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    const earlier = seen.get(name);
    if (earlier !== undefined && name !== '') {
      throw new InputError({
        file,
        line,
        column: name,
        problem: 'two columns have the same name',
        got: `columns ${earlier + 1} and ${i + 1}`,
        needed: 'different names',
      });
    }
    seen.set(name, i);
  }
  return { names, delimiter, line };
}

/** Tabs in a .tsv; elsewhere the delimiter that cuts the header into the most fields. */
function findDelimiter(file: string, text: string, start: number): string {
  if (/\.tsv(\.gz|\.zst)?$/i.test(file)) return '\t';
  let best = ',';
  let most = 0;
  for (const delimiter of DELIMITERS) {
    const count = headerFields(text, start, delimiter)?.length ?? 0;
    if (count > most) [best, most] = [delimiter, count];
  }
  return best;
}

/** Where the first line begins that is more than blanks. */
function headerStart(text: string): { line: number; start: number } {
  const blanks = /^\ufeff?(?:[ \t]*(?:\r\n|\n|\r))*/.exec(text)?.[0] ?? '';
  return { line: 1 + (blanks.match(/\r\n|\n|\r/g)?.length ?? 0), start: blanks.length };
}

/** Fields of the record that begins at `start`; `null` where it does not end. */
function headerFields(text: string, start: number, delimiter: string): string[] | null {
  const fields: string[] = [];
  let i = start;
  for (;;) {
    let field = '';
    if (text[i] === '"') {
      for (i++; ; i++) {
        if (i >= text.length) return null;
        if (text[i] === '"' && text[i + 1] === '"') i++;
        else if (text[i] === '"') break;
        field += text[i];
      }
      i++;
    }
    while (i < text.length && text[i] !== delimiter && text[i] !== '\n' && text[i] !== '\r') field += text[i++];
    fields.push(field);
    if (i >= text.length || text[i] !== delimiter) return fields;
    i++;
  }
}

async function lineOf(path: string, form: RecordForm, wanted: number): Promise<number | null> {
  let found: number | null = null;
  await visitRecords(path, null, form, (row, line) => {
    if (row === wanted) found = line;
    return row < wanted;
  });
  return found;
}

const KINDS: Readonly<Record<string, { kind: string; needed: string }>> = {
  'MISSING COLUMNS': { kind: 'too few columns', needed: 'as many values as the header has names' },
  'TOO MANY COLUMNS': { kind: 'too many columns', needed: 'as many values as the header has names' },
  'INVALID ENCODING': { kind: 'not UTF-8', needed: 'text in UTF-8' },
  'INVALID UNICODE': { kind: 'not UTF-8', needed: 'text in UTF-8' },
  'UNQUOTED VALUE': { kind: 'a quote is not closed, or text follows it', needed: '"…", with "" for a quote inside' },
};

async function describeRejects(path: string, form: RecordForm, rows: () => Promise<unknown[][]>): Promise<Reject[]> {
  const faults = (await rows()).map(([byte, type, text, message]) => ({
    byte: Number(byte),
    type: String(type),
    text: String(text),
    message: String(message),
  }));
  if (faults.length === 0) return [];
  const rejects: Reject[] = [];
  await visitRecords(path, null, form, (row, line, byte) => {
    const fault = faults[rejects.length];
    // DuckDB counts the bytes before a record from 0 or 1, by the line ends; no record is shorter than that.
    if (byte + 1 >= fault.byte) {
      const { kind, needed } = KINDS[fault.type] ?? { kind: fault.message, needed: 'a CSV record' };
      const got = JSON.stringify(fault.text.replace(/^[\r\n]+|[\r\n]+$/g, '').slice(0, 120));
      // An open quote swallows lines that are good rows: that is no row to skip.
      const fatal = fault.type === 'UNQUOTED VALUE' && fault.text.trim().includes('\n');
      rejects.push({
        row,
        line,
        kind,
        got,
        needed,
        fatal,
        hint: fatal ? 'close the quote: the lines after it cannot be told apart' : undefined,
      });
    }
    return rejects.length < faults.length;
  });
  return rejects;
}
