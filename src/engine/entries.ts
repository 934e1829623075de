/**
 * Entries: what policies are compared with. Folded ones stand for all events of a block that share cell and arm: they match together,
 * so their columns are reduced once and a policy's statistics are a sum over entries.
 */

import type { BlockPlan } from '../estimate/blocks/blocks.js';
import { isChoiceTable, type MatchColumn, type Reduction, type Summand, tableWord } from '../estimate/sums/summands.js';
import { GrowingU32 } from '../log/build/growing.js';
import type { PoolTable } from '../log/event-log.js';
import { sharedNumbers } from './shared.js';

export interface Entries {
  /** N */
  readonly count: number;
  /** Block b holds entries `starts[b] .. starts[b+1])`. */
  readonly starts: Float64Array;
  /** Arm of each entry, the logged one but for choice tables; for policies that score feature rows, the row that is shown for it. */
  readonly arm: Uint32Array;
  /** Cell of each entry; `null`: entry i is cell i (an event of its own). */
  readonly cell: Uint32Array | null;
  /** C: columns whose numbers the entries have. */
  readonly columns: number;
  /** Unfolded: the words of each column, [C][N]. Folded: `null`. */
  readonly words: readonly Uint32Array[] | null;
  /** Folded: events of each entry, then what each column comes to over them, [N, 1 + C], exact. Unfolded: `null`. */
  readonly folded: Float64Array | null;
}

/** Cells of events, and how many there are of each thing that numbers an entry. */
export interface EntryCells {
  /** Cell of an event. */
  cellOf(event: number): number;
  /** C */
  readonly cells: number;
  /** Arms, or feature rows for policies that score these. */
  readonly arms: number;
}

/**
 * Reduces by (block, cell, arm); `null` where more than `limit` entries come of it.
 *
 * @param armOf logged arm (or feature row) of each event.
 */
export function foldEntries(
  plan: BlockPlan,
  { cellOf, cells, arms }: EntryCells,
  armOf: Uint32Array,
  columns: readonly MatchColumn[],
  limit: number,
): Entries | null {
  const { order, starts } = plan;
  const entries = new FoldedEntries(plan, largestBlock(plan), cells, arms, columns.length);
  // Counted first: the sums of many columns take more than all else, and are in vain where too many entries come of it.
  const entryOf = new Uint32Array(armOf.length);
  for (let b = 0; b < plan.blocks; b++) {
    for (let i = starts[b]; i < starts[b + 1]; i++) {
      const t = order === null ? i : order[i];
      entryOf[i] = entries.number(cellOf(t), armOf[t]);
      if (entries.count > limit) return null;
    }
    entries.endBlock(b);
  }
  entries.makeRoom(entries.count);
  const { numbers } = entries;
  const width = 1 + columns.length;
  for (let i = 0; i < entryOf.length; i++) numbers[entryOf[i] * width]++;
  // Block by block, whose entries stay in a cache for all columns.
  for (let b = 0; b < plan.blocks; b++)
    columns.forEach((column, c) => {
      addColumn(column, plan, b, entryOf, numbers, width, 1 + c);
    });
  return entries.entries();
}

/** Adds a column's words in block b to `numbers[entry · width + place]`. */
function addColumn(
  { words, reduce }: MatchColumn,
  { order, starts }: BlockPlan,
  b: number,
  entryOf: Uint32Array,
  numbers: Float64Array,
  width: number,
  place: number,
): void {
  const [from, to] = [starts[b], starts[b + 1]];
  const isSum = reduce === 'sum';
  for (let i = from; i < to; i++) {
    const word = words[order === null ? i : order[i]];
    const at = entryOf[i] * width + place;
    if (isSum) numbers[at] += word;
    else if (word > numbers[at]) numbers[at] = word;
  }
}

/**
 * Reduces by (block, cell, candidate): to match columns come the events at which the candidate was logged, to tables all events.
 * `null` where more than `limit` entries come of it.
 *
 * @param armOf logged arm (or feature row) of each event.
 * @param codes what choices call each arm of `pools.arms`: the arm, or its feature row.
 */
export function choiceEntries(
  plan: BlockPlan,
  { cellOf, cells, arms }: EntryCells,
  armOf: Uint32Array,
  summands: readonly Summand[],
  { pools, codes }: { pools: PoolTable; codes: Uint32Array },
  limit: number,
): Entries | null {
  const most = Math.min(limit + 1, largestBlock(plan) * largestPool(pools));
  const entries = new FoldedEntries(plan, most, cells, arms, summands.length);
  const columns = summands.filter((summand): summand is MatchColumn => !isChoiceTable(summand));
  const tables = summands.filter(isChoiceTable);
  for (let b = 0; b < plan.blocks; b++) {
    for (let i = plan.starts[b]; i < plan.starts[b + 1]; i++) {
      const t = plan.order === null ? i : plan.order[i];
      const pool = pools.pool === null ? 0 : pools.pool[t];
      const cell = cellOf(t);
      for (let place = pools.offsets[pool]; place < pools.offsets[pool + 1]; place++) {
        const at = entries.place(cell, codes[place]);
        if (entries.count > limit) return null;
        const { numbers } = entries;
        let to = at + 1 + columns.length;
        for (let i = 0; i < tables.length; i++, to++)
          numbers[to] = reduced(tables[i].reduce, numbers[to], tableWord(tables[i], t, pools.arms[place]));
        if (codes[place] !== armOf[t]) continue;
        numbers[at]++;
        to = at + 1;
        for (let c = 0; c < columns.length; c++, to++)
          numbers[to] = reduced(columns[c].reduce, numbers[to], columns[c].words[t]);
      }
    }
    entries.endBlock(b);
  }
  return entries.entries();
}

function reduced(how: Reduction, sum: number, word: number): number {
  return how === 'sum' ? sum + word : Math.max(sum, word);
}

function largestBlock({ blocks, starts }: BlockPlan): number {
  let largest = 0;
  for (let b = 0; b < blocks; b++) largest = Math.max(largest, starts[b + 1] - starts[b]);
  return largest;
}

function largestPool({ count, offsets }: PoolTable): number {
  let largest = 0;
  for (let s = 0; s < count; s++) largest = Math.max(largest, offsets[s + 1] - offsets[s]);
  return largest;
}

/** Folded entries in the making, block by block. */
class FoldedEntries {
  /** Events and columns of each entry, [N, 1 + C]; valid until the next `place`. */
  numbers: Float64Array = new Float64Array(0);
  count = 0;
  private readonly starts: Float64Array;
  private readonly arm = new GrowingU32();
  private readonly cell = new GrowingU32();
  private readonly table: EntryTable;
  private first = 0;

  /** @param most entries of a block. */
  constructor(
    { blocks }: BlockPlan,
    most: number,
    cells: number,
    arms: number,
    private readonly columns: number,
  ) {
    this.starts = new Float64Array(blocks + 1);
    this.table = new EntryTable(most, cells, arms);
  }

  /** Where the numbers of an entry begin; a new one has zeros. */
  place(cell: number, arm: number): number {
    const entry = this.number(cell, arm);
    const most = this.numbers.length / (1 + this.columns);
    if (entry >= most) this.makeRoom(Math.max(256, 2 * most));
    return entry * (1 + this.columns);
  }

  /** An entry's number; a new one is the next, and has room for its numbers when that is made. */
  number(cell: number, arm: number): number {
    const entry = this.table.entry(cell, arm, this.first, this.count);
    if (entry < this.count) return entry;
    this.cell.push(cell);
    this.arm.push(arm);
    return this.count++;
  }

  makeRoom(entries: number): void {
    const wider = sharedNumbers(entries * (1 + this.columns));
    wider.set(this.numbers);
    this.numbers = wider;
  }

  endBlock(b: number): void {
    this.starts[b + 1] = this.count;
    this.first = this.count;
  }

  entries(): Entries {
    return {
      count: this.count,
      starts: this.starts,
      arm: this.arm.column(),
      cell: this.cell.column(),
      columns: this.columns,
      words: null,
      folded: this.numbers.subarray(0, this.count * (1 + this.columns)),
    };
  }
}

/** Entries of (cell, arm) pairs, numbered in ascending order block by block: a number below the block's first is no more. */
class EntryTable {
  private readonly numbers: Int32Array;
  /** Of an open-addressing table: its size − 1. `null`: there is a place for each pair. */
  private readonly mask: number | null;
  private readonly cell: Uint32Array;
  private readonly arm: Uint32Array;

  /** @param events most of a block. */
  constructor(
    events: number,
    cells: number,
    private readonly arms: number,
  ) {
    let size = 16;
    while (size < events * 2) size *= 2;
    this.mask = cells * arms <= size ? null : size - 1;
    this.numbers = new Int32Array(this.mask === null ? cells * arms : size).fill(-1);
    this.cell = new Uint32Array(this.mask === null ? 0 : size);
    this.arm = new Uint32Array(this.mask === null ? 0 : size);
  }

  /** The pair's entry in the block whose entries begin at `first`; `next` where it has none, which is its own from then on. */
  entry(cell: number, arm: number, first: number, next: number): number {
    const { numbers, mask } = this;
    let at = cell * this.arms + arm;
    if (mask !== null) {
      at = (Math.imul(cell, 0x9e3779b1) ^ Math.imul(arm, 0x85ebca6b)) >>> 0;
      at = (at ^ (at >>> 15)) & mask;
      while (numbers[at] >= first && (this.cell[at] !== cell || this.arm[at] !== arm)) at = (at + 1) & mask;
      this.cell[at] = cell;
      this.arm[at] = arm;
    }
    if (numbers[at] < first) numbers[at] = next;
    return numbers[at];
  }
}
