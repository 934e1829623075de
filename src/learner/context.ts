/** The context of one event, copied out of the log's table once and asked for many times. */

import type { ContextTable, EventLog } from '../log/event-log.js';

/** Reader of one replica; `x` is the context of the event loaded last. */
export class ContextReader {
  /** d */
  readonly dimension: number;
  /** x_t */
  readonly x: Float64Array;
  private readonly table: ContextTable;
  private loaded = -1;

  constructor(log: EventLog) {
    this.table = log.contexts;
    this.dimension = log.contexts.dimension;
    this.x = new Float64Array(this.dimension);
  }

  /** Row of an event in the table of contexts. */
  row(event: number): number {
    return this.table.row === null ? event : this.table.row[event];
  }

  /** Makes `x` the context of an event; false where it holds that context already. */
  load(event: number): boolean {
    const row = this.row(event);
    if (row === this.loaded) return false;
    this.loaded = row;
    const { x, dimension, table } = this;
    for (let j = 0, from = row * dimension; j < dimension; j++) x[j] = table.values[from + j];
    return true;
  }
}
