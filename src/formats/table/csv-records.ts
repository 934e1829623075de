/**
 * The records of CSV, byte by byte (RFC 4180): where each ends, and whether it is one. CR LF, LF and CR end a record; empty
 * lines are none. Blanks around a field's quotes are no part of it; a quote within a field that has none around it is a character.
 */

import { isUtf8 } from 'node:buffer';

export interface RecordForm {
  /** Line of the header (1-based). */
  readonly header: number;
  /** Byte of the delimiter. */
  readonly delimiter: number;
  /** Fields of a record. */
  readonly columns: number;
}

/** What makes bytes no record. */
export const RECORD_FAULTS = {
  few: { kind: 'too few columns', needed: 'as many values as the header has names' },
  many: { kind: 'too many columns', needed: 'as many values as the header has names' },
  encoding: { kind: 'not UTF-8', needed: 'text in UTF-8' },
  zero: { kind: 'not text: a zero byte', needed: 'text in UTF-8' },
  quote: { kind: 'a quote is not closed, or text follows it', needed: '"…", with "" for a quote inside' },
} as const;

export type RecordFault = keyof typeof RECORD_FAULTS;

/** Told of each data record: its bytes without their end, valid during the call only. */
export type VisitRecord = (bytes: Buffer, fault: RecordFault | null) => void;

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;

/** What a byte may be, in the order of the cases below; what is more than `CONTROL` ends or cuts something. */
const [ORDINARY, HIGH, ZERO, BLANK, QUOTES, CUT, END] = [0, 1, 2, 3, 4, 5, 6];

/** Where the scan is: between records, at the beginning of a field, in one, in a quoted one, behind its quote, in blanks there. */
const [NOWHERE, BEGINNING, INSIDE, QUOTED, CLOSED, BEHIND] = [0, 1, 2, 3, 4, 5];

export class CsvRecords {
  /** Data records that have ended. */
  rows = 0;
  /** Line of the record begun last. */
  line = 1;
  /** Bytes of the longest record that has ended, and its line. */
  longest = 0;
  longestLine = 1;
  /** Bytes so far. */
  bytes = 0;
  /** Whether the record begun last holds line ends, in quotes; whether any does. */
  breaks = false;
  anyBreaks = false;
  /** Ends of lines outside quotes: LF alone, CR LF, and CR followed by either. */
  feeds = 0;
  pairs = 0;
  returns = 0;
  private readonly kinds = new Uint8Array(256);
  /** What earlier parts hold of the record at hand. */
  private carry: Buffer[] = [];
  private carried = 0;
  private now = 1;
  private lastReturn = -2;
  private state = NOWHERE;
  private fields = 1;
  private fault: RecordFault | null = null;
  private isHigh = false;
  private firstReturn: number | null = null;

  constructor(
    private readonly form: RecordForm,
    private readonly visit: VisitRecord,
  ) {
    this.kinds.fill(HIGH, 0x80);
    this.kinds[0] = ZERO;
    this.kinds[SPACE] = BLANK;
    this.kinds[QUOTE] = QUOTES;
    this.kinds[NEWLINE] = this.kinds[RETURN] = END;
    this.kinds[form.delimiter] = CUT;
  }

  /** Bytes of the record at hand so far. */
  get length(): number {
    return this.carried;
  }

  /** The first line that ends in CR alone where others do not: it may be part of a value. `null`: there is none. */
  get strayReturn(): number | null {
    if (this.returns === this.pairs || this.feeds + this.pairs === 0) return null;
    return this.firstReturn ?? this.now - 1;
  }

  push(part: Buffer): void {
    const { kinds } = this;
    // A byte order mark is no part of the first name.
    const skip = this.bytes === 0 && part[0] === 0xef && part[1] === 0xbb && part[2] === 0xbf ? 3 : 0;
    let from = skip;
    let { state } = this;
    for (let i = skip; i < part.length; i++) {
      const kind = kinds[part[i]];
      if (kind === ORDINARY && (state === INSIDE || state === QUOTED)) continue;
      if (kind === END) {
        if (this.end(part[i], this.bytes + i, state === QUOTED)) {
          if (state !== NOWHERE) this.finish(part.subarray(from, i));
          state = NOWHERE;
        }
        continue;
      }
      if (state === NOWHERE) {
        from = i;
        this.begin();
        state = BEGINNING;
      }
      if (kind === HIGH) this.isHigh = true;
      else if (kind === ZERO) this.fault ??= 'zero';
      if (state === QUOTED) {
        if (kind === QUOTES) state = CLOSED;
      } else if (kind === CUT) {
        this.fields++;
        state = BEGINNING;
      } else if (kind === QUOTES && (state === BEGINNING || state === CLOSED)) state = QUOTED;
      else if (kind === BLANK && (state === BEGINNING || state >= CLOSED)) {
        if (state === CLOSED) state = BEHIND;
      } else if (state !== INSIDE) {
        if (state >= CLOSED) this.fault = 'quote';
        state = INSIDE;
      }
    }
    this.state = state;
    this.bytes += part.length;
    if (state === NOWHERE) return;
    this.carry.push(Buffer.from(part.subarray(from)));
    this.carried += part.length - from;
  }

  /** The file has ended, and so has its last record. */
  close(): void {
    if (this.state === NOWHERE) return;
    if (this.state === QUOTED) this.fault = 'quote';
    this.finish(Buffer.alloc(0));
    this.state = NOWHERE;
  }

  private begin(): void {
    this.line = this.now;
    if (this.returns > this.pairs) this.firstReturn ??= this.now - 1;
    this.fields = 1;
    this.fault = null;
    this.isHigh = this.breaks = false;
  }

  /** The end of a line. @returns whether it is that of a record. */
  private end(byte: number, at: number, isQuoted: boolean): boolean {
    const isPair = byte === NEWLINE && this.lastReturn === at - 1;
    if (byte === RETURN) this.lastReturn = at;
    if (!isPair) this.now++;
    if (isQuoted) this.breaks = this.anyBreaks = true;
    else if (byte === RETURN) this.returns++;
    else if (isPair) this.pairs++;
    else this.feeds++;
    return !isQuoted;
  }

  /** @param rest of the record, in the part at hand. */
  private finish(rest: Buffer): void {
    const { form, carry } = this;
    let bytes = rest;
    if (carry.length > 0) {
      bytes = Buffer.concat([...carry, rest]);
      this.carry = [];
      this.carried = 0;
    }
    if (bytes.length > this.longest) [this.longest, this.longestLine] = [bytes.length, this.line];
    if (this.line <= form.header) return;
    if (this.isHigh && !isUtf8(bytes)) this.fault ??= 'encoding';
    if (this.fields !== form.columns) this.fault ??= this.fields < form.columns ? 'few' : 'many';
    this.visit(bytes, this.fault);
    this.rows++;
  }
}
