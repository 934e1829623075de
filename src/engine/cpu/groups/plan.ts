/** Groups of entries cut into trees, and trees put into chunks that a core's cache holds. */

import { tableWords } from './tables.js';
import { BOX_EVENTS, HEADER_WORDS, levelWords, MOST_EVENTS } from './tree.js';

/** What a core's second-level cache holds beside other things. Bytes. */
const CHUNK_BYTES = 1 << 20;
/** With choice tables, of which hardly more than what boxes come to is read. */
const TABLE_CHUNK_BYTES = 1 << 21;

/** Trees that are gone through together: headers, of each slot its block (or logged place) and its numbers, levels, choice tables. */
export interface TreeChunk {
  /** Where they lie in all words. */
  readonly from: number;
  readonly to: number;
  /** Where blocks (or logged places) and numbers lie in the chunk, in words. */
  readonly slotsAt: number;
  readonly numbersAt: number;
  /** First slot, counted in all slots. */
  readonly slot: number;
  readonly slots: number;
  readonly events: number;
  /** (pool, first tree, last tree + 1) */
  readonly pools: readonly (readonly [number, number, number])[];
}

/** Entries of one pool and one logged row (or, with choice tables, one block), `members[from .. to)`. */
export interface Group {
  readonly pool: number;
  readonly part: number;
  readonly from: number;
  readonly to: number;
}

/** Entries of a group that one tree is of, in the group's order. */
export interface PlannedTree {
  readonly group: Group;
  readonly from: number;
  readonly to: number;
  /** Where its choice tables lie among those of its chunk, in words. */
  readonly tables: number;
}

export interface PlannedChunk extends TreeChunk {
  readonly trees: readonly PlannedTree[];
  readonly levelsAt: number;
  readonly tablesAt: number;
}

/** Words of an event and of its part of the boxes. */
export function eventWords(d: number, slotWords: number): number {
  return d + 1 + (2 * d + 1) / 12 + slotWords;
}

/**
 * @param slotWords block (or logged place) and numbers of a slot. @param placesOf places of a pool of which there are choice tables; 0:
 * there are none.
 */
export function planChunks(groups: readonly Group[], d: number, slotWords: number, placesOf: (pool: number) => number) {
  const mostPlaces = groups.reduce((most, { pool }) => Math.max(most, placesOf(pool)), 0);
  const room = mostPlaces === 0 ? CHUNK_BYTES : TABLE_CHUNK_BYTES;
  const wordsOf = (events: number): number => events * eventWords(d, slotWords) + tableWords(events, mostPlaces);
  let most = MOST_EVENTS;
  while (most > BOX_EVENTS && wordsOf(most) * 4 > room) most /= 4;
  const chunks: PlannedChunk[] = [];
  let [from, slot] = [0, 0];
  let trees: PlannedTree[] = [];
  let [levels, slots, events, tables] = [0, 0, 0, 0];
  const whole = (words: number): number => Math.ceil(words / 4) * 4;
  const close = (): void => {
    const slotsAt = trees.length * HEADER_WORDS;
    const numbersAt = slotsAt + slots;
    const levelsAt = whole(numbersAt + slots * (slotWords - 1));
    const tablesAt = levelsAt + levels;
    const to = from + tablesAt + tables;
    const where = { from, to, slotsAt, numbersAt, levelsAt, tablesAt, slot };
    chunks.push({ ...where, slots, events, pools: poolRuns(trees), trees });
    [from, slot] = [to, slot + slots];
    [trees, levels, slots, events, tables] = [[], 0, 0, 0, 0];
  };
  for (const group of groups)
    for (let first = group.from; first < group.to; first += most) {
      const own = Math.min(most, group.to - first);
      const ownTables = tableWords(own, placesOf(group.pool));
      const words = levels + levelWords(own, d) + (slots + own) * slotWords + (trees.length + 1) * HEADER_WORDS;
      if (trees.length > 0 && (words + tables + ownTables) * 4 > room) close();
      trees.push({ group, from: first, to: first + own, tables });
      levels += levelWords(own, d);
      slots += Math.ceil(own / 4) * 4;
      events += own;
      tables += ownTables;
    }
  if (trees.length > 0) close();
  return { chunks, words: from, slots: slot };
}

function poolRuns(trees: readonly PlannedTree[]): TreeChunk['pools'] {
  const runs: [number, number, number][] = [];
  trees.forEach(({ group: { pool } }, t) => {
    const last = runs.at(-1);
    if (last?.[0] === pool) last[2] = t + 1;
    else runs.push([pool, t, t + 1]);
  });
  return runs;
}
