/** Which texts came before, by 64-bit hashes: 12 bytes a slot, three of four slots taken at most. */

/** Slots at first; at most three of four are taken. */
const FIRST_SLOTS = 1 << 12;

export class SeenIds {
  private high = new Uint32Array(FIRST_SLOTS);
  private low = new Uint32Array(FIRST_SLOTS);
  private rows = new Uint32Array(FIRST_SLOTS);
  private count = 0;
  private h = 0;
  private l = 0;

  /** Row that an id was added with; `null`: it was not. Two of n different ids are taken for one with chance n²/2⁶⁵. */
  find(id: string): number | null {
    this.hash(id);
    const slot = this.slotOf(this.h, this.l);
    return this.isFree(slot) ? null : this.rows[slot];
  }

  add(id: string, row: number): void {
    if (4 * this.count >= 3 * this.high.length) this.grow();
    this.hash(id);
    const slot = this.slotOf(this.h, this.l);
    if (!this.isFree(slot)) return;
    this.high[slot] = this.h;
    this.low[slot] = this.l;
    this.rows[slot] = row;
    this.count++;
  }

  private isFree(slot: number): boolean {
    return this.high[slot] === 0 && this.low[slot] === 0;
  }

  private slotOf(high: number, low: number): number {
    const mask = this.high.length - 1;
    let slot = (low ^ Math.imul(high, 0x9e3779b1)) & mask;
    while (!this.isFree(slot) && (this.high[slot] !== high || this.low[slot] !== low)) slot = (slot + 1) & mask;
    return slot;
  }

  /** Two hashes of MurmurHash3's mixing, over code units. */
  private hash(id: string): void {
    let a = 0x2f0b4c47;
    let b = 0x6c078965 ^ id.length;
    for (let i = 0; i < id.length; i++) {
      const unit = id.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x85ebca6b);
      a ^= a >>> 13;
      b = Math.imul(b ^ unit, 0xc2b2ae35);
      b ^= b >>> 16;
    }
    this.h = Math.imul(a ^ (a >>> 16), 0xc2b2ae35) >>> 0;
    // A slot of zeros is free.
    this.l = (Math.imul(b ^ (b >>> 15), 0x85ebca6b) | 0) >>> 0 || 1;
  }

  private grow(): void {
    const { high, low, rows } = this;
    const slots = 2 * high.length;
    this.high = new Uint32Array(slots);
    this.low = new Uint32Array(slots);
    this.rows = new Uint32Array(slots);
    for (let i = 0; i < high.length; i++) {
      if (high[i] === 0 && low[i] === 0) continue;
      const slot = this.slotOf(high[i], low[i]);
      this.high[slot] = high[i];
      this.low[slot] = low[i];
      this.rows[slot] = rows[i];
    }
  }
}
