/** The columns of events as they come, whose number is known at the end only: all of them, or those of a batch. */

import { f64Column, u32Column } from '../../log/build/memory.js';
import { RowNumbers } from '../../log/build/row-numbers.js';
import { ImplausibleTimes } from '../../log/build/time-units.js';

/** Room at first; a log that needs more says by then how many events a byte of its files holds. */
const FIRST_CAPACITY = 1 << 16;
/** Untouched memory costs nothing, copying does. */
const SLACK = 1.5;

export class EventColumns {
  /** Events since the last call of `take`. */
  count = 0;
  capacity = FIRST_CAPACITY;
  /** Provisional arm of the builder. */
  arm = u32Column(FIRST_CAPACITY);
  clicks = u32Column(FIRST_CAPACITY);
  /** Pool of the builder. */
  pool = u32Column(FIRST_CAPACITY);
  /** Milliseconds. */
  time = f64Column(FIRST_CAPACITY);
  /** Row of each event over all files. */
  readonly rows = new RowNumbers(FIRST_CAPACITY);
  readonly implausible = new ImplausibleTimes();

  /** The columns of the events since the last call; valid until the next `push`. */
  take() {
    const { count, arm, clicks, pool, time } = this;
    this.count = 0;
    return {
      count,
      arm: arm.subarray(0, count),
      clicks: clicks.subarray(0, count),
      pool: pool.subarray(0, count),
      time: time.subarray(0, count),
    };
  }

  /** @param fractionRead share of the files' bytes that is read, 0 to 1. @returns true where there is new room. */
  makeRoom(fractionRead: number): boolean {
    const { count } = this;
    if (count < this.capacity) return false;
    const guess = fractionRead > 0 ? Math.ceil((count / fractionRead) * SLACK) : 0;
    this.capacity = Math.max(2 * count, guess);
    this.arm = this.grown(this.arm);
    this.clicks = this.grown(this.clicks);
    this.pool = this.grown(this.pool);
    this.rows.reserve(this.capacity);
    const time = f64Column(this.capacity);
    time.set(this.time);
    this.time = time;
    return true;
  }

  private grown(column: Uint32Array): Uint32Array {
    const longer = u32Column(this.capacity);
    longer.set(column);
    return longer;
  }

  push(arm: number, click: number, pool: number, seconds: number, row: number): void {
    const t = this.count++;
    this.arm[t] = arm;
    this.clicks[t] = click;
    this.pool[t] = pool;
    this.time[t] = seconds * 1000;
    this.implausible.add(seconds * 1000);
    this.rows.push(row);
  }
}
