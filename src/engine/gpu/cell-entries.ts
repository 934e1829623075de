/** Finding the entries of a cell, and the block of an entry. */

import type { Entries } from '../entries.js';

/** Entries of each cell. */
export class CellEntries {
  private readonly starts: Uint32Array | null;
  private readonly list: Uint32Array;

  constructor({ cell, count }: Entries, cells: number) {
    if (cell === null) {
      this.starts = null;
      this.list = new Uint32Array(1);
      return;
    }
    this.starts = new Uint32Array(cells + 1);
    for (let i = 0; i < count; i++) this.starts[cell[i] + 1]++;
    for (let c = 0; c < cells; c++) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    this.list = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.list[next[cell[i]]++] = i;
  }

  /** Entries of a cell; valid until the next call. */
  of(cell: number): Uint32Array {
    if (this.starts !== null) return this.list.subarray(this.starts[cell], this.starts[cell + 1]);
    this.list[0] = cell;
    return this.list;
  }
}

/** Block that holds an entry. */
export function entryBlock({ starts }: Entries, entry: number): number {
  // The last block that starts at or before it: empty blocks start where the next one does.
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= entry) low = middle;
    else high = middle;
  }
  return low;
}
