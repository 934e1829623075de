/** A text file line by line, in bounded memory. */

import { isUtf8 } from 'node:buffer';
import type { Fault } from '../../errors.js';
import { unpacked } from './files.js';
import type { HeadedFile } from './source.js';

/** Longest line that is read. */
export const LONGEST_LINE = 16 * 2 ** 20;

const NEWLINE = 10;
const RETURN = 13;

/** What is done with the lines of a file. */
export interface LineVisitor {
  /** A line without its end (LF or CR LF) and without a byte order mark. */
  line(text: string, number: number): void;
  /** A line that is no text: too long, or not UTF-8. */
  badLine(fault: Fault, number: number): void;
}

/**
 * Visits the lines of a file in order; a last line without an end is one.
 *
 * @param onBytes told after every part of the file, with the bytes so far (unpacked).
 * @throws InputError where the file cannot be read or its compressed data are damaged; the signal's reason.
 */
export async function visitLines(
  { file, head }: HeadedFile,
  visitor: LineVisitor,
  { onBytes, signal }: { onBytes?: (bytes: number) => void; signal?: AbortSignal },
): Promise<void> {
  const rest = new Rest();
  let number = 1;
  let bytes = 0;
  for await (const part of unpacked(file, head.gzip)) {
    signal?.throwIfAborted();
    let from = 0;
    for (;;) {
      const end = part.indexOf(NEWLINE, from);
      if (end < 0) break;
      give(rest.complete(part.subarray(from, end)), rest.tooLong, number++, visitor);
      rest.clear();
      from = end + 1;
    }
    rest.add(part.subarray(from));
    bytes += part.length;
    onBytes?.(bytes);
  }
  signal?.throwIfAborted();
  if (rest.length > 0) give(rest.complete(Buffer.alloc(0)), rest.tooLong, number, visitor);
}

/** The beginning of a line that the next part of the file goes on with. */
class Rest {
  length = 0;
  private parts: Buffer[] = [];

  get tooLong(): boolean {
    return this.length > LONGEST_LINE;
  }

  /** Keeps what may belong to a line of allowed length, and counts the rest. */
  add(part: Buffer): void {
    if (part.length === 0) return;
    if (!this.tooLong) this.parts.push(part);
    this.length += part.length;
    if (this.tooLong) this.parts = [];
  }

  complete(end: Buffer): Buffer {
    if (this.length === 0 && end.length <= LONGEST_LINE) return end;
    this.add(end);
    return Buffer.concat(this.parts);
  }

  clear(): void {
    this.length = 0;
    this.parts = [];
  }
}

function give(bytes: Buffer, tooLong: boolean, number: number, visitor: LineVisitor): void {
  if (tooLong) {
    const needed = `at most ${LONGEST_LINE.toLocaleString('en')} bytes`;
    visitor.badLine({ problem: 'line is too long', needed }, number);
    return;
  }
  const line = bytes.length > 0 && bytes[bytes.length - 1] === RETURN ? bytes.subarray(0, -1) : bytes;
  if (!isUtf8(line)) {
    const got = JSON.stringify(line.toString('latin1', 0, 120));
    visitor.badLine({ problem: 'line is not UTF-8', got, needed: 'text in UTF-8' }, number);
    return;
  }
  const text = line.toString('utf8');
  visitor.line(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, number);
}
