/** The header of CSV: the names of its columns, and what separates them. */

import { isUtf8 } from 'node:buffer';
import { InputError } from '../../errors.js';
import { badByte, checkText, type Encoding, textOf } from '../../files/encodings.js';
import type { Head } from '../../files/files.js';
import { plural } from '../../words.js';
import { RECORD_FAULTS } from './csv-records.js';

const DELIMITERS = [',', '\t', ';', '|'];

export interface CsvHeader {
  readonly names: string[];
  readonly delimiter: string;
  /** Line of the header, 1-based. */
  readonly line: number;
}

/** @param limit bytes of the longest header. @throws InputError for one that makes no sense, or a file that is damaged there. */
export async function csvHeader(file: string, head: Head, limit: number, encoding?: Encoding): Promise<CsvHeader> {
  checkText(file, head);
  // Bytes as characters: what cuts fields is ASCII.
  const short = read(file, head.bytes.toString('latin1'), head.whole);
  if (short !== null) return checked(file, short);
  const parts: Buffer[] = [];
  let length = 0;
  // Where the header makes no sense, first whether the file is whole: the head of a damaged one may end anywhere.
  for await (const part of textOf(file, head.packing, encoding)) {
    if (length > limit) continue;
    parts.push(Buffer.from(part));
    length += part.length;
  }
  const long = read(file, Buffer.concat(parts).toString('latin1'), length <= limit);
  if (long !== null) return checked(file, long);
  throw new InputError({
    file,
    line: 1,
    problem: 'the header does not end',
    got: `an open quote, or a header longer than ${plural(limit, 'byte')}`,
    needed: 'a header line with the names of the columns',
  });
}

/** A header as bytes, each a character. */
interface Found {
  readonly fields: string[];
  readonly delimiter: string;
  readonly line: number;
  /** Text follows a quote that is closed. */
  readonly isBad: boolean;
}

/** @param whole whether the text is that of the whole file. @returns `null` where the header does not end in it. */
function read(file: string, text: string, whole: boolean): Found | null {
  const { line, start } = headerStart(text);
  if (start === text.length && whole)
    throw new InputError({ file, problem: 'the file is empty', needed: 'a header line and a row per event' });
  // Tabs in a .tsv; elsewhere the delimiter that cuts the header into the most fields.
  const delimiters = /\.tsv(\.gz|\.zst)?$/i.test(file) ? ['\t'] : DELIMITERS;
  const found = delimiters.map((delimiter) => ({ delimiter, line, ...fieldsAt(text, start, delimiter) }));
  const ended = found.filter(({ end }) => end < text.length || (whole && end === text.length));
  if (ended.length === 0) return null;
  return ended.reduce((most, one) => (one.fields.length > most.fields.length ? one : most));
}

/** Where the first line begins that is more than blanks. */
function headerStart(text: string): { line: number; start: number } {
  const blanks = /^(?:\xef\xbb\xbf)?(?:[ \t]*(?:\r\n|\n|\r))*/.exec(text)?.[0] ?? '';
  return { line: 1 + (blanks.match(/\r\n|\n|\r/g)?.length ?? 0), start: blanks.length };
}

/** Fields of the record that begins at `start`, as `CsvRecords` has them. `end`: beyond the text where a quote is open. */
function fieldsAt(text: string, start: number, delimiter: string): { fields: string[]; end: number; isBad: boolean } {
  const fields: string[] = [];
  let isBad = false;
  for (let i = start; ; i++) {
    let from = i;
    while (text[from] === ' ') from++;
    const isQuoted = text[from] === '"';
    if (isQuoted) {
      const close = endOfQuoted(text, from);
      if (close < 0) return { fields, end: text.length + 1, isBad };
      fields.push(text.slice(from + 1, close).replaceAll('""', '"'));
      i = close + 1;
    }
    const after = i;
    while (i < text.length && text[i] !== delimiter && text[i] !== '\n' && text[i] !== '\r') i++;
    const rest = text.slice(after, i);
    if (!isQuoted) fields.push(rest);
    else if (!/^ *$/.test(rest)) isBad = true;
    if (text[i] !== delimiter) return { fields, end: i, isBad };
  }
}

/** Place of the quote that closes the one at `from`; −1: none does. */
function endOfQuoted(text: string, from: number): number {
  let close = text.indexOf('"', from + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close;
}

function checked(file: string, { fields, delimiter, line, isBad }: Found): CsvHeader {
  const bad = isBad ? 'quote' : fields.some((name) => name.includes('\0')) ? 'zero' : null;
  const fault = bad ?? (fields.every((name) => isUtf8(Buffer.from(name, 'latin1'))) ? null : 'encoding');
  if (fault !== null) {
    const { kind, needed } = RECORD_FAULTS[fault];
    const text = fields.join(delimiter);
    const more =
      fault === 'encoding' ? badByte(Buffer.from(text, 'latin1')) : { got: JSON.stringify(text.slice(0, 120)) };
    throw new InputError({ file, line, problem: `the header is no record: ${kind}`, needed, ...more });
  }
  const names = fields.map((name) => Buffer.from(name, 'latin1').toString('utf8'));
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
