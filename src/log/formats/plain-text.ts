/** A text file as DuckDB gets it: unpacked, whole, and with no record longer than the limit; how many records it has. */

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../errors.js';
import { RecordCounter, type RecordForm } from './csv-records.js';
import { DAMAGED } from './damage.js';
import { unpacked } from './files.js';
import { MOST_LINE } from './lines.js';
import type { OpenOptions } from './source.js';

/** Longest record and smallest buffer of DuckDB's reader by default, in bytes. */
const DUCKDB_LINE = 2e6;
const DUCKDB_BUFFER = 32e6;

export interface PlainText {
  /** The file itself, or its content in the temporary folder. */
  readonly path: string;
  /** Data records: all that a reading must give, or reject. */
  readonly records: number;
  /** Options for `read_csv` that leave room for the longest record. */
  readonly sizes: string;
}

/**
 * Goes through a text file once. Packed ones are unpacked on the way: DuckDB refuses gzip files that others read, loses
 * records longer than its buffer in them, and would unpack them twice.
 *
 * @throws InputError where it is damaged (told how much precedes that), or a record is too long.
 */
export async function plainText(
  file: string,
  form: RecordForm,
  { database, head, number, maxLine }: OpenOptions,
): Promise<PlainText> {
  const limit = maxLine ?? MOST_LINE;
  const counter = new RecordCounter(form);
  const path = head.packing === null ? file : join(database.temporary, `unpacked-${number}`);
  const copy = head.packing === null ? null : await open(path, 'wx');
  try {
    for await (const part of unpacked(file, head.packing)) {
      counter.push(part);
      if (Math.max(counter.longest, counter.length) > limit) throw tooLong(file, counter, limit);
      if (copy !== null) await write(file, copy, part);
    }
  } catch (error) {
    throw error instanceof InputError ? withExtent(error, counter) : error;
  } finally {
    await copy?.close();
  }
  const { records } = counter;
  const longest = Math.max(counter.longest, counter.length);
  const buffer = Math.max(DUCKDB_BUFFER, 4 * longest);
  const sizes = longest < DUCKDB_LINE ? '' : `, max_line_size = ${longest + 2}, buffer_size = ${buffer}`;
  return { path, records, sizes };
}

function tooLong(file: string, { length, line, longest, longestLine }: RecordCounter, limit: number): InputError {
  const ended = longest > limit;
  return new InputError({
    file,
    line: ended ? longestLine : line,
    problem: 'line is too long',
    got: `${(ended ? longest : length).toLocaleString('en')} bytes${ended ? '' : ', and no end yet'}`,
    needed: `at most ${limit.toLocaleString('en')} bytes`,
    hint: 'correct it (a quote that is not closed makes one line of many), or allow longer ones with --max-line',
  });
}

/** A damage, with what could be read before it. */
function withExtent(error: InputError, { records, bytes, length }: RecordCounter): InputError {
  const { fault } = error;
  if (!Object.values<string>(DAMAGED).includes(fault.problem)) return error;
  const whole = Math.max(0, records - (length > 0 ? 1 : 0));
  return new InputError(
    {
      ...fault,
      got: `${fault.got ?? ''}, after ${whole.toLocaleString('en')} whole rows (${bytes.toLocaleString('en')} bytes unpacked)`,
    },
    { cause: error },
  );
}

async function write(file: string, copy: FileHandle, part: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < part.length; ) at += (await copy.write(part, at)).bytesWritten;
  } catch (cause) {
    throw new InputError(
      {
        file,
        problem: 'the file cannot be unpacked into the temporary folder',
        got: cause instanceof Error ? cause.message : String(cause),
        needed: 'room there for what it unpacks to',
        hint: 'name a folder with more room in the environment variable TMPDIR, or unpack the file beside the log',
      },
      { cause },
    );
  }
}
