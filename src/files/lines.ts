/** Bytes of a text file → its lines, in bounded memory. */

import { isUtf8 } from 'node:buffer';
import type { Fault } from '../errors.js';
import { plural } from '../words.js';
import { LineFeed } from './byte-lines.js';
import { badByte } from './encodings.js';

/** Bytes of the longest line that is read, unless told otherwise. */
export const MOST_LINE = 64e6;

/** What is wrong with a line that is in another encoding. */
export const NOT_UTF8 = 'line is not UTF-8';

const RETURN = 13;

/** What is done with the lines of a file. */
export interface LineVisitor {
  /** A line without its end (LF or CR LF) and without a byte order mark. */
  line(text: string, number: number): void;
  /** A line that is no text: too long, or not UTF-8. */
  badLine(fault: Fault, number: number): void;
}

/** Gives the lines of one file to a visitor; a last line without an end is one. Lines are numbered from 1. */
export class TextLines {
  private number = 0;
  private readonly feed: LineFeed;

  constructor(
    private readonly visitor: LineVisitor,
    private readonly most = MOST_LINE,
  ) {
    this.feed = new LineFeed(
      {
        line: (bytes, from, to) => this.give(bytes.subarray(from, to)),
        tooLong: (_, length) => this.tooLong(length),
      },
      most,
    );
  }

  push(part: Buffer): void {
    this.feed.push(part);
  }

  /** @param damaged the file broke off: what follows the last line end is no line. @returns the number of lines. */
  end(damaged: boolean): number {
    const rest = this.feed.end();
    if (rest !== null && !damaged) {
      if (rest.length > rest.bytes.length) this.tooLong(rest.length);
      else this.give(rest.bytes);
    }
    return this.number;
  }

  private tooLong(length: number): void {
    this.visitor.badLine(
      {
        problem: 'line is too long',
        got: `${plural(length, 'byte')}`,
        needed: `at most ${plural(this.most, 'byte')}`,
        hint: 'correct it, allow longer ones with --max-line, or drop such rows with --skip-bad-rows, which counts them',
      },
      ++this.number,
    );
  }

  private give(bytes: Buffer): void {
    const number = ++this.number;
    const line = bytes.length > 0 && bytes[bytes.length - 1] === RETURN ? bytes.subarray(0, -1) : bytes;
    if (!isUtf8(line)) {
      const { got, needed } = badByte(line);
      this.visitor.badLine({ problem: NOT_UTF8, got, needed }, number);
      return;
    }
    const text = line.toString('utf8');
    this.visitor.line(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, number);
  }
}
