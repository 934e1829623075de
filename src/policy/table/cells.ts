/** Cells of a table policy: the distinct key tuples, or periods, among the events of a log. */

import type { EventLog, KeyColumn } from '../../log/event-log.js';
import { listNames, nearestName } from '../../log/order.js';
import type { Cells } from '../batch.js';
import { distinctCodes } from '../cells.js';
import type { SpecPlace } from '../family.js';
import { specFault } from '../spec-faults.js';
import { periodOf } from './time.js';

export interface TableCells {
  readonly cells: Cells;
  /** Cell of a key (a tuple's `tupleKey`, or a period number as text); `undefined` where no event has it. */
  readonly find: ReadonlyMap<string, number>;
  /** What a cell stands for, for warnings: `segment = "new"`. */
  describe(cell: number): string;
}

/** Values of the keys, in the order of the keys, as one text. */
export function tupleKey(values: readonly string[]): string {
  return values.length === 1 ? values[0] : JSON.stringify(values);
}

/** @throws InputError where the log lacks a key column. */
export function keyCells(log: EventLog, keys: readonly string[], place: SpecPlace): TableCells {
  const columns = keys.map((key, i) => keyColumn(log, key, i, place));
  const [head, ...tail] = columns;
  let distinct = distinctCodes(log.events, head.levels.length, (event) => head.code[event]);
  // Levels of the columns so far, for each cell. A further column splits each cell by its own levels.
  let tuples = distinct.code.map((level) => [level]);
  for (const { code, levels } of tail) {
    const { of, count } = distinct.cells;
    const n = levels.length;
    distinct = distinctCodes(log.events, count * n, (event) => of[event] * n + code[event]);
    const shorter = tuples;
    tuples = distinct.code.map((pair) => [...shorter[Math.floor(pair / n)], pair % n]);
  }
  const values = tuples.map((tuple) => tuple.map((level, i) => columns[i].levels[level]));
  return {
    cells: distinct.cells,
    find: new Map(values.map((tuple, cell) => [tupleKey(tuple), cell])),
    describe: (cell) => keys.map((key, i) => `${key} = ${JSON.stringify(values[cell][i])}`).join(', '),
  };
}

function keyColumn(log: EventLog, key: string, index: number, place: SpecPlace): KeyColumn {
  const column = log.keys.get(key);
  if (column !== undefined) return column;
  const known = [...log.keys.keys()];
  const near = nearestName(key, known);
  throw specFault(place, ['keys', index], {
    problem: `the log has no key column "${key}"`,
    needed: known.length === 0 ? 'a log that was read with this column kept' : `one of ${listNames(known)}`,
    hint: near === null ? 'keep it with `keys` when the log is read' : `did you mean "${near}"?`,
  });
}

/** Cells of periods, and where they start. */
export interface PeriodCells extends TableCells {
  /** Start of period 0, in milliseconds since 1970-01-01 UTC. */
  readonly origin: number;
}

/**
 * @param period Milliseconds.
 * @param given Start of period 0; `null`: the last multiple of the period since 1970 at or before the first event.
 * @throws InputError where the log has no times.
 */
export function periodCells(log: EventLog, period: number, given: number | null, place: SpecPlace): PeriodCells {
  const { time } = log;
  if (time === null) {
    throw specFault(place, ['period'], {
      problem: 'the log has no times, which a table by period needs',
      hint: 'name the time column when the log is read',
    });
  }
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const t of time) {
    if (t < low) low = t;
    if (t > high) high = t;
  }
  if (time.length === 0) low = high = 0;
  const origin = given ?? periodOf(low, 0, period) * period;
  const firstPeriod = periodOf(low, origin, period);
  const range = periodOf(high, origin, period) - firstPeriod + 1;
  const codeOf = (event: number) => periodOf(time[event], origin, period) - firstPeriod;
  const { cells, code } = distinctCodes(log.events, range, codeOf);
  return {
    origin,
    cells,
    find: new Map(code.map((n, cell) => [String(n + firstPeriod), cell])),
    describe: (cell) => `the period from ${new Date(origin + (code[cell] + firstPeriod) * period).toISOString()}`,
  };
}
