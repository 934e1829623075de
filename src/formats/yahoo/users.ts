/** The user part of a line, and the contexts that it makes. */

import { type ContextBatch, type ContextForm, OtherForm, outgrowsTable } from '../../log/build/context-form.js';
import { ContextPacker } from '../../log/build/contexts.js';
import { WordInterner } from '../../log/build/interner.js';
import { f32Column, u32Column } from '../../log/build/memory.js';
import type { ContextTable } from '../../log/event-log.js';
import { FeatureParser, featureColumns, R6A_FEATURES } from './features.js';
import { DROPPED, FORGIVEN } from './kinds.js';
import { BAR, skipBlanks, tokenEnd, wholeNumber } from './tokens.js';

/** Parses the users of one format, and keeps their contexts. */
export interface Users {
  /** What is wrong with the token `faultFrom .. faultTo`; `null`: nothing. */
  readonly fault: string | null;
  readonly faultFrom: number;
  readonly faultTo: number;
  /** What is odd about the last user, and forgiven. */
  readonly forgiven: readonly string[];
  /** Parses a user from `from` on, up to a token that starts with a bar, or `to`. Returns where it stopped. */
  parse(bytes: Uint8Array, from: number, to: number): number;
  /** Names of the columns. */
  readonly columns: readonly string[];
  /** Makes room for `capacity` events, in all or of a batch. */
  reserve(capacity: number): void;
  /** Takes the last user as the next event's. */
  push(): void;
  /** The contexts since the last call; valid until the next `push`. @throws OtherForm */
  take(): ContextBatch;
  /** The contexts, without those that were taken. @throws OtherForm where their form is not free. */
  finish(): ContextTable;
}

const NOTHING: readonly string[] = [];

/** R6A: six numbers, #2 .. #6 and the constant #1 last, as in the files. */
export class R6aUsers implements Users {
  fault: string | null = null;
  faultFrom = 0;
  faultTo = 0;
  readonly forgiven = NOTHING;
  readonly columns = featureColumns('user');
  private readonly parser = new FeatureParser();
  private readonly packer: ContextPacker;

  /** @param form that the contexts are to have; `null`: the one that fits. */
  constructor(capacity: number, form: ContextForm | null) {
    const sources = this.columns.map((name) => ({ kind: 'numeric' as const, name }));
    this.packer = new ContextPacker({ sources, intercept: false }, capacity, form);
  }

  parse(bytes: Uint8Array, from: number, to: number): number {
    const { parser } = this;
    const end = parser.parse(bytes, from, to);
    this.fault = parser.fault;
    this.faultFrom = parser.faultFrom;
    this.faultTo = parser.faultTo;
    if (parser.fault === null && parser.count < R6A_FEATURES) {
      this.fault = DROPPED.shortUser;
      this.faultFrom = from;
      this.faultTo = end;
    }
    return end;
  }

  reserve(capacity: number): void {
    this.packer.reserve(capacity);
  }

  push(): void {
    const { packer, parser } = this;
    const { row } = packer;
    for (let j = 0; j < R6A_FEATURES; j++) row[j] = parser.values[j];
    packer.push();
  }

  take(): ContextBatch {
    return this.packer.take();
  }

  finish(): ContextTable {
    return this.packer.finish();
  }
}

/** Binary features of an R6B user; #1 is the constant. */
export const R6B_FEATURES = 136;
const WORDS = Math.ceil(R6B_FEATURES / 32);

/**
 * R6B: 136 zeros and ones, of which a line lists the ones. Distinct users are kept as bits, and once each, but where events
 * are handed on and users are so many that their table would be large.
 */
export class R6bUsers implements Users {
  fault: string | null = null;
  faultFrom = 0;
  faultTo = 0;
  forgiven: readonly string[] = NOTHING;
  readonly columns = Array.from({ length: R6B_FEATURES }, (_, j) => `user_${j + 1}`);
  private readonly bits = new Int32Array(WORDS);
  /** Of the log, or of a batch whose rows are dense. */
  private users = new WordInterner();
  private row: Uint32Array;
  private count = 0;
  private readonly isDense: boolean;

  /** @param form that the contexts are to have, all of which f32 holds; `null`: a table. */
  constructor(capacity: number, form: ContextForm | null) {
    this.row = u32Column(capacity);
    this.isDense = form === 'f32';
  }

  parse(bytes: Uint8Array, from: number, to: number): number {
    const { bits } = this;
    bits.fill(0);
    this.fault = null;
    let count = 0;
    let repeated = false;
    let at = skipBlanks(bytes, from, to);
    while (at < to && bytes[at] !== BAR) {
      const end = tokenEnd(bytes, at, to);
      const index = wholeNumber(bytes, at, end);
      if (!(index >= 1 && index <= R6B_FEATURES)) {
        this.fault = DROPPED.userIndex;
        this.faultFrom = at;
        this.faultTo = end;
        return to;
      }
      const word = (index - 1) >> 5;
      const bit = 1 << ((index - 1) & 31);
      if (bits[word] & bit) repeated = true;
      bits[word] |= bit;
      count++;
      at = skipBlanks(bytes, end, to);
    }
    this.forgiven = count === 0 ? [FORGIVEN.noUserFeatures] : repeated ? [FORGIVEN.userFeatureTwice] : NOTHING;
    return at;
  }

  reserve(capacity: number): void {
    const grown = u32Column(capacity);
    grown.set(this.row.subarray(0, this.count));
    this.row = grown;
  }

  push(): void {
    this.row[this.count++] = this.users.intern(this.bits, 0, WORDS);
  }

  take(): ContextBatch {
    const { count, users } = this;
    const row = this.row.subarray(0, count);
    this.count = 0;
    if (!this.isDense) {
      if (outgrowsTable(users.count, R6B_FEATURES)) throw new OtherForm('f32');
      return { values: f32Column(0), row };
    }
    this.users = new WordInterner();
    const values = f32Column(count * R6B_FEATURES);
    for (let t = 0; t < count; t++) writeBits(users.list(row[t]), values, t * R6B_FEATURES);
    return { values, row: null };
  }

  finish(): ContextTable {
    const { users, count, columns } = this;
    const dimension = R6B_FEATURES;
    if (this.isDense) return { dimension, rows: 0, values: f32Column(0), row: null, columns };
    const values = f32Column(users.count * dimension);
    for (let user = 0; user < users.count; user++) writeBits(users.list(user), values, user * dimension);
    return { dimension, rows: users.count, values, row: this.row.subarray(0, count), columns };
  }
}

/** Writes the 136 bits of a user as a row of zeros and ones. */
function writeBits(bits: Int32Array, values: Float32Array, at: number): void {
  for (let j = 0; j < R6B_FEATURES; j++) values[at + j] = (bits[j >> 5] >>> (j & 31)) & 1;
}
