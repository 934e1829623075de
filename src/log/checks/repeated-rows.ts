/**
 * Rows that are there again: a part of the log appended twice, files that overlap, a join that doubled rows. Few columns are
 * equal at many events by chance, so that only what chance cannot do is told of. The one thing that is random in every log
 * that is fit for replay is the arm: n events in a row show the arms of n others with chance Π 1/|A_t|. Memory is bounded.
 */

import type { Archive, Carried } from '../../archive.js';
import type { EventLog } from '../event-log.js';

/** Chance of a false alarm, as a negative power of two. */
const SURE = 30;
/** Blocks of events that are remembered at most. */
const MOST_BLOCKS = 2 ** 18;
/** Events that are hashed at a time. */
const CHUNK = 1024;
const FOLLOWERS = 2 ** 14;
const FILTER_BITS = 2 ** 21;
/** Multipliers of the two sums over a window. */
const [M1, M2] = [0x01000193, 0x2c1b3c6d];
/** Share of events from which on neighbours are worth a warning. */
const SHARE = 0.01;
/** Runs of equal events whose lengths have no common divisor by chance. */
const RUNS = 64;

/** Events that come again in the order that they had before: how many, the first of them, and that which it repeats. */
export interface RepeatedRun {
  readonly events: number;
  readonly first: number;
  readonly before: number;
}

export class RepeatedRows implements Carried {
  /** Events of a window. */
  readonly size: number;
  /** Bits of random arms that a block needs, so that no other window of the log has its arms by chance. */
  private readonly needed: number;
  /** log2 of the number of candidates, by pool. */
  private readonly bits: Float64Array;
  /** Windows nearer than this may be alike because arms come in turn. */
  private readonly apart: number;
  private readonly hasTime: boolean;
  private run = { events: 0, first: -1, before: -1 };
  /** The first event that is not counted as repeated yet. */
  private open = 0;
  private seen = 0;
  /** Of the block that is being filled. */
  private blockBits = 0;
  /** Of events that are like the one before in all but arm and payoff: how many chance gives its arm, how many have it. */
  private readonly alike = { due: 0, equal: 0, first: -1 };
  /** Of runs of events that are the same, payoffs too: those that ended, the length of this one, the divisor of all. */
  private readonly runs = { ended: 0, length: 0, divisor: 0 };
  /** Of the event before: its hash, that of all but its arm, and the steps of its payoff. */
  private readonly last = new Uint32Array(3);
  /** Sums over the window, and the hashes of its events. */
  private readonly sums = new Uint32Array(2);
  private readonly ring1: Uint32Array;
  private readonly ring2: Uint32Array;
  private readonly power1: number;
  private readonly power2: number;
  /** Which event came after one, the last time. */
  private readonly followers = new Uint32Array(FOLLOWERS);
  private readonly filter = new Uint32Array(FILTER_BITS / 32);
  private readonly blocks = new Map<number, number>();
  private readonly h1 = new Uint32Array(CHUNK);
  private readonly h2 = new Uint32Array(CHUNK);
  private readonly rest = new Uint32Array(CHUNK);

  /** @param head the log, or its head. @param events of all of it. */
  constructor(head: EventLog, events: number) {
    const { count, offsets } = head.pools;
    this.bits = Float64Array.from({ length: count }, (_, s) => Math.log2(Math.max(1, offsets[s + 1] - offsets[s])));
    this.needed = 2 * Math.log2(Math.max(2, events)) + SURE;
    const mean = this.bits.reduce((sum, bits) => sum + bits, 0) / Math.max(1, count);
    // Of two arms without a context, half of the events are no surprise: most windows have enough of them all the same.
    const size = Math.max((3 * this.needed) / mean, events / MOST_BLOCKS);
    this.size = size < events / 2 ? Math.ceil(size) : 0;
    this.apart = 2 * (this.size + head.arms.ids.length);
    this.hasTime = head.time !== null;
    this.ring1 = new Uint32Array(this.size);
    this.ring2 = new Uint32Array(this.size);
    this.power1 = power(M1, this.size);
    this.power2 = power(M2, this.size);
  }

  /** Batches come in the order of the log; they may be without payoffs where `decided`. */
  add(log: EventLog): this {
    for (let from = 0; from < log.events; from += CHUNK) {
      const to = Math.min(log.events, from + CHUNK);
      this.hash(log, from, to);
      this.compare(log, from, to);
      if (!this.decided) this.measure(log, from, to);
      if (this.size > 0) this.roll(log, from, to);
      this.last[0] = this.h1[to - from - 1];
      this.last[1] = this.rest[to - from - 1];
      this.seen += to - from;
    }
    return this;
  }

  /** Payoffs make no difference any more. */
  get decided(): boolean {
    return this.runs.divisor === 1;
  }

  /** Hashes of events, of all but their arms at first. */
  private hash({ arm, contexts, pools, propensity, time, user, keys }: EventLog, from: number, to: number): void {
    const { h1, h2, rest } = this;
    const n = to - from;
    h1.fill(0x243f6a88);
    h2.fill(0x13198a2e);
    const mix = (words: ArrayLike<number>, first: number, step: number): void => {
      for (let i = 0, at = first; i < n; i++, at += step) {
        const word = words[at];
        const a = Math.imul(h1[i] ^ word, 0x9e3779b1);
        h1[i] = a ^ (a >>> 15);
        const b = Math.imul(h2[i] + word, 0x85ebca6b);
        h2[i] = b ^ (b >>> 13);
      }
    };
    const reals = (values: Float64Array, first: number, step: number): void => {
      const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
      mix(words, 2 * first, 2 * step);
      mix(words, 2 * first + 1, 2 * step);
    };
    const { row, values, dimension } = contexts;
    if (pools.pool !== null) mix(pools.pool, from, 1);
    if (time !== null) reals(time, from, 1);
    if (user !== null) mix(user.code, from, 1);
    for (const { code } of keys.values()) mix(code, from, 1);
    if (row !== null) mix(row, from, 1);
    else if (values instanceof Float64Array)
      for (let j = 0; j < dimension; j++) reals(values, from * dimension + j, dimension);
    else {
      const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
      for (let j = 0; j < dimension; j++) mix(words, from * dimension + j, dimension);
    }
    rest.set(h1);
    mix(arm, from, 1);
    if (propensity !== null) reals(propensity, from, 1);
    for (let i = 0; i < n; i++) {
      const a = Math.imul(h1[i] ^ (h1[i] >>> 16), 0xc2b2ae35);
      h1[i] = a ^ (a >>> 16);
      const b = Math.imul(h2[i] ^ (h2[i] >>> 16), 0x27d4eb2f);
      h2[i] = b ^ (b >>> 15);
    }
  }

  /** Neighbours that are alike. */
  private compare({ pools: { pool } }: EventLog, from: number, to: number): void {
    const { h1, rest, alike, bits, last } = this;
    for (let i = this.seen === 0 ? 1 : 0; i < to - from; i++) {
      if (rest[i] !== (i === 0 ? last[1] : rest[i - 1])) continue;
      alike.due += 2 ** -bits[pool === null ? 0 : pool[from + i]];
      if (h1[i] !== (i === 0 ? last[0] : h1[i - 1])) continue;
      if (alike.equal++ === 0) alike.first = this.seen + i;
    }
  }

  /** Runs of events that are the same. */
  private measure({ payoff: { steps }, events }: EventLog, from: number, to: number): void {
    const { h1, runs, last } = this;
    // Of what has no payoffs nothing can be said.
    if (steps.length < events) runs.divisor = 1;
    for (let i = 0; i < to - from && runs.divisor !== 1; i++) {
      const hash = i === 0 ? last[0] : h1[i - 1];
      const step = from + i === 0 ? last[2] : steps[from + i - 1];
      if (this.seen + i > 0 && (h1[i] !== hash || steps[from + i] !== step)) {
        runs.ended++;
        runs.divisor = divisor(runs.divisor, runs.length);
        runs.length = 0;
      }
      runs.length++;
    }
    last[2] = steps[to - 1] ?? 0;
  }

  /** Moves the window on, event by event. */
  private roll({ pools: { pool } }: EventLog, from: number, to: number): void {
    const { h1, h2, ring1, ring2, size, sums, power1, power2, followers, filter, bits, last } = this;
    let [sum1, sum2] = sums;
    let before = last[0];
    for (let i = 0; i < to - from; i++) {
      const event = this.seen + i;
      const at = event % size;
      sum1 = (Math.imul(sum1, M1) + h1[i] - Math.imul(ring1[at], power1)) | 0;
      sum2 = (Math.imul(sum2, M2) + h2[i] - Math.imul(ring2[at], power2)) | 0;
      ring1[at] = h1[i];
      ring2[at] = h2[i];
      // An event that follows another as it did the last time may not be drawn anew: views repeat, arms come in turn.
      const slot = before & (FOLLOWERS - 1);
      if (followers[slot] !== h1[i]) this.blockBits += bits[pool === null ? 0 : pool[from + i]];
      followers[slot] = h1[i];
      before = h1[i];
      const bit = sum1 & (FILTER_BITS - 1);
      if (((filter[bit >>> 5] >>> (bit & 31)) & 1) === 1) this.find(sum1, sum2, event);
      if (at !== size - 1) continue;
      if (this.blockBits >= this.needed) this.store(sum1, sum2, event - size + 1);
      this.blockBits = 0;
    }
    sums[0] = sum1;
    sums[1] = sum2;
  }

  private store(sum1: number, sum2: number, first: number): void {
    const key = keyOf(sum1, sum2);
    if (this.blocks.has(key)) return;
    this.blocks.set(key, first * 4096 + (sum2 & 4095));
    const bit = sum1 & (FILTER_BITS - 1);
    this.filter[bit >>> 5] |= 1 << (bit & 31);
  }

  /** The window that ends at an event may be a block that was there before. */
  private find(sum1: number, sum2: number, event: number): void {
    const found = this.blocks.get(keyOf(sum1, sum2));
    if (found === undefined || found % 4096 !== (sum2 & 4095)) return;
    const before = Math.floor(found / 4096);
    const first = event - this.size + 1;
    if (first - before < this.apart) {
      this.blocks.delete(keyOf(sum1, sum2));
      return;
    }
    const { run } = this;
    if (run.events === 0) this.run = { events: 0, first, before };
    this.run.events += event + 1 - Math.max(first, this.open);
    this.open = event + 1;
  }

  /** Events that repeat a part of the log, whole windows of them; `null`: none. */
  get repeated(): RepeatedRun | null {
    return this.run.events === 0 ? null : this.run;
  }

  /**
   * Events that repeat the one before them, where neither chance nor views that repeat do that: all are there as often, or
   * their times are equal, too; `null`: none.
   */
  get doubled(): { readonly events: number; readonly times: number | null; readonly first: number } | null {
    const { due, equal: events, first } = this.alike;
    const times = divisor(this.runs.divisor, this.runs.length);
    if (this.runs.ended >= RUNS && times > 1) return { events: this.seen - this.seen / times, times, first };
    if (!this.hasTime) return null;
    // Freedman's inequality: given all before it, an event shows the arm before it with chance 1/|A_t| at most.
    const x = SURE * Math.LN2;
    const most = due + x / 3 + Math.sqrt((x / 3) ** 2 + 2 * x * due);
    return events > most && events - due > SHARE * this.seen ? { events, times: null, first } : null;
  }

  carry(archive: Archive): void {
    const { alike, run, runs } = this;
    this.run = {
      events: archive.number(run.events),
      first: archive.number(run.first),
      before: archive.number(run.before),
    };
    this.open = archive.number(this.open);
    this.seen = archive.number(this.seen);
    this.blockBits = archive.number(this.blockBits);
    alike.due = archive.number(alike.due);
    alike.equal = archive.number(alike.equal);
    alike.first = archive.number(alike.first);
    runs.ended = archive.number(runs.ended);
    runs.length = archive.number(runs.length);
    runs.divisor = archive.number(runs.divisor);
    for (const array of [this.last, this.sums, this.ring1, this.ring2, this.followers, this.filter])
      archive.array(array);
    const entries = archive.list(Float64Array.from([...this.blocks].flat()));
    if (!archive.reading) return;
    this.blocks.clear();
    for (let i = 0; i < entries.length; i += 2) this.blocks.set(entries[i], entries[i + 1]);
  }
}

/** 52 of the 64 bits. */
function keyOf(sum1: number, sum2: number): number {
  return (sum1 >>> 0) * 2 ** 20 + (sum2 >>> 12);
}

/** base^exponent modulo 2³². */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result = Math.imul(result, base);
  return result;
}

/** Greatest common divisor. */
function divisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}
