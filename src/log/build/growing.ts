/** Columns whose length is not known beforehand. */

import { f64Column, u32Column } from './memory.js';

const FIRST = 1024;

/** Numbers, appended one by one. */
class Growing<Column extends Float64Array | Uint32Array> {
  length = 0;
  private values: Column;

  constructor(
    private readonly make: (length: number) => Column,
    private readonly shared: (length: number) => Column,
    first = FIRST,
  ) {
    this.values = make(first);
  }

  push(value: number): void {
    if (this.length === this.values.length) this.grow(2 * this.length);
    this.values[this.length++] = value;
  }

  pushAll(values: ArrayLike<number>): void {
    const length = this.length + values.length;
    if (length > this.values.length) this.grow(Math.max(2 * this.values.length, length));
    this.values.set(values, this.length);
    this.length = length;
  }

  at(i: number): number {
    return this.values[i];
  }

  set(i: number, value: number): void {
    this.values[i] = value;
  }

  /** The numbers so far; valid until the next `push`. */
  view(): Column {
    return this.values.subarray(0, this.length) as Column;
  }

  /** The numbers since the last call; valid until the next `push`. */
  take(): Column {
    const taken = this.view();
    this.length = 0;
    return taken;
  }

  /** As a column on shared memory. */
  column(): Column {
    const column = this.shared(this.length);
    column.set(this.view());
    return column;
  }

  private grow(length: number): void {
    const wider = this.make(length);
    wider.set(this.values);
    this.values = wider;
  }
}

export class GrowingF64 extends Growing<Float64Array> {
  constructor() {
    super((length) => new Float64Array(length), f64Column);
  }
}

/** Whole numbers below 2³². */
export class GrowingU32 extends Growing<Uint32Array> {
  /** @param first numbers that there is room for at the beginning. */
  constructor(first?: number) {
    super((length) => new Uint32Array(length), u32Column, first);
  }
}
