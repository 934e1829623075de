/** Which rows of the files are the events of a log. */

import { u32Column } from '../../../log/build/memory.js';

/** Most rows of a batch. */
export const MOST_BATCH_ROWS = 2048;

/** Collects row numbers; touches no memory while event t is row t. */
export class RowNumbers {
  count = 0;
  private column: Uint32Array | null = null;

  constructor(private readonly capacity: number) {}

  push(row: number): void {
    if (this.column === null && row !== this.count) {
      this.column = u32Column(this.capacity);
      for (let t = 0; t < this.count; t++) this.column[t] = t;
    }
    if (this.column !== null) this.column[this.count] = row;
    this.count++;
  }

  /** Rows `first .. first + count`. */
  pushRun(first: number, count: number): void {
    if (this.column === null && first === this.count) this.count += count;
    else for (let i = 0; i < count; i++) this.push(first + i);
  }

  finish(): Uint32Array | null {
    return this.column?.subarray(0, this.count) ?? null;
  }
}

/** Collects the row numbers of a stretch. */
export class RowStretches {
  count = 0;
  /** Events since the last `take`. */
  pending = 0;
  private isIdentity = true;
  private readonly column: Uint32Array;

  constructor(events: number) {
    this.column = u32Column(events + MOST_BATCH_ROWS);
  }

  push(row: number): void {
    if (row !== this.count) this.isIdentity = false;
    this.column[this.pending++] = row;
    this.count++;
  }

  pushRun(first: number, count: number): void {
    for (let i = 0; i < count; i++) this.push(first + i);
  }

  /** Valid until the next `push`. */
  take(): Uint32Array {
    const taken = this.column.subarray(0, this.pending);
    this.pending = 0;
    return taken;
  }

  finish(): Uint32Array | null {
    return this.isIdentity ? null : u32Column(0);
  }
}
