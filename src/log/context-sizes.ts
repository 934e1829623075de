/** How large contexts are, and how they are spread, for those who compute with them or scale them. */

import type { Archive, Carried } from '../archive.js';
import type { ContextSizes, ContextTable, EventLog } from './event-log.js';

const known = new WeakMap<ContextTable, ContextSizes>();

/** Those of the whole log; of a log that does not say, found once. */
export function contextSizes(log: EventLog): ContextSizes {
  const { contexts } = log;
  let sizes = contexts.sizes ?? known.get(contexts);
  if (sizes === undefined) {
    sizes = new ContextSurvey(log).add(log).sizes();
    known.set(contexts, sizes);
  }
  return sizes;
}

/** Goes through the contexts of a log stretch by stretch. What it finds does not depend on the stretches. */
export class ContextSurvey implements Carried {
  /** Of each column over events: smallest and largest value, mean, and sum of squared deviations from it. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly mean: Float64Array;
  readonly squares: Float64Array;
  private readonly armEvents: Float64Array;
  private events = 0;

  /** @param moments whether means and squares are wanted. */
  constructor(
    head: EventLog,
    private readonly moments = false,
  ) {
    const { dimension } = head.contexts;
    this.low = new Float64Array(dimension).fill(Number.POSITIVE_INFINITY);
    this.high = new Float64Array(dimension).fill(Number.NEGATIVE_INFINITY);
    this.mean = new Float64Array(dimension);
    this.squares = new Float64Array(dimension);
    this.armEvents = new Float64Array(head.arms.ids.length);
  }

  add({ events, arm, contexts }: EventLog): this {
    const { low, high, armEvents } = this;
    const { values, row, dimension } = contexts;
    for (let t = 0; t < events; t++) armEvents[arm[t]]++;
    const length = row === null ? events * dimension : values.length;
    for (let j = 0; j < dimension; j++) {
      for (let i = j; i < length; i += dimension) {
        if (values[i] < low[j]) low[j] = values[i];
        if (values[i] > high[j]) high[j] = values[i];
      }
    }
    if (this.moments) for (let t = 0; t < events; t++) this.addMoments(values, (row === null ? t : row[t]) * dimension);
    return this;
  }

  /** Welford's update, event after event. */
  private addMoments(values: ArrayLike<number>, from: number): void {
    const { mean, squares } = this;
    const n = ++this.events;
    for (let j = 0; j < mean.length; j++) {
      const off = values[from + j] - mean[j];
      mean[j] += off / n;
      squares[j] += off * (values[from + j] - mean[j]);
    }
  }

  sizes(): ContextSizes {
    const largest = this.low.map((low, j) =>
      low > this.high[j] ? 0 : Math.max(Math.abs(low), Math.abs(this.high[j])),
    );
    return { largest, rows: this.armEvents.reduce((most, n) => Math.max(most, n), 0) };
  }

  /** Events seen, where moments are wanted. */
  get count(): number {
    return this.events;
  }

  carry(archive: Archive): void {
    for (const part of [this.low, this.high, this.mean, this.squares, this.armEvents]) archive.array(part);
    this.events = archive.number(this.events);
  }
}
