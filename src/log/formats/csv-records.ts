/** Where the records of a CSV file begin. Runs over a file only to say where an error is: DuckDB does the reading. */

import { type Packing, unpacked } from './files.js';

export const NEWLINE = 10;
export const RETURN = 13;
const QUOTE = 34;

/** Called at the first byte of each data record; return false to stop. `row` is 0-based, `line` 1-based. */
export type VisitRecord = (row: number, line: number, byte: number) => boolean;

/**
 * Visits the data records of a file: quoted line breaks belong to a record, empty lines are none, nor is the first
 * record where the file has a header.
 *
 * @param delimiter its byte, or -1 where a record is a line (JSON lines), whatever it holds.
 */
export async function visitRecords(
  file: string,
  packing: Packing,
  header: boolean,
  delimiter: number,
  visit: VisitRecord,
): Promise<void> {
  let line = 1;
  let row = header ? -1 : 0;
  let byte = 0;
  let atRecord = true;
  let atField = true;
  let quoted = false;
  let closed = false;
  for await (const part of unpacked(file, packing)) {
    for (let i = 0; i < part.length; i++) {
      const c = part[i];
      if (atRecord && c !== NEWLINE && c !== RETURN) {
        if (row >= 0 && !visit(row, line, byte + i)) return;
        row++;
        atRecord = false;
        atField = true;
      }
      if (c === NEWLINE) {
        line++;
        if (!quoted) atRecord = true;
      }
      if (delimiter < 0) continue;
      // A quote opens a field at its beginning only; a second quote right after a closing one reopens it ("").
      const opens: boolean = atField || closed;
      closed = c === QUOTE && quoted;
      if (c === QUOTE) quoted = !quoted && opens;
      atField = !quoted && c === delimiter;
    }
    byte += part.length;
  }
}
