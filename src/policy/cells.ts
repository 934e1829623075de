/** Cells of key columns and periods: which events a table policy must treat alike. */

import { u32Column } from '../log/build/memory.js';
import type { Cells } from '../log/cells.js';

/** Codes are looked up in a plain array where it costs little beside the events, else in a map. */
const isDense = (range: number, events: number) => range <= 65_536 + 4 * events;

/** Distinct codes among the events, numbered in order of appearance. */
export interface DistinctCodes {
  readonly cells: { readonly count: number; readonly of: Uint32Array };
  /** Code of each cell, length count. */
  readonly code: readonly number[];
  /** Cell of a code (a whole number, 0 ≤ code < range); `undefined` where no event has it. */
  cellOf(code: number): number | undefined;
}

/**
 * Numbers the distinct codes of the events, so that no cell is without an event.
 *
 * @param codeOf Code of an event: a whole number, 0 ≤ code < range ≤ 2⁵³.
 */
export function distinctCodes(events: number, range: number, codeOf: (event: number) => number): DistinctCodes {
  const of = u32Column(events);
  const code: number[] = [];
  const known = isDense(range, events) ? denseCells(range) : sparseCells();
  for (let event = 0; event < events; event++) {
    const key = codeOf(event);
    let cell = known.get(key);
    if (cell === undefined) {
      cell = code.push(key) - 1;
      known.set(key, cell);
    }
    of[event] = cell;
  }
  return { cells: { count: code.length, of }, code, cellOf: known.get };
}

interface CellMap {
  get(code: number): number | undefined;
  set(code: number, cell: number): void;
}

function denseCells(range: number): CellMap {
  const cells = new Int32Array(range).fill(-1);
  return {
    get: (code) => (cells[code] < 0 ? undefined : cells[code]),
    set: (code, cell) => {
      cells[code] = cell;
    },
  };
}

function sparseCells(): CellMap {
  const cells = new Map<number, number>();
  return { get: (code) => cells.get(code), set: (code, cell) => void cells.set(code, cell) };
}

/** Events of each cell. */
export function eventsPerCell(cells: Cells, events: number): Float64Array {
  const count = new Float64Array(cells.count);
  if (cells.of !== null) for (const cell of cells.of) count[cell]!++;
  else if (cells.count === events) count.fill(1);
  else count.fill(events);
  return count;
}
