/** The user part of a line, and the contexts that it makes. */

import { ContextPacker } from '../../contexts.js';
import type { ContextTable } from '../../event-log.js';
import { WordInterner } from '../../interner.js';
import { f32Column, u32Column } from '../../memory.js';
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
  /** Makes room for `capacity` events in all. */
  reserve(capacity: number): void;
  /** Takes the last user as the next event's. */
  push(): void;
  finish(): ContextTable;
}

const NOTHING: readonly string[] = [];

/** R6A: six numbers, #2 .. #6 and the constant #1 last, as in the files. */
export class R6aUsers implements Users {
  fault: string | null = null;
  faultFrom = 0;
  faultTo = 0;
  readonly forgiven = NOTHING;
  private readonly parser = new FeatureParser();
  private readonly packer: ContextPacker;

  constructor(capacity: number) {
    const sources = featureColumns('user').map((name) => ({ kind: 'numeric' as const, name }));
    this.packer = new ContextPacker({ sources, intercept: false }, capacity);
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

  finish(): ContextTable {
    return this.packer.finish();
  }
}

/** Binary features of an R6B user; #1 is the constant. */
export const R6B_FEATURES = 136;
const WORDS = Math.ceil(R6B_FEATURES / 32);

/** R6B: 136 zeros and ones, of which a line lists the ones. Distinct users are kept as bits, and once each. */
export class R6bUsers implements Users {
  fault: string | null = null;
  faultFrom = 0;
  faultTo = 0;
  forgiven: readonly string[] = NOTHING;
  private readonly bits = new Int32Array(WORDS);
  private readonly users = new WordInterner();
  private row: Uint32Array;
  private count = 0;

  constructor(capacity: number) {
    this.row = u32Column(capacity);
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

  finish(): ContextTable {
    const { users, count } = this;
    const values = f32Column(users.count * R6B_FEATURES);
    for (let user = 0; user < users.count; user++) {
      const bits = users.list(user);
      for (let j = 0; j < R6B_FEATURES; j++) if ((bits[j >> 5] >>> (j & 31)) & 1) values[user * R6B_FEATURES + j] = 1;
    }
    const columns = Array.from({ length: R6B_FEATURES }, (_, j) => `user_${j + 1}`);
    return { dimension: R6B_FEATURES, rows: users.count, values, row: this.row.subarray(0, count), columns };
  }
}
