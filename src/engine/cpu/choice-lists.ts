/**
 * What a choice at a cell is worth, block by block, where many events share a cell: a policy's statistics are read off where it chooses,
 * and no event need be looked at. Lists of match columns, and others of choice tables.
 */

import type { PoolTable } from '../../log/event-log.js';
import { sharedBytes, sharedNumbers } from '../shared.js';
import type { Worklist } from '../worklist.js';

export interface ChoiceLists {
  /** K: choices with a list (arms, or feature rows) are below it. */
  readonly arms: number;
  /** Items of the list of cell c and choice a: `starts[c · K + a] .. starts[c · K + a + 1])`. */
  readonly starts: Uint32Array;
  /** Block of each item, ascending in a list, [N]. */
  readonly block: Uint32Array;
  /** What each item comes to, [N, W]. */
  readonly numbers: Float64Array;
  /**
   * W columns of the statistics, −1 being matches: first those that are summed, in pairs, with `null` where there is none; then those
   * of which the most is taken.
   */
  readonly columns: readonly (number | null)[];
  readonly summed: number;
}

/** Lists for each event up to which they are made. */
const SPARSE = 8;
/** Events for each (block, cell) from which on tables are folded: these take no more memory than tables of events. */
const WORTH_FOLDING = 2;

/**
 * The lists of a job; `null` where too few events share a cell.
 *
 * @param candidates of each pool, as choices call them.
 */
export function choiceLists(worklist: Worklist, candidates: PoolTable): readonly ChoiceLists[] | null {
  const { entries, cells, gathered } = worklist;
  if (entries.cell === null || entries.count === 0) return null;
  const arms = 1 + Math.max(mostOf(entries.arm), gathered === null ? 0 : mostOf(candidates.arms));
  if (cells * arms > entries.count * SPARSE) return null;
  if (gathered === null) return [matchLists(worklist, entries.cell, arms)];
  if (blockCells(worklist, entries.cell) * WORTH_FOLDING > entries.count) return null;
  return [matchLists(worklist, entries.cell, arms), ...tableLists(worklist, entries.cell, arms, candidates)];
}

/** Numbers that are added up for a policy, on average over what it may choose. */
export function numbersPerPolicy(lists: readonly ChoiceLists[]): number {
  return lists.reduce((sum, { numbers, arms }) => sum + numbers.length / arms, 0);
}

function mostOf(numbers: Uint32Array): number {
  return numbers.reduce((most, n) => Math.max(most, n), 0);
}

/** Blocks and cells with events in them. */
function blockCells({ entries: { starts }, cells }: Worklist, cell: Uint32Array): number {
  const last = new Float64Array(cells);
  let pairs = 0;
  for (let b = 0; b + 1 < starts.length; b++)
    for (let i = starts[b]; i < starts[b + 1]; i++) {
      if (last[cell[i]] <= b) pairs++;
      last[cell[i]] = b + 1;
    }
  return pairs;
}

/** Calls back for each entry of block after block and each choice of which it is worth something. */
type Walk = (visit: (list: number, block: number, entry: number, choice: number) => void) => void;
/** What a column has for an entry and a choice. */
type Read = (entry: number, choice: number) => number;

/** Entries count where they match. */
function matchLists({ entries, cells, kinds }: Worklist, cell: Uint32Array, arms: number): ChoiceLists {
  const { starts, arm, words, folded, columns } = entries;
  const width = 1 + columns;
  const walk: Walk = (visit) => {
    for (let b = 0; b + 1 < starts.length; b++)
      for (let i = starts[b]; i < starts[b + 1]; i++) visit(cell[i] * arms + arm[i], b, i, arm[i]);
  };
  const reads = new Map<number, Read>([[-1, folded === null ? () => 1 : (i) => folded[i * width]]]);
  for (let c = 0; c < columns; c++) {
    const column = words?.[c];
    if (folded !== null) reads.set(c, (i) => folded[i * width + 1 + c]);
    else if (column !== undefined) reads.set(c, (i) => column[i]);
  }
  return makeLists(walk, cells, arms, kinds, reads);
}

/** Tables count for all candidates of an entry. */
function tableLists(
  { entries, cells, gathered, kinds, cellEvent }: Worklist,
  cell: Uint32Array,
  arms: number,
  { pool, offsets, arms: candidates }: PoolTable,
): ChoiceLists[] {
  if (gathered === null) return [];
  const { starts } = entries;
  const { armOf, pool: poolOf } = gathered;
  const walk: Walk = (visit) => {
    for (let b = 0; b + 1 < starts.length; b++)
      for (let i = starts[b]; i < starts[b + 1]; i++) {
        const event = cellEvent === null ? cell[i] : cellEvent[cell[i]];
        const set = poolOf !== null ? poolOf[i] : pool === null ? 0 : pool[event];
        for (let at = offsets[set]; at < offsets[set + 1]; at++)
          visit(cell[i] * arms + candidates[at], b, i, candidates[at]);
      }
  };
  return gathered.tables.map(({ words, stride, arms: width, rows, columns }) => {
    const reads = new Map<number, Read>();
    columns.forEach((c, n) => {
      const table = words[n];
      reads.set(c, (i, choice) => table[(rows[i] * width + (armOf === null ? choice : armOf[choice])) * stride]);
    });
    return makeLists(walk, cells, arms, kinds, reads);
  });
}

function makeLists(
  walk: Walk,
  cells: number,
  arms: number,
  kinds: Worklist['kinds'],
  reads: ReadonlyMap<number, Read>,
): ChoiceLists {
  const isMaximum = (c: number): boolean => c >= 0 && kinds[c].reduce === 'max';
  const [sums, maxima] = [false, true].map((wanted) => [...reads.keys()].filter((c) => isMaximum(c) === wanted));
  const summed = Math.ceil(sums.length / 2) * 2;
  const columns = [...sums, ...Array<null>(summed - sums.length).fill(null), ...maxima];
  const read = columns.map((c) => reads.get(c ?? Number.NaN) ?? (() => 0));
  const width = columns.length;

  const starts = new Uint32Array(sharedBytes((cells * arms + 1) * 4));
  // Of each list, one more than the block of its last item.
  const last = new Uint32Array(cells * arms);
  walk((list, b) => {
    if (last[list] <= b) starts[list + 1]++;
    last[list] = b + 1;
  });
  for (let list = 0; list < cells * arms; list++) starts[list + 1] += starts[list];
  const items = starts[cells * arms];
  const block = new Uint32Array(sharedBytes(items * 4));
  const numbers = sharedNumbers(items * width);
  const next = starts.slice();
  last.fill(0);
  walk((list, b, entry, choice) => {
    if (last[list] <= b) block[next[list]++] = b;
    last[list] = b + 1;
    const at = (next[list] - 1) * width;
    for (let n = 0; n < summed; n++) numbers[at + n] += read[n](entry, choice);
    for (let n = summed; n < width; n++) numbers[at + n] = Math.max(numbers[at + n], read[n](entry, choice));
  });
  return { arms, starts, block, numbers, columns, summed };
}
