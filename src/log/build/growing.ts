/** Columns whose length is not known beforehand. */

import { u32Column } from './memory.js';

const FIRST = 1024;

/** Numbers, appended one by one. */
export class GrowingF64 {
  length = 0;
  private values = new Float64Array(FIRST);

  push(value: number): void {
    if (this.length === this.values.length) {
      const wider = new Float64Array(this.length * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.length++] = value;
  }

  /** The numbers since the last call; valid until the next `push`. */
  take(): Float64Array {
    const taken = this.values.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

/** Whole numbers below 2³², appended one by one. */
export class GrowingU32 {
  length = 0;
  private values = new Uint32Array(FIRST);

  push(value: number): void {
    if (this.length === this.values.length) {
      const wider = new Uint32Array(this.length * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.length++] = value;
  }

  at(i: number): number {
    return this.values[i];
  }

  set(i: number, value: number): void {
    this.values[i] = value;
  }

  /** The numbers since the last call; valid until the next `push`. */
  take(): Uint32Array {
    const taken = this.values.subarray(0, this.length);
    this.length = 0;
    return taken;
  }

  /** As a column on shared memory. */
  column(): Uint32Array {
    const column = u32Column(this.length);
    column.set(this.values.subarray(0, this.length));
    return column;
  }
}
