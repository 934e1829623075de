/** The context of one event, copied out of the log's table once and asked for many times. */

import type { ContextTable, EventLog } from '../log/event-log.js';

/** Reader of one replica; `x` is the context of the event loaded last. */
export class ContextReader {
  /** d */
  readonly dimension: number;
  /** x_t */
  readonly x: Float64Array;
  // Not the table: logs come in several shapes, and engines compile what looks them up in all of these.
  private readonly rows: ContextTable['row'];
  private readonly values: ContextTable['values'];
  private loaded = -1;

  constructor(log: EventLog) {
    const { row, values, dimension } = log.contexts;
    this.rows = row;
    this.values = values;
    this.dimension = dimension;
    this.x = new Float64Array(this.dimension);
  }

  /** Row of an event in the table of contexts. */
  row(event: number): number {
    return this.rows === null ? event : this.rows[event];
  }

  /** Makes `x` the context of an event; false where it holds that context already. */
  load(event: number): boolean {
    const row = this.row(event);
    if (row === this.loaded) return false;
    this.loaded = row;
    const { x, dimension, values } = this;
    for (let j = 0, from = row * dimension; j < dimension; j++) x[j] = values[from + j];
    return true;
  }
}
