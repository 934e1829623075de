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

/** Told of a data record: its bytes without their end, valid during the call only. */
export type VisitRecord = (bytes: Buffer, fault: RecordFault | null) => void;

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;

/** What a byte may be. */
const [, HIGH, ZERO, BLANK, QUOTES, CUT, END] = [0, 1, 2, 3, 4, 5, 6];

/** Where the scan is: between records, at the beginning of a field, in one, in a quoted one, behind its quote, in blanks there. */
const [NOWHERE, BEGINNING, INSIDE, QUOTED, CLOSED, BEHIND] = [0, 1, 2, 3, 4, 5];

/** A step of the scan: the state after it, whether a field ends, what it shows of the record, and whether more is to be done. */
const STATE = 7;
const [CUTS, IS_HIGH, IS_ZERO, MISQUOTED, LINE_END, STARTS] = [8, 16, 32, 64, 128, 256];
const FIELD_BITS = 3;
const STOPS = LINE_END | STARTS;

/** Of four bytes at once: the high bits, and what carries into them from every byte behind the quote. */
const HIGH_BITS = 0x80808080 | 0;
const BEYOND_QUOTES = (0x7f - QUOTE) * 0x01010101;

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
  /** By state and byte. */
  private readonly steps: Uint16Array;
  /** The delimiter, four times. */
  private readonly cutWord: number;
  /** What earlier parts hold of the record at hand. */
  private carry: Buffer[] = [];
  private carried = 0;
  private now = 1;
  private lastReturn = -2;
  private state = NOWHERE;
  /** Fields of the record at hand that are followed by another, and what has been seen of it: bits of its steps. */
  private cuts = 0;
  private seen = 0;
  private firstReturn: number | null = null;

  /** @param all sound records are told too. */
  constructor(
    private readonly form: RecordForm,
    private readonly all: boolean,
    private readonly visit: VisitRecord,
  ) {
    this.steps = stepsOf(form.delimiter);
    this.cutWord = Math.imul(form.delimiter, 0x01010101);
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
    const { steps } = this;
    // A byte order mark is no part of the first name.
    const skip = this.bytes === 0 && part[0] === 0xef && part[1] === 0xbb && part[2] === 0xbf ? 3 : 0;
    let from = skip;
    let { state, cuts, seen } = this;
    const { delimiter } = this.form;
    const shift = part.byteOffset & 3;
    const words = new Int32Array(part.buffer, part.byteOffset - shift, (shift + part.length) >> 2);
    for (let i = skip; i < part.length; i++) {
      // Four bytes at once, where all of them are ASCII beyond quotes and blanks.
      for (; ((i + shift) & 3) === 0 && i + 4 <= part.length && state <= QUOTED && state !== NOWHERE; i += 4) {
        const word = words[(i + shift) >> 2];
        if ((((word & 0x7f7f7f7f) + BEYOND_QUOTES) & ~word & HIGH_BITS) !== HIGH_BITS) break;
        if (state === QUOTED) continue;
        const other = word ^ this.cutWord;
        cuts += Math.imul((~((other & 0x7f7f7f7f) + 0x7f7f7f7f) & HIGH_BITS) >>> 7, 0x01010101) >>> 24;
        state = part[i + 3] === delimiter ? BEGINNING : INSIDE;
      }
      if (i === part.length) break;
      let step = steps[(state << 8) | part[i]];
      if ((step & STOPS) !== 0) {
        if ((step & LINE_END) !== 0) {
          if (this.end(part[i], this.bytes + i, state === QUOTED)) {
            if (state !== NOWHERE) this.finish(part, from, i, cuts, seen);
            state = NOWHERE;
          }
          continue;
        }
        from = i;
        this.begin();
        cuts = seen = 0;
        step = steps[(BEGINNING << 8) | part[i]];
      }
      state = step & STATE;
      cuts += (step & CUTS) >> FIELD_BITS;
      seen |= step;
    }
    this.state = state;
    this.cuts = cuts;
    this.seen = seen;
    this.bytes += part.length;
    if (state === NOWHERE) return;
    this.carry.push(Buffer.from(part.subarray(from)));
    this.carried += part.length - from;
  }

  /** The file has ended, and so has its last record. */
  close(): void {
    if (this.state === NOWHERE) return;
    this.finish(Buffer.alloc(0), 0, 0, this.cuts, this.seen | (this.state === QUOTED ? MISQUOTED : 0));
    this.state = NOWHERE;
  }

  private begin(): void {
    this.line = this.now;
    if (this.returns > this.pairs) this.firstReturn ??= this.now - 1;
    this.breaks = false;
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

  /** What is left of the record is `part[from .. to)`. */
  private finish(part: Buffer, from: number, to: number, cuts: number, seen: number): void {
    const { form, carry, carried } = this;
    const length = carried + to - from;
    if (length > this.longest) [this.longest, this.longestLine] = [length, this.line];
    this.carry = [];
    this.carried = 0;
    if (this.line <= form.header) return;
    let fault: RecordFault | null = null;
    if (cuts !== form.columns - 1) fault = cuts < form.columns - 1 ? 'few' : 'many';
    if ((seen & IS_ZERO) !== 0) fault = 'zero';
    if ((seen & MISQUOTED) !== 0) fault = 'quote';
    if (this.all || fault !== null || (seen & IS_HIGH) !== 0) {
      const rest = part.subarray(from, to);
      const bytes = carried === 0 ? rest : Buffer.concat([...carry, rest]);
      const isText = (seen & (IS_HIGH | IS_ZERO | MISQUOTED)) !== IS_HIGH || isUtf8(bytes);
      if (!isText) fault = 'encoding';
      if (this.all || fault !== null) this.visit(bytes, fault);
    }
    this.rows++;
  }
}

/** The steps of the scan, by state and byte. */
function stepsOf(delimiter: number): Uint16Array {
  const kinds = new Uint8Array(256).fill(HIGH, 0x80);
  kinds[0] = ZERO;
  kinds[SPACE] = BLANK;
  kinds[QUOTE] = QUOTES;
  kinds[NEWLINE] = kinds[RETURN] = END;
  kinds[delimiter] = CUT;
  const steps = new Uint16Array((BEHIND + 1) << 8);
  for (let state = NOWHERE; state <= BEHIND; state++)
    for (let byte = 0; byte < 256; byte++) steps[(state << 8) | byte] = stepOf(state, kinds[byte]);
  return steps;
}

function stepOf(state: number, kind: number): number {
  if (kind === END) return LINE_END;
  if (state === NOWHERE) return STARTS;
  const shows = kind === HIGH ? IS_HIGH : kind === ZERO ? IS_ZERO : 0;
  if (state === QUOTED) return shows | (kind === QUOTES ? CLOSED : QUOTED);
  if (kind === CUT) return CUTS | BEGINNING;
  if (kind === QUOTES && (state === BEGINNING || state === CLOSED)) return QUOTED;
  if (kind === BLANK && state !== INSIDE) return state === CLOSED ? BEHIND : state;
  return shows | (state === CLOSED || state === BEHIND ? MISQUOTED : 0) | INSIDE;
}
