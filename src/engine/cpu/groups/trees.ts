/**
 * Groups of events that are decided together: trees over the entries of some blocks. Of matches alone a tree has one pool and one logged
 * arm: some arm that beats it in all of a box settles the box, which is far more often than that one beats all others. Where choice tables
 * want every choice a tree has one pool and one block, so that a box which one arm wins adds what the tables come to there at once.
 */

import { availableBytes } from '../../../log/build/memory.js';
import { LARGEST_NORM } from '../../../policy/linear/kernel.js';
import type { Screen } from '../../../policy/screen.js';
import { sharedBytes } from '../../shared.js';
import type { Worklist } from '../../worklist.js';
import { Halver } from './halve.js';
import { eventWords, type Group, planChunks, type TreeChunk } from './plan.js';
import { TABLES, tableWords, writeTables } from './tables.js';
import { BOX_EVENTS, type GroupContexts, HEADER_WORDS, levelWords, TreeWriter } from './tree.js';

/** Share of the memory left that trees may take. */
export const MEMORY_SHARE = 4;

export interface GroupTrees {
  /** Blocks first..last−1. */
  readonly blocks: readonly [number, number];
  readonly chunks: readonly TreeChunk[];
  readonly words: Uint32Array;
  /** Entry of each slot; slots that pad a tree's last quad have none. */
  readonly entry: Uint32Array;
  /** Events. */
  readonly events: number;
  /** Largest norm of a box or a context. */
  readonly norm: number;
}

/** Trees over all entries, and what they were good for. */
export interface Groups {
  /** Blocks that a task has, but for the last one. */
  readonly blockTile: number;
  /** Trees of each such run of blocks. */
  readonly trees: readonly GroupTrees[];
  /** Decisions made without looking at the event, by run of blocks and policy, [trees, P]. */
  readonly decided: Float64Array;
}

/** Which numbers of a slot, and of a block, are what. */
export interface SlotNumbers {
  /** Columns that are added up, after a 1 for the matches, and columns of which the largest counts. */
  readonly sums: readonly number[];
  readonly maxima: readonly number[];
  /** Pairs of numbers of the former, and of both. */
  readonly sumPairs: number;
  readonly pairs: number;
  /** Columns of choice tables, and pairs of numbers of a block: those and what tables come to. */
  readonly tables: readonly number[];
  readonly blockPairs: number;
}

/** What a kernel must hold to go through trees. */
export interface TreeRoom extends Pick<SlotNumbers, 'sumPairs' | 'pairs' | 'blockPairs'> {
  /** Words of the largest chunk, and slots that may be in doubt. */
  readonly words: number;
  readonly doubtful: number;
  /** Policies at a time. */
  readonly policies: number;
  readonly blocks: number;
}

export function slotNumbers({ kinds, gathered }: Pick<Worklist, 'kinds' | 'gathered'>): SlotNumbers {
  const tables = gathered?.tables[0].columns ?? [];
  const columns = kinds.map((_, c) => c).filter((c) => !tables.includes(c));
  const sums = columns.filter((c) => kinds[c].reduce === 'sum');
  const maxima = columns.filter((c) => kinds[c].reduce === 'max');
  const sumPairs = Math.ceil((1 + sums.length) / 2);
  const pairs = sumPairs + Math.ceil(maxima.length / 2);
  return { sums, maxima, sumPairs, pairs, tables, blockPairs: pairs + (gathered === null ? 0 : TABLES / 2) };
}

/** The event whose context and pool an entry has. */
export function eventOfEntry({ entries, cellEvent }: Worklist): (entry: number) => number {
  const { cell } = entries;
  if (cell === null) return cellEvent === null ? (i) => i : (i) => cellEvent[i];
  return cellEvent === null ? (i) => cell[i] : (i) => cellEvent[cell[i]];
}

/**
 * @param scale what a unit of each feature is worth, [d]. @param most entries, the first ones.
 * @returns `null` where a norm is beyond what f32 holds, or the trees beyond what memory does.
 */
export function growTrees(
  screen: Screen,
  worklist: Worklist,
  blocks: readonly [number, number],
  scale: Float64Array,
  most = Number.POSITIVE_INFINITY,
): GroupTrees | null {
  const eventOf = eventOfEntry(worklist);
  const own = entriesOf(worklist, blocks, most);
  const { members, groups } = groupEntries(screen, worklist, own);
  const numbers = slotNumbers(worklist);
  const { offsets, arms } = screen.pools;
  const table = worklist.gathered?.tables[0];
  const hasTables = table !== undefined;
  const placesOf = (pool: number): number => (hasTables ? offsets[pool + 1] - offsets[pool] : 0);
  const { chunks, words: size, slots } = planChunks(groups, screen.dimension, 1 + 2 * numbers.pairs, placesOf);
  if (size * 4 > availableBytes() / MEMORY_SHARE) return null;
  const words = new Uint32Array(sharedBytes(size * 4));
  const entry = new Uint32Array(sharedBytes(slots * 4));
  const writer = new TreeWriter(screen);
  const blockBytes = numbers.blockPairs * 16;
  const places = new Uint32Array(screen.rows);
  let pool = -1;
  const ordered = new OrderedGroup(screen, scale);
  for (const chunk of chunks) {
    const part = words.subarray(chunk.from, chunk.to);
    const floats = new Float32Array(words.buffer, chunk.from * 4, chunk.to - chunk.from);
    let [levels, slot] = [chunk.levelsAt, 0];
    chunk.trees.forEach(({ group, from, to, tables }, t) => {
      ordered.take(group, members, eventOf);
      const order = ordered.order.subarray(from - group.from, to - group.from);
      const common = hasTables ? group.part * blockBytes : group.part;
      const place = {
        words: part,
        floats,
        header: t * HEADER_WORDS,
        levels,
        slot,
        part: common,
        tables: chunk.tablesAt + tables,
      };
      writer.write(place, ordered, order);
      const at = chunk.slot + slot;
      for (let i = 0; i < order.length; i++) entry[at + i] = members[group.from + order[i]];
      const slotEntries = entry.subarray(at, at + order.length);
      writeNumbers(part, chunk.numbersAt, slot, slotEntries, worklist.entries.words ?? [], numbers);
      if (hasTables && group.pool !== pool) {
        pool = group.pool;
        for (let i = offsets[pool]; i < offsets[pool + 1]; i++) places[arms[i]] = i - offsets[pool];
      }
      if (table !== undefined) writeTables(part, chunk.tablesAt + tables, slotEntries, table, screen.pools, group.pool);
      for (let i = 0, to = chunk.slotsAt + slot; i < order.length; i++, to++) {
        const of = slotEntries[i];
        part[to] = hasTables ? places[worklist.entries.arm[of]] : own.blockOf[of - own.start] * blockBytes;
      }
      levels += levelWords(order.length, screen.dimension);
      slot += Math.ceil(order.length / 4) * 4;
    });
  }
  if (!(writer.norm <= LARGEST_NORM)) return null;
  return {
    blocks,
    chunks: chunks.map(({ trees: _, levelsAt: __, tablesAt: ___, ...chunk }) => chunk),
    words,
    entry,
    events: members.length,
    norm: writer.norm,
  };
}

/** Entries by pool and row, or by pool and block, in ascending order. */
function groupEntries(
  { pools, rows }: Screen,
  worklist: Worklist,
  { start, blockOf }: EntriesOfBlocks,
): { members: Uint32Array; groups: Group[] } {
  const { arm } = worklist.entries;
  const isByBlock = worklist.gathered !== null;
  const parts = isByBlock ? worklist.entries.starts.length : rows;
  const eventOf = eventOfEntry(worklist);
  const end = start + blockOf.length;
  // Groups are numbered as they appear, and sorted when all are known.
  const numbers = new Map<number, number>();
  const sizes: number[] = [];
  const keys: number[] = [];
  const of = new Uint32Array(end - start);
  let [lastKey, lastNumber] = [-1, 0];
  for (let i = start; i < end; i++) {
    const key = (pools.pool === null ? 0 : pools.pool[eventOf(i)]) * parts + (isByBlock ? blockOf[i - start] : arm[i]);
    if (key !== lastKey) {
      const known = numbers.get(key);
      lastNumber = known ?? keys.push(key) - 1;
      if (known === undefined) {
        numbers.set(key, lastNumber);
        sizes.push(0);
      }
      lastKey = key;
    }
    of[i - start] = lastNumber;
    sizes[lastNumber]++;
  }
  const sorted = keys.map((_, n) => n).sort((a, b) => keys[a] - keys[b]);
  const next = new Uint32Array(keys.length);
  let at = 0;
  const groups = sorted.map((n) => {
    const from = at;
    next[n] = at;
    at += sizes[n];
    return { pool: Math.floor(keys[n] / parts), part: keys[n] % parts, from, to: at };
  });
  const members = new Uint32Array(end - start);
  for (let i = start; i < end; i++) members[next[of[i - start]]++] = i;
  return { members, groups };
}

/** The contexts of a group, and its events in an order in which near ones are side by side; keeps memory from one to the next. */
class OrderedGroup implements GroupContexts {
  y = new Float64Array(0);
  norm = new Float64Array(0);
  order: Uint32Array = new Uint32Array(0);
  private group: Group | null = null;
  private readonly halver: Halver;

  constructor(
    private readonly screen: Screen,
    scale: Float64Array,
  ) {
    this.halver = new Halver(scale);
  }

  take(group: Group, members: Uint32Array, eventOf: (entry: number) => number): void {
    if (group === this.group) return;
    this.group = group;
    const { screen } = this;
    const { dimension: d } = screen;
    const count = group.to - group.from;
    if (this.norm.length < count) [this.y, this.norm] = [new Float64Array(count * d), new Float64Array(count)];
    for (let i = 0; i < count; i++) {
      const event = eventOf(members[group.from + i]);
      screen.write(event, this.y, i * d, 1);
      this.norm[i] = screen.contextNorm(event);
    }
    this.order = this.halver.order(count, this.y);
  }
}

interface EntriesOfBlocks extends Pick<Worklist, 'entries'> {
  /** The first of them. */
  readonly start: number;
  /** Block of each, counted from the first of these blocks. */
  readonly blockOf: Uint32Array;
}

function entriesOf({ entries }: Worklist, [first, last]: readonly [number, number], most: number): EntriesOfBlocks {
  const { starts } = entries;
  const start = starts[first];
  const blockOf = new Uint32Array(Math.min(most, starts[last] - start));
  for (let b = first; b < last; b++) blockOf.fill(b - first, starts[b] - start, starts[b + 1] - start);
  return { entries, start, blockOf };
}

/** Writes the numbers of the slots of a tree. */
function writeNumbers(
  words: Uint32Array,
  numbersAt: number,
  slot: number,
  members: Uint32Array,
  columns: readonly Uint32Array[],
  { sums, maxima, sumPairs, pairs }: SlotNumbers,
): void {
  for (let i = 0, at = numbersAt + slot * 2 * pairs; i < members.length; i++, at += 2 * pairs) words[at] = 1;
  const write = (column: Uint32Array, place: number): void => {
    for (let i = 0, at = numbersAt + slot * 2 * pairs + place; i < members.length; i++, at += 2 * pairs)
      words[at] = column[members[i]];
  };
  sums.forEach((c, n) => {
    write(columns[c], 1 + n);
  });
  maxima.forEach((c, n) => {
    write(columns[c], 2 * sumPairs + n);
  });
}

/** Bytes of the trees over all entries, roughly. */
export function treeBytes({ dimension, pools }: Screen, worklist: Worklist): number {
  const tables =
    worklist.gathered === null ? 0 : tableWords(BOX_EVENTS, pools.offsets[pools.count] / pools.count) / BOX_EVENTS;
  return 4 * worklist.entries.count * (eventWords(dimension, 2 + 2 * slotNumbers(worklist).pairs) + tables);
}
