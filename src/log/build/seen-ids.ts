/** Which ids came before, by 64-bit hashes: 16 bytes a slot, three of four slots taken at most. Of n ids two are taken for one with chance n²/2⁶⁵. */

/** Slots at first; at most three of four are taken. */
const FIRST_SLOTS = 1 << 12;

/** The row of an id that is known, but was not there yet. */
const NOT_YET = 0xffffffff;

/** Hashes of ids, by their halves. */
export interface IdHashes {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

/** An id's first event: its row over all files, and a hash of what it says. */
export interface FirstSeen {
  readonly row: number;
  readonly content: number;
}

export class SeenIds {
  private high: Uint32Array;
  private low: Uint32Array;
  private rows: Uint32Array;
  private contents: Uint32Array;
  /** Ids that are known, whether they have been there or not. */
  count = 0;
  /** Ids that are not known are not taken. */
  private isClosed = false;

  /** @param ids that are to be expected. */
  constructor(ids = 0) {
    const slots = slotsFor(ids);
    [this.high, this.low, this.rows, this.contents] = Array.from({ length: 4 }, () => new Uint32Array(slots));
  }

  /** Which of some ids came before: others are not looked for, and take no memory. */
  static among({ high, low }: IdHashes): SeenIds {
    const ids = new SeenIds(high.length);
    for (let i = 0; i < high.length; i++) ids.add(high[i], low[i]);
    ids.isClosed = true;
    return ids;
  }

  /** Bytes that so many ids take. */
  static bytes(ids: number): number {
    return 16 * slotsFor(ids);
  }

  /** Whether an id is known, though it may not have been there yet. */
  knows(high: number, low: number): boolean {
    return !this.isFree(this.slotOf(high, low || 1));
  }

  /** The event that has an id; `null`: none was added. */
  find(high: number, low: number): FirstSeen | null {
    const slot = this.slotOf(high, low || 1);
    const row = this.rows[slot];
    return this.isFree(slot) || row === NOT_YET ? null : { row, content: this.contents[slot] };
  }

  /** The event of an id, unless it has one. */
  add(high: number, low: number, row = NOT_YET, content = 0): void {
    if (this.isClosed && !this.knows(high, low)) return;
    if (4 * this.count >= 3 * this.high.length) this.grow();
    const slot = this.slotOf(high, low || 1);
    if (this.isFree(slot)) this.count++;
    else if (this.rows[slot] !== NOT_YET) return;
    this.put(slot, high, low || 1, row, content);
  }

  private put(slot: number, high: number, low: number, row: number, content: number): void {
    this.high[slot] = high;
    this.low[slot] = low;
    this.rows[slot] = row;
    this.contents[slot] = content;
  }

  /** A slot of zeros is free: of no hash is the lower half 0. */
  private isFree(slot: number): boolean {
    return this.low[slot] === 0;
  }

  private slotOf(high: number, low: number): number {
    const mask = this.high.length - 1;
    let slot = (low ^ Math.imul(high, 0x9e3779b1)) & mask;
    while (!this.isFree(slot) && (this.high[slot] !== high || this.low[slot] !== low)) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { high, low, rows, contents } = this;
    const slots = 2 * high.length;
    [this.high, this.low, this.rows, this.contents] = Array.from({ length: 4 }, () => new Uint32Array(slots));
    for (let i = 0; i < high.length; i++)
      if (low[i] !== 0) this.put(this.slotOf(high[i], low[i]), high[i], low[i], rows[i], contents[i]);
  }
}

function slotsFor(ids: number): number {
  let slots = FIRST_SLOTS;
  while (3 * slots < 4 * ids) slots *= 2;
  return slots;
}

/** Two hashes of MurmurHash3's mixing, over code units. */
export function hashOf(text: string): readonly [high: number, low: number] {
  let a = 0x2f0b4c47;
  let b = 0x6c078965 ^ text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul(b ^ unit, 0xc2b2ae35);
    b ^= b >>> 16;
  }
  return [Math.imul(a ^ (a >>> 16), 0xc2b2ae35) >>> 0, Math.imul(b ^ (b >>> 15), 0x85ebca6b) >>> 0];
}
