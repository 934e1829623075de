/** Where the records of a text file begin and end, byte by byte: DuckDB reads them, this finds what it would lose. */

import { type Packing, unpacked } from './files.js';

export const NEWLINE = 10;
export const RETURN = 13;
const QUOTE = 34;
const SPACE = 32;

/** What tells records apart. */
export interface RecordForm {
  /** Line of the header (1-based); 0: there is none. */
  readonly header: number;
  /** Byte of the delimiter, or -1 where a record is a line (JSON lines), whatever it holds. */
  readonly delimiter: number;
}

/** Called at the first byte of each data record; return false to stop. `row` is 0-based, `line` 1-based. */
export type VisitRecord = (row: number, line: number, byte: number) => boolean;

/** Goes through the records of a file: quoted line breaks belong to a record; empty lines, and what precedes the header, are none. */
export class RecordCounter {
  /** Data records begun so far. */
  records = 0;
  /** Bytes so far, and line and first byte of the record begun last. */
  bytes = 0;
  line = 1;
  start = 0;
  /** Bytes of the longest record that has ended, and its line. */
  longest = 0;
  longestLine = 1;
  /** Line at hand. */
  private now = 1;
  private atRecord = true;
  private atField = true;
  private quoted = false;
  private closed = false;
  private afterReturn = false;

  constructor(private readonly form: RecordForm) {}

  /** Bytes of the record at hand so far. */
  get length(): number {
    return this.atRecord ? 0 : this.bytes - this.start;
  }

  /** Takes the next bytes. @returns false where `visit` did. */
  push(part: Uint8Array, visit: VisitRecord | null = null): boolean {
    const { header, delimiter } = this.form;
    for (let i = 0; i < part.length; i++) {
      const c = part[i];
      const isEnd = c === NEWLINE || c === RETURN;
      if (this.atRecord && !isEnd) {
        this.atRecord = false;
        this.atField = true;
        this.start = this.bytes + i;
        this.line = this.now;
        if (this.now > header) {
          if (visit !== null && !visit(this.records, this.line, this.start)) return false;
          this.records++;
        }
      }
      if (c === RETURN || (c === NEWLINE && !this.afterReturn)) this.now++;
      this.afterReturn = c === RETURN;
      if (isEnd && !this.quoted && !this.atRecord) {
        const length = this.bytes + i - this.start;
        if (length > this.longest) [this.longest, this.longestLine] = [length, this.line];
        this.atRecord = true;
      }
      if (delimiter < 0) continue;
      // A quote opens a field at its beginning only, blanks aside; a second one right after a closing one reopens it ("").
      const opens: boolean = this.atField || this.closed;
      this.closed = c === QUOTE && this.quoted;
      if (c === QUOTE) this.quoted = !this.quoted && opens;
      this.atField = !this.quoted && (c === delimiter || (this.atField && c === SPACE));
    }
    this.bytes += part.length;
    return true;
  }
}

/** Visits the data records of a file. */
export async function visitRecords(
  file: string,
  packing: Packing,
  form: RecordForm,
  visit: VisitRecord,
): Promise<void> {
  const counter = new RecordCounter(form);
  for await (const part of unpacked(file, packing)) if (!counter.push(part, visit)) return;
}
