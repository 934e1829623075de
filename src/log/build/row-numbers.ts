/** Which rows of the files are the events of a log: of all events, or of a batch at a time. */

import { u32Column } from './memory.js';

/** Collects row numbers; touches no memory while event t is row t. */
export class RowNumbers {
  /** Events in all. */
  count = 0;
  /** Events since the last `take`. */
  pending = 0;
  /** Their rows; `null` while every event t is row t. */
  private column: Uint32Array | null = null;

  /** @param capacity the most events between two calls of `take`, unless `reserve` is called. */
  constructor(private capacity: number) {}

  /** Makes room for `capacity` events. */
  reserve(capacity: number): void {
    this.capacity = capacity;
    const { column } = this;
    if (column === null) return;
    this.column = u32Column(capacity);
    this.column.set(column);
  }

  push(row: number): void {
    if (this.column === null && row !== this.count) {
      this.column = u32Column(this.capacity);
      this.column.set(this.identity());
    }
    if (this.column !== null) this.column[this.pending] = row;
    this.pending++;
    this.count++;
  }

  /** Rows `first .. first + count`. */
  pushRun(first: number, count: number): void {
    if (this.column === null && first === this.count) {
      this.pending += count;
      this.count += count;
    } else for (let i = 0; i < count; i++) this.push(first + i);
  }

  /** The rows of the events since the last call; valid until the next `push`. */
  take(): Uint32Array {
    const taken = this.column?.subarray(0, this.pending) ?? this.identity();
    this.pending = 0;
    return taken;
  }

  /** The rows of the events that were not taken; `null`: event t is row t, of all events. */
  finish(): Uint32Array | null {
    return this.column?.subarray(0, this.pending) ?? null;
  }

  private identity(): Uint32Array {
    const first = this.count - this.pending;
    const rows = new Uint32Array(this.pending);
    for (let i = 0; i < rows.length; i++) rows[i] = first + i;
    return rows;
  }
}
