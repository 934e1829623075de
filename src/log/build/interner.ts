/** Distinct rows of integers or floats, numbered in order of first appearance. Rows are compared exactly, never by hash alone. */

const FIRST_SLOTS = 1024;

/** Interns lists of 32-bit words (the bits of rows of values, or arm indices). */
export class WordInterner {
  /** Number of distinct lists. */
  count = 0;
  private words: Int32Array = new Int32Array(4096);
  private starts: Uint32Array = new Uint32Array(FIRST_SLOTS + 1);
  private hashes: Int32Array = new Int32Array(FIRST_SLOTS);
  /** Open addressing: number of a list plus one; 0 is empty. */
  private slots: Int32Array = new Int32Array(FIRST_SLOTS * 2);

  /** Number of the list `words[from .. to)`, which is added if it is new. */
  intern(words: ArrayLike<number>, from: number, to: number): number {
    let hash = to - from;
    for (let i = from; i < to; i++) {
      hash = Math.imul(hash ^ words[i], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const entry = this.slots[slot] - 1;
      if (entry < 0) return this.add(words, from, to, hash, slot);
      if (this.hashes[entry] === hash && this.equal(entry, words, from, to)) return entry;
      slot = (slot + 1) & mask;
    }
  }

  /** The words of list `entry`, as a view that the next `intern` may invalidate. */
  list(entry: number): Int32Array {
    return this.words.subarray(this.starts[entry], this.starts[entry + 1]);
  }

  /** True where list `entry`, which must be ascending, holds `word`. */
  includes(entry: number, word: number): boolean {
    const { words } = this;
    let low = this.starts[entry];
    const end = this.starts[entry + 1];
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (words[middle] < word) low = middle + 1;
      else high = middle;
    }
    return low < end && words[low] === word;
  }

  private equal(entry: number, words: ArrayLike<number>, from: number, to: number): boolean {
    const start = this.starts[entry];
    if (this.starts[entry + 1] - start !== to - from) return false;
    for (let i = from; i < to; i++) if (this.words[start + i - from] !== (words[i] | 0)) return false;
    return true;
  }

  private add(words: ArrayLike<number>, from: number, to: number, hash: number, slot: number): number {
    const entry = this.count++;
    const start = this.starts[entry];
    const end = start + to - from;
    if (end > this.words.length) this.words = grown(this.words, Int32Array, Math.max(end, this.words.length * 2));
    if (entry === this.hashes.length) {
      this.hashes = grown(this.hashes, Int32Array, entry * 2);
      this.starts = grown(this.starts, Uint32Array, entry * 2 + 1);
    }
    for (let i = from; i < to; i++) this.words[start + i - from] = words[i];
    this.starts[entry + 1] = end;
    this.hashes[entry] = hash;
    this.slots[slot] = entry + 1;
    if (this.count * 2 > this.slots.length) this.rehash();
    return entry;
  }

  private rehash(): void {
    const slots = new Int32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.count; entry++) {
      let slot = this.hashes[entry] & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.slots = slots;
  }
}

function grown<T extends Int32Array | Uint32Array>(array: T, make: new (length: number) => T, length: number): T {
  const copy = new make(length);
  copy.set(array);
  return copy;
}
