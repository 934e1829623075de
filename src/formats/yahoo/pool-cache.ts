/** Pool parts of lines by their bytes. Most lines repeat the pool of the line before, and cost one comparison. */

import type { PoolParser, PoolText } from './pool-text.js';

/** Bytes of entries that are kept, about. A log of a day has some hundred pools of 1.5 KB. */
const MOST_BYTES = 1 << 23;

/** What an entry takes beside its text, about. */
const ENTRY_BYTES = 2048;

interface Entry {
  readonly bytes: Buffer;
  readonly text: PoolText;
  readonly next: Entry | null;
}

export class PoolCache {
  private readonly entries = new Map<number, Entry>();
  private held = 0;
  private last: Entry | null = null;

  constructor(private readonly parser: PoolParser) {}

  /** What the pool part `bytes[from .. to)` says. */
  get(bytes: Buffer, from: number, to: number): PoolText {
    const { last } = this;
    if (last !== null && equal(last, bytes, from, to)) return last.text;
    const hash = hashOf(bytes, from, to);
    const first = this.entries.get(hash) ?? null;
    for (let entry = first; entry !== null; entry = entry.next) {
      if (equal(entry, bytes, from, to)) {
        this.last = entry;
        return entry.text;
      }
    }
    return this.add(hash, bytes, from, to);
  }

  private add(hash: number, bytes: Buffer, from: number, to: number): PoolText {
    const text = this.parser.parse(bytes, from, to);
    this.held += to - from + ENTRY_BYTES;
    if (this.held > MOST_BYTES) {
      // A log whose lines all have pools of their own; they are in the builder, and only their text is forgotten.
      this.entries.clear();
      this.held = 0;
    }
    const copy = Buffer.allocUnsafeSlow(to - from);
    bytes.copy(copy, 0, from, to);
    const entry = { bytes: copy, text, next: this.entries.get(hash) ?? null };
    this.entries.set(hash, entry);
    this.last = entry;
    return text;
  }
}

function equal({ bytes }: Entry, other: Buffer, from: number, to: number): boolean {
  return bytes.length === to - from && bytes.compare(other, from, to) === 0;
}

function hashOf(bytes: Buffer, from: number, to: number): number {
  let hash = to - from;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i], 0x01000193);
  return hash;
}
