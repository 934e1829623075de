/**
 * JSON lines: an object per line, plain or packed (gzip, Zstandard). Lines end in LF or CR LF; empty ones are none. Values
 * are text as written: the content of a string, all else as it stands in the line; null and what is absent are nothing.
 */

import { join } from 'node:path';
import { InputError } from '../../errors.js';
import { duckdbMessage } from '../../files/duckdb.js';
import { checkText, ENCODING_HINT, textOf } from '../../files/encodings.js';
import type { Head } from '../../files/files.js';
import { NOT_UTF8, TextLines } from '../../files/lines.js';
import { RowFault } from '../decisions/rows.js';
import { parseObject } from '../dsjson/json.js';
import type { Format, OpenOptions, Reject, SourceFile } from '../format.js';
import { unescaped, visitFields, visitMembers } from './json-fields.js';
import { JsonScan } from './json-scan.js';
import { lostEnd, mostLine, scanOf } from './plain-text.js';
import { rejectError } from './reject-error.js';
import { TextCopy } from './text-copy.js';

export const jsonl: Format<'jsonl'> = {
  name: 'jsonl',
  isText: true,
  extensions: ['.jsonl', '.ndjson', '.json'],
  open,
};

async function open(file: string, options: OpenOptions): Promise<SourceFile> {
  const { head } = options;
  checkHead(file, head);
  const known = new Set<string>();
  const learn = (text: string) =>
    visitMembers(text, (written, from, to) => {
      const name = unescaped(written);
      known.add(memberKey(name));
      if (text[from] === '{')
        visitFields(text.slice(from, to), [name], options.reads, (path) => known.add(fieldKey(path)));
    });
  // A guess: what a member is called that is not among the first lines, the pass over all of them finds.
  const guess = new TextLines({ line: (line) => void attempt(() => learn(object(line))), badLine() {} });
  guess.push(head.bytes);
  let copied = await pass(file, options, known, 0);
  if (copied.hasMore) copied = await pass(file, options, known, 1);
  const { rejects, rows, places, present, text } = copied;
  const none = 'CAST(NULL AS VARCHAR)';
  return {
    file,
    format: 'jsonl',
    decimalComma: options.decimalComma,
    columns: [...present].sort().map((key) => {
      const place = places.get(key) ?? -1;
      const isNested = isField(key);
      return { name: nameOf(key), type: 'TEXT', sql: place < 0 ? none : `c${place}`, isNested };
    }),
    relation: scanOf(text, true),
    checkedRelation: scanOf(text, false),
    rowNumber: '(row_number() OVER () - 1)',
    records: rows,
    rejects: async () => rejects,
    line: (row) => lineOf(textOf(file, head.packing, options.encoding), mostLine(options), row),
    failure: async (error) =>
      new InputError(
        { file, problem: 'the file cannot be read as JSON lines', got: duckdbMessage(error) },
        { cause: error },
      ),
  };
}

/** A line that is a JSON object. @throws RowFault */
function object(line: string): string {
  parseObject(line);
  return line;
}

function attempt(act: () => void): RowFault | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof RowFault) return error;
    throw error;
  }
}

/** Keys of members and of fields within them: a member may be called as the way to a field is, dots and all. */
const memberKey = (name: string) => `m${name}`;
const fieldKey = (path: readonly string[]) => `f${JSON.stringify(path)}`;
const isField = (key: string) => key.startsWith('f');
/** The name of a member or field, as people write it. */
const nameOf = (key: string) => (isField(key) ? (JSON.parse(key.slice(1)) as string[]).join('.') : key.slice(1));

const isBlank = (line: string) => /^[ \t\r]*$/.test(line);

/**
 * Writes the members that are read as a table of text, a line per object.
 *
 * @param known keys of members and fields; those that turn up are added, and make another pass worth while where they are read.
 * @returns among other things those present in lines that are none of the rejects.
 * @throws InputError for the first line that is no object, unless such lines are skipped.
 */
async function pass(file: string, options: OpenOptions, known: Set<string>, turn: number) {
  const { database, number, head, reads, skipBadRows } = options;
  // DuckDB takes an empty line for no row: there is always a column more.
  const places = new Map<string, number>();
  let columns = 1;
  for (const key of known) places.set(key, reads(nameOf(key)) ? columns++ : -1);
  const copy = await TextCopy.create(join(database.temporary, `members-${number}-${turn}`), file);
  const rejects: Reject[] = [];
  let [rows, longest, bytes] = [0, 0, 0];
  let [hasMore, breaks] = [false, false];
  const present = new Set<string>();
  const placeOf = (key: string): number => {
    inLine.push(key);
    const place = places.get(key);
    if (place !== undefined) return place;
    known.add(key);
    places.set(key, -1);
    if (reads(nameOf(key))) hasMore = true;
    return -1;
  };
  const cells: string[] = [];
  let inLine: string[] = [];
  const scan = new JsonScan(
    (path) => places.get(path.length === 1 ? memberKey(path[0]) : fieldKey(path)) ?? -1,
    cellOf,
  );
  const thorough = (line: string) => {
    const value = parseObject(line);
    cells.fill('', 1);
    inLine = [];
    visitMembers(line, (written, from, to) => {
      const name = unescaped(written);
      const place = placeOf(memberKey(name));
      if (place >= 0) cells[place] = cellOf(line, from, to);
      if (line[from] !== '{') return;
      visitFields(line.slice(from, to), [name], reads, (path, text, at, end) => {
        const place = placeOf(fieldKey(path));
        if (place >= 0) cells[place] = cellOf(text, at, end);
      });
    });
    for (const key of inLine) present.add(key);
    // Lines that the scan takes have no others.
    scan.learn(value);
  };
  const reject = ({ problem: kind, got = '', needed = '', hint }: RowFault['fault'], line: number) => {
    const bad = { row: rows++, line, kind, got, needed, hint: kind === NOT_UTF8 ? ENCODING_HINT : hint };
    if (!skipBadRows) throw rejectError(file, bad);
    rejects.push(bad);
  };
  const lines = new TextLines(
    {
      line(line, where) {
        if (isBlank(line)) return;
        cells.length = columns;
        cells.fill('');
        cells[0] = '0';
        const fault = scan.read(line, cells) ? null : attempt(() => thorough(line));
        if (fault !== null) {
          reject(fault.fault, where);
          return;
        }
        rows++;
        // Written in another pass.
        if (hasMore) return;
        const row = cells.join(',');
        breaks ||= row.includes('\n') || row.includes('\r');
        longest = Math.max(longest, 3 * row.length);
        copy.line(row);
      },
      badLine: reject,
    },
    mostLine(options),
  );
  try {
    for await (const part of textOf(file, head.packing, options.encoding, head.digest)) {
      bytes += part.length;
      lines.push(part);
      await copy.flush();
    }
    lines.end(false);
  } catch (error) {
    rejects.push(await lostEnd(error, file, rows, bytes, options));
    rows++;
  } finally {
    await copy.flush(1).finally(() => copy.close());
  }
  const text = {
    path: copy.path,
    header: null,
    delimiter: ',',
    newLine: '\\n' as const,
    columns,
    longest,
    breaks,
    emptyIsText: true,
  };
  return { rejects, rows, places, present, hasMore: hasMore && turn === 0, text };
}

/** A value as a field of CSV. @throws RowFault for half of a character. */
function cellOf(line: string, from: number, to: number): string {
  const first = line[from];
  if (first === 'n') return '';
  if (first !== '"' && first !== '[' && first !== '{') return line.slice(from, to);
  const value = first === '"' ? unescaped(line.slice(from + 1, to - 1)) : line.slice(from, to);
  if (/\p{Surrogate}/u.test(value)) {
    const got = line.slice(from, Math.min(to, from + 120));
    throw new RowFault({ problem: 'text is half of a character', got, needed: 'surrogates in pairs' });
  }
  return `"${value.replaceAll('"', '""')}"`;
}

async function lineOf(text: AsyncIterable<Buffer>, most: number, wanted: number): Promise<number | null> {
  let [rows, found]: [number, number | null] = [0, null];
  const count = (number: number) => {
    if (rows++ === wanted) found = number;
  };
  const lines = new TextLines({ line: (line, at) => isBlank(line) || count(at), badLine: (_, at) => count(at) }, most);
  try {
    for await (const part of text) lines.push(part);
    lines.end(false);
  } catch (error) {
    // What precedes a damage has been counted.
    if (!(error instanceof InputError)) throw error;
  }
  return found;
}

function checkHead(file: string, head: Head): void {
  checkText(file, head);
  const first = head.bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()[0];
  if (first === undefined && head.whole)
    throw new InputError({ file, problem: 'the file is empty', needed: 'a JSON object per line' });
  if (first === '[') {
    throw new InputError({
      file,
      problem: 'the file is one JSON array',
      needed: 'JSON lines: an object per line',
      hint: "jq -c '.[]' writes an array as lines",
    });
  }
}
