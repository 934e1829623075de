/**
 * Writes events as lines of the Yahoo! Today Module logs R6A and R6B. Typed arrays in, bytes out, no string per token:
 * about a million lines in a few seconds. The part of a line that is the pool is made once per pool and copied.
 */

import { R6A_FEATURES } from '../formats/yahoo/features.js';

/** The columns that both formats share. Only indices `from .. to` of a call are read. */
interface YahooEvents {
  /** Whole seconds since 1970-01-01 UTC, [L]. */
  readonly seconds: ArrayLike<number>;
  /** Id of the displayed article, a whole number below 10¹⁵, [L]. */
  readonly displayed: ArrayLike<number>;
  /** 0 or 1, [L]. */
  readonly click: ArrayLike<number>;
  /** Index into `pools`, [L]. */
  readonly pool: ArrayLike<number>;
  /** Text of each pool, from {@link r6aPool} or {@link r6bPool}. */
  readonly pools: readonly Uint8Array[];
}

export interface R6aEvents extends YahooEvents {
  /** [L, 6], row-major: #2 .. #6, #1. Written with six decimals: what is read back is the nearest multiple of 10⁻⁶. */
  readonly user: ArrayLike<number>;
}

export interface R6bEvents extends YahooEvents {
  /** Numbers in 1..136 of the features that are set, in the order to write: those of event t are `userFeatures[userOffsets[t] .. userOffsets[t+1])`. */
  readonly userFeatures: ArrayLike<number>;
  /** [L + 1] */
  readonly userOffsets: ArrayLike<number>;
}

const encoder = new TextEncoder();
const SPACE = 32;
const COLON = 58;
const DOT = 46;
const MINUS = 45;
const ZERO = 48;
const NEWLINE = 10;
const USER = encoder.encode(' |user');
const ID = encoder.encode('id-');
/** Longest text of a time, an id, and all marks between, in bytes. */
const FIXED = 64;
/** Longest text of a feature with its number and blank: 16 digits of an integer below 2⁵³, a point and 6 more. */
const FEATURE = 28;

/**
 * The text of an R6A pool, to be copied into each of its lines.
 * @param ids article ids, in the order to write, [n]
 * @param features [n, 6], row-major: #2 .. #6, #1; six decimals are written
 */
export function r6aPool(ids: ArrayLike<number>, features: ArrayLike<number>): Uint8Array {
  const writer = new Writer(ids.length * (FIXED + R6A_FEATURES * FEATURE));
  for (let i = 0; i < ids.length; i++) {
    writer.byte(SPACE);
    writer.byte(124);
    writer.whole(ids[i]);
    writer.features(features, i * R6A_FEATURES);
  }
  return writer.finish();
}

/** The text of an R6B pool. @param ids article ids, in the order to write, [n] */
export function r6bPool(ids: ArrayLike<number>): Uint8Array {
  const writer = new Writer(ids.length * FIXED);
  for (let i = 0; i < ids.length; i++) {
    writer.byte(SPACE);
    writer.byte(124);
    writer.bytes(ID);
    writer.whole(ids[i]);
  }
  return writer.finish();
}

/** R6A lines of events [from, to), each with its line feed. */
export function writeR6aLines(events: R6aEvents, from: number, to: number): Uint8Array {
  const writer = new Writer(room(events, from, to) + (to - from) * R6A_FEATURES * FEATURE);
  for (let t = from; t < to; t++) {
    writer.head(events.seconds[t], null, events.displayed[t], events.click[t]);
    writer.features(events.user, t * R6A_FEATURES);
    writer.bytes(events.pools[events.pool[t]]);
    writer.byte(NEWLINE);
  }
  return writer.finish();
}

/** R6B lines of events [from, to), each with its line feed. */
export function writeR6bLines(events: R6bEvents, from: number, to: number): Uint8Array {
  const { userOffsets, userFeatures } = events;
  const listed = to > from ? userOffsets[to] - userOffsets[from] : 0;
  const writer = new Writer(room(events, from, to) + listed * 4);
  for (let t = from; t < to; t++) {
    writer.head(events.seconds[t], ID, events.displayed[t], events.click[t]);
    for (let i = userOffsets[t]; i < userOffsets[t + 1]; i++) {
      writer.byte(SPACE);
      writer.whole(userFeatures[i]);
    }
    writer.bytes(events.pools[events.pool[t]]);
    writer.byte(NEWLINE);
  }
  return writer.finish();
}

function room({ pool, pools }: YahooEvents, from: number, to: number): number {
  let bytes = (to - from) * FIXED;
  for (let t = from; t < to; t++) bytes += pools[pool[t]].length;
  return bytes;
}

/** Writes into a buffer that is large enough from the start. */
class Writer {
  private readonly buffer: Uint8Array;
  private at = 0;

  constructor(capacity: number) {
    this.buffer = new Uint8Array(capacity);
  }

  byte(value: number): void {
    this.buffer[this.at++] = value;
  }

  bytes(values: Uint8Array): void {
    const { buffer, at } = this;
    // A call costs more than a few bytes.
    if (values.length > 64) buffer.set(values, at);
    else for (let i = 0; i < values.length; i++) buffer[at + i] = values[i];
    this.at += values.length;
  }

  /** A whole number of 0 .. 2⁵³ − 1. */
  whole(value: number): void {
    let digits = 1;
    for (let bound = 10; value >= bound; bound *= 10) digits++;
    this.digits(value, digits);
  }

  private digits(value: number, count: number): void {
    const { buffer, at } = this;
    let rest = value;
    for (let i = at + count - 1; i >= at; i--) {
      const next = Math.floor(rest / 10);
      buffer[i] = ZERO + (rest - next * 10);
      rest = next;
    }
    this.at = at + count;
  }

  head(seconds: number, prefix: Uint8Array | null, displayed: number, click: number): void {
    this.whole(seconds);
    this.byte(SPACE);
    if (prefix !== null) this.bytes(prefix);
    this.whole(displayed);
    this.byte(SPACE);
    this.whole(click);
    this.bytes(USER);
  }

  /** ` 2:… 3:… 4:… 5:… 6:… 1:…` */
  features(values: ArrayLike<number>, from: number): void {
    for (let j = 0; j < R6A_FEATURES; j++) {
      this.byte(SPACE);
      this.byte(ZERO + (j < R6A_FEATURES - 1 ? j + 2 : 1));
      this.byte(COLON);
      const millionths = Math.round(values[from + j] * 1e6);
      const magnitude = Math.abs(millionths);
      if (millionths < 0) this.byte(MINUS);
      const units = Math.floor(magnitude / 1e6);
      this.whole(units);
      this.byte(DOT);
      this.digits(magnitude - units * 1e6, 6);
    }
  }

  finish(): Uint8Array {
    return this.buffer.subarray(0, this.at);
  }
}
