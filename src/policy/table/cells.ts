/** Cells of a table policy: the distinct key tuples, or periods, among the events of a log. */

import { TimeSpan } from '../../log/build/time-span.js';
import type { Cells } from '../../log/cells.js';
import type { EventLog, KeyColumn } from '../../log/event-log.js';
import { listNames, nearestName } from '../../names/order.js';
import { distinctCodes } from '../cells.js';
import type { SpecPlace } from '../family.js';
import { specFault } from '../spec-faults.js';
import { periodOf } from './time.js';

/** Levels that are looked at for one that may be meant. */
const MOST_NEAR = 10_000;

/** Cells, found by `Key`: the values of the keys in their order, or the number of a period. */
export interface TableCells<Key> {
  readonly cells: Cells;
  /** Cell of a key; `undefined` where no event has it. */
  find(key: Key): number | undefined;
  /** What a cell stands for, for warnings: `segment = "new"`. */
  describe(cell: number): string;
}

/** @throws InputError where the log lacks a key column. */
export function keyCells(log: EventLog, keys: readonly string[], place: SpecPlace): TableCells<readonly string[]> {
  const columns = keys.map((key, i) => keyColumn(log, key, i, place));
  const levelOf = columns.map(({ levels }) => new Map(levels.map((level, i) => [level, i])));
  // Column by column: a further column splits each cell so far by its own levels.
  let cells: Cells = { count: 1, of: null };
  const splits = columns.map(({ code, levels }) => {
    const { count, of } = cells;
    const n = levels.length;
    const codeOf = (event: number) => (of === null ? 0 : of[event] * n) + code[event];
    const split = distinctCodes(log.events, count * n, codeOf);
    cells = split.cells;
    return { ...split, n };
  });
  return {
    cells,
    find: (values) =>
      splits.reduce<number | undefined>((cell, { cellOf, n }, i) => {
        const level = levelOf[i].get(values[i]);
        return cell === undefined || level === undefined ? undefined : cellOf(cell * n + level);
      }, 0),
    describe: (cell) => {
      const parts: string[] = [];
      for (let i = keys.length - 1; i >= 0; i--) {
        const { code, n } = splits[i];
        parts.unshift(`${keys[i]} = ${JSON.stringify(columns[i].levels[code[cell] % n])}`);
        cell = Math.floor(code[cell] / n);
      }
      return parts.join(', ');
    },
  };
}

/** What values of keys are likely to mean that the log does not have: `segment "1.0" for "1"`; `null`: nothing near. */
export function nearKey(
  { keys: columns }: EventLog,
  keys: readonly string[],
  values: readonly string[],
): string | null {
  for (const [i, value] of values.entries()) {
    const levels = columns.get(keys[i])?.levels ?? [];
    const near = levels.includes(value) ? null : nearestName(value, levels.slice(0, MOST_NEAR));
    if (near !== null) return `${keys[i]} ${JSON.stringify(near)} for ${JSON.stringify(value)}`;
  }
  return null;
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
export interface PeriodCells extends TableCells<number> {
  /** Start of period 0, in milliseconds since 1970-01-01 UTC. */
  readonly origin: number;
}

/**
 * @param period Milliseconds.
 * @param log a log or a batch of one, `whole` the times of all.
 * @param given Start of period 0; `null`: the last multiple of the period since 1970 at or before the first event.
 * @throws InputError where the log has no times.
 */
export function periodCells(
  log: EventLog,
  period: number,
  given: number | null,
  whole: TimeSpan,
  place: SpecPlace,
): PeriodCells {
  const { time } = log;
  if (time === null) {
    throw specFault(place, ['period'], {
      problem: 'the log has no times, which a table by period needs',
      hint: 'name the time column when the log is read',
    });
  }
  const span = new TimeSpan().add(log);
  const [low, high] = span.empty ? [0, 0] : [span.first, span.last];
  const origin = given ?? periodOf(whole.empty ? 0 : whole.first, 0, period) * period;
  const firstPeriod = periodOf(low, origin, period);
  const range = periodOf(high, origin, period) - firstPeriod + 1;
  const codeOf = (event: number) => periodOf(time[event], origin, period) - firstPeriod;
  const { cells, code, cellOf } = distinctCodes(log.events, range, codeOf);
  return {
    origin,
    cells,
    find: (n) => (n < firstPeriod || n >= firstPeriod + range ? undefined : cellOf(n - firstPeriod)),
    describe: (cell) => `the period from ${new Date(origin + (code[cell] + firstPeriod) * period).toISOString()}`,
  };
}
