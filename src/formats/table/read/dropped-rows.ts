/** Rows that a pass over the files dropped, so that another one over the same files drops the same. */

import { EngineError } from '../../../errors.js';
import type { Marks } from './marks.js';

export class DroppedRows {
  /** A bit per row of each file, where any is dropped. */
  private readonly bits: (Uint8Array | null)[];

  /** @param rows of each file. */
  constructor(private readonly rows: readonly number[]) {
    this.bits = rows.map(() => null);
  }

  /** Whether there are any. */
  get any(): boolean {
    return this.bits.some((bits) => bits !== null);
  }

  /** Takes the rows that are marked. @param rowOf number, in its file, of a row of the batch. */
  add(file: number, marks: Marks, count: number, rowOf: (i: number) => number): void {
    if (marks.count === 0) return;
    this.bits[file] ??= new Uint8Array((this.rows[file] + 7) >>> 3);
    const bits = this.bits[file];
    for (let i = 0; i < count; i++) {
      if (!marks.isBad(i)) continue;
      const row = rowOf(i);
      bits[Math.floor(row / 8)] |= 1 << (row % 8);
    }
  }

  private has(file: number, row: number): boolean {
    const bits = this.bits[file];
    return bits !== null && ((bits[Math.floor(row / 8)] >>> (row % 8)) & 1) === 1;
  }

  /** Marks the rows of a batch that are dropped. @throws EngineError where others are bad than were. */
  checkMarks(file: number, marks: Marks, count: number, rowOf: (i: number) => number, name: string): void {
    if (marks.count === 0 && this.bits[file] === null) return;
    for (let i = 0; i < count; i++) {
      if (this.has(file, rowOf(i))) marks.drop(i);
      else if (marks.isBad(i)) {
        throw new EngineError(
          `${name}: row ${rowOf(i)} was good when it was first read; did the file change meanwhile?`,
        );
      }
    }
  }
}
