/** Which events of a batch share a row of predictions: those with one context and fold. */

import type { EventLog } from '../log/event-log.js';

export interface PredictionRows {
  /** R */
  readonly rows: number;
  /** Row of each event, [L]; `null`: event t has row t. */
  readonly row: Uint32Array | null;
  /** An event of each row, [R]; `null`: event t. */
  readonly event: Uint32Array | null;
}

/** Bytes for each event: its fold and row, and the event of that. */
export const PER_EVENT = 12;

/** Rows of all events at most; infinite: each has its own. As `predictionRows`. */
export function mostRows(of: Uint32Array | null, rows: number, folds: number, pools?: EventLog['pools']): number {
  return of === null ? Number.POSITIVE_INFINITY : rows * folds * setsOf(pools);
}

function setsOf(pools: EventLog['pools'] | undefined): number {
  return pools === undefined || pools.pool === null ? 1 : pools.count;
}

/**
 * @param of row of each event's context, [L]; `null`: every event has its own.
 * @param rows of the table of contexts.
 * @param fold of each event, [L].
 * @param folds F
 * @param pools where predictions differ by pool: the log's; absent: they do not.
 */
export function predictionRows(
  of: Uint32Array | null,
  rows: number,
  fold: Uint32Array,
  folds: number,
  pools?: EventLog['pools'],
): PredictionRows {
  const events = fold.length;
  const pool = pools?.pool ?? null;
  const sets = setsOf(pools);
  // A table that is larger than the batch is not worth a list of its rows.
  if (of === null || rows * folds * sets > 4 * events + 1024) return { rows: events, row: null, event: null };
  const known = new Int32Array(rows * folds * sets).fill(-1);
  const row = new Uint32Array(events);
  const event = new Uint32Array(Math.min(events, known.length));
  let count = 0;
  for (let t = 0; t < events; t++) {
    const key = (of[t] * folds + fold[t]) * sets + (pool === null ? 0 : pool[t]);
    if (known[key] < 0) {
      event[count] = t;
      known[key] = count++;
    }
    row[t] = known[key];
  }
  return { rows: count, row, event: event.subarray(0, count) };
}
