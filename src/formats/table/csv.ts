/** CSV and TSV, plain or packed (gzip, Zstandard): RFC 4180 with a header; UTF-8; every value is read as text, so that nothing is guessed. */

import { join } from 'node:path';
import { InputError } from '../../errors.js';
import { duckdbMessage } from '../../files/duckdb.js';
import { badByte, textOf } from '../../files/encodings.js';
import type { Format, OpenOptions, Reject, SourceFile } from '../format.js';
import { csvHeader } from './csv-header.js';
import { CsvRecords, RECORD_FAULTS, type RecordFault, type RecordForm, type VisitRecord } from './csv-records.js';
import { checkLength, lostEnd, mostLine, scanOf } from './plain-text.js';
import { rejectError } from './reject-error.js';
import { TextCopy } from './text-copy.js';

export const csv: Format<'csv'> = { name: 'csv', isText: true, extensions: ['.csv', '.tsv', '.txt'], open };

async function open(file: string, options: OpenOptions): Promise<SourceFile> {
  const { packing } = options.head;
  const { encoding } = options;
  const { names, delimiter, line } = await csvHeader(file, options.head, mostLine(options), encoding);
  const form: RecordForm = { header: line, delimiter: delimiter.charCodeAt(0), columns: names.length };
  const { records, rejects, copy } = await checkedRecords(file, form, options);
  const { longest, anyBreaks } = records;
  const text = {
    path: copy ?? file,
    header: copy === null ? line : null,
    delimiter,
    newLine: copy === null && records.pairs > 0 ? ('\\r\\n' as const) : ('\\n' as const),
    columns: names.length,
    longest,
    breaks: anyBreaks,
    emptyIsText: false,
  };
  return {
    file,
    format: 'csv',
    decimalComma: options.decimalComma,
    columns: names.map((name, i) => ({ name, type: 'TEXT', sql: `c${i}` })),
    relation: scanOf(text, true),
    checkedRelation: scanOf(text, false),
    rowNumber: '(row_number() OVER () - 1)',
    records: records.rows + rejects.filter(({ lost }) => lost === 'stretch').length,
    rejects: async () => rejects,
    line: (row) => lineOf(textOf(file, packing, encoding), form, row),
    failure: async (error) =>
      new InputError({ file, problem: 'the file cannot be read as CSV', got: duckdbMessage(error) }, { cause: error }),
  };
}

/** A file whose records are known, those that are none among them. */
interface Checked {
  readonly records: CsvRecords;
  readonly rejects: Reject[];
  /** Where its records are, each ended by LF, if not in the file itself; they have no header there. */
  readonly copy: string | null;
}

/**
 * Goes through a file once, or twice where it is to be read without some of its lines. Packed ones are unpacked on the way:
 * DuckDB refuses gzip files that others read, and would unpack them twice.
 *
 * @throws InputError for the first row that is no record, unless such rows are skipped; where the file is damaged (told how
 *   much precedes that), or a record is too long.
 */
async function checkedRecords(file: string, form: RecordForm, options: OpenOptions): Promise<Checked> {
  const { database, number, head, encoding = 'utf-8' } = options;
  const isCopied = head.packing !== null || encoding !== 'utf-8';
  const path = join(database.temporary, `records-${number}`);
  const first = await pass(file, form, options, isCopied ? path : null);
  const { records, rejects } = first;
  if (records.strayReturn !== null) throw mixedEnds(file, records.strayReturn);
  const { feeds, pairs, returns } = records;
  const isPlain = rejects.length === 0 && returns === pairs && (feeds === 0 || pairs === 0);
  if (isCopied) return { ...first, copy: path };
  if (isPlain) return { ...first, copy: null };
  // DuckDB reads records that all end alike.
  return { ...(await pass(file, form, options, path)), copy: path };
}

/** @param to where sound records are copied to. */
async function pass(file: string, form: RecordForm, options: OpenOptions, to: string | null) {
  const { head, skipBadRows } = options;
  const limit = mostLine(options);
  const rejects: Reject[] = [];
  const copy = to === null ? null : await TextCopy.create(to, file);
  const records: CsvRecords = new CsvRecords(form, copy !== null, (bytes, fault) => {
    if (fault === null) copy?.line(bytes);
    else rejects.push(rejectOf(file, bytes, fault, records, skipBadRows));
  });
  try {
    for await (const part of textOf(file, head.packing, options.encoding, head.digest)) {
      records.push(part);
      checkLength(file, records.longestLine, records.longest, limit, true);
      checkLength(file, records.line, records.length, limit, false);
      await copy?.flush();
    }
    records.close();
    checkLength(file, records.longestLine, records.longest, limit, true);
  } catch (error) {
    rejects.push(await lostEnd(error, file, records.rows, records.bytes, options));
  } finally {
    await copy?.flush(1).finally(() => copy.close());
  }
  return { records, rejects };
}

/** @throws InputError unless bad rows are skipped, and this one is a row. */
function rejectOf(file: string, bytes: Buffer, fault: RecordFault, records: CsvRecords, skip: boolean): Reject {
  const { rows: row, line, breaks } = records;
  const { kind, needed } = RECORD_FAULTS[fault];
  const text = JSON.stringify(bytes.toString('utf8', 0, 120));
  const { got, ...more } = fault === 'encoding' ? badByte(bytes) : { got: text };
  // An open quote swallows lines that are good rows: that is no row to skip.
  const hint = fault === 'quote' && breaks ? 'close the quote: the lines after it cannot be told apart' : undefined;
  const reject = { row, line, kind, got, needed, hint, ...more };
  if (!skip || hint !== undefined) throw rejectError(file, reject);
  return reject;
}

/** A CR alone among other ends of lines: it may end a record, or be part of a value. */
function mixedEnds(file: string, line: number): InputError {
  return new InputError({
    file,
    line,
    problem: 'lines end in different ways',
    got: 'CR alone, and LF (Unix) or CR LF (Windows) elsewhere',
    needed: 'LF or CR LF; CR alone where every line ends so',
    hint: "tr '\\r' '\\n' where CR ends a line; a value that holds it is to be in quotes",
  });
}

async function visit(
  text: AsyncIterable<Buffer>,
  form: RecordForm,
  told: (...record: [...Parameters<VisitRecord>, CsvRecords]) => void,
): Promise<void> {
  const records: CsvRecords = new CsvRecords(form, true, (bytes, fault) => told(bytes, fault, records));
  try {
    for await (const part of text) records.push(part);
    records.close();
  } catch (error) {
    // What precedes a damage has been told.
    if (!(error instanceof InputError)) throw error;
  }
}

async function lineOf(text: AsyncIterable<Buffer>, form: RecordForm, wanted: number): Promise<number | null> {
  let found: number | null = null;
  await visit(text, form, (_, __, { rows, line }) => {
    if (rows === wanted) found = line;
  });
  return found;
}
