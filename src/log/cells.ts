/** Cells of a log: distinct (context, candidate set) pairs, at which any policy of the two chooses alike. */

import { WordInterner } from './build/interner.js';
import { u32Column } from './build/memory.js';
import type { EventLog } from './event-log.js';

/** Cell of each event: events of one cell are decided alike. */
export interface Cells {
  /** C */
  readonly count: number;
  /** Cell of each event, length L; `null`: event t is cell t (count = L), unless count is 1 (every event in cell 0). */
  readonly of: Uint32Array | null;
}

/** Cells, and an event of each to read its context row and pool from. */
export interface ContextCells extends Cells {
  /** An event of each cell (the first one), length `count`; `null`: cell c is event c. */
  readonly event: Uint32Array | null;
}

const cache = new WeakMap<EventLog, ContextCells>();

/**
 * The distinct (context row, pool) pairs of a log, in order of first appearance, or the events themselves
 * (`{ count: L, of: null, event: null }`) where contexts are not a table of distinct rows or pairs are more than half
 * as many as events. A log without contexts has a cell per pool. Made once per log.
 */
export function contextCells(log: EventLog): ContextCells {
  let cells = cache.get(log);
  if (cells === undefined) {
    cells = makeCells(log);
    cache.set(log, cells);
  }
  return cells;
}

/**
 * The pools of a log as cells, for what does not depend on contexts; the events themselves where pools are more than half
 * as many as events.
 */
export function poolCells({ events, pools }: Pick<EventLog, 'events' | 'pools'>): ContextCells {
  if (pools.pool === null) return events === 0 ? { count: 0, of: null, event: null } : single();
  return pools.count * 2 > events ? { count: events, of: null, event: null } : fromColumn(pools.pool, pools.count);
}

function makeCells(log: EventLog): ContextCells {
  const { events, contexts, pools } = log;
  const identity: ContextCells = { count: events, of: null, event: null };
  const { row } = contexts;
  // A batch need not have all the rows and pools of its log: numbers that do not occur would be decided in vain.
  const part = log.firstEvent !== undefined;
  if ((row === null && contexts.dimension > 0) || events < 2) return identity;
  const poolOf = pools.pool;
  if (row === null && poolOf === null) return single();
  // Without pools the context rows are the cells, and the column itself serves.
  if (!part && (row === null || poolOf === null))
    return row === null ? fromColumn(poolOf as Uint32Array, pools.count) : fromColumn(row, contexts.rows);
  const [rows, sets] = [row === null ? 1 : contexts.rows, poolOf === null ? 1 : pools.count];
  return fromPairs(events, row, poolOf, numbered(rows, sets, events), identity);
}

function single(): ContextCells {
  return { count: 1, of: null, event: u32Column(1) };
}

/** Cells that a column numbers already. Every number below `count` occurs. */
function fromColumn(of: Uint32Array, count: number): ContextCells {
  if (count === 1) return single();
  const event = u32Column(count);
  for (let t = of.length - 1; t >= 0; t--) event[of[t]] = t;
  return { count, of, event };
}

/** The number of a pair of a context row and a pool, in order of first appearance. */
type Numbered = (row: number, set: number) => number;

/** @param rows of contexts. @param sets pools. */
function numbered(rows: number, sets: number, events: number): Numbered {
  let count = 0;
  // A place for each pair is several times as fast as looking it up, where that takes no more than the events do.
  if (rows * sets <= events) {
    const known = new Int32Array(rows * sets).fill(-1);
    return (row, set) => {
      const at = row * sets + set;
      if (known[at] < 0) known[at] = count++;
      return known[at];
    };
  }
  const pairs = new WordInterner();
  const pair = new Int32Array(2);
  return (row, set) => {
    pair[0] = row;
    pair[1] = set;
    return pairs.intern(pair, 0, 2);
  };
}

function fromPairs(
  events: number,
  row: Uint32Array | null,
  poolOf: Uint32Array | null,
  numberOf: Numbered,
  identity: ContextCells,
): ContextCells {
  const limit = Math.floor(events / 2);
  const of = u32Column(events);
  const event = u32Column(limit);
  let count = 0;
  for (let t = 0; t < events; t++) {
    const cell = numberOf(row === null ? 0 : row[t], poolOf === null ? 0 : poolOf[t]);
    if (cell === count) {
      if (cell === limit) return identity;
      event[cell] = t;
      count++;
    }
    of[t] = cell;
  }
  if (count === 1) return single();
  return { count, of, event: event.subarray(0, count) };
}
