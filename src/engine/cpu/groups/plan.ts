/** Groups of entries cut into trees, and trees put into chunks that a core's cache holds. */

import { BOX_EVENTS, HEADER_WORDS, levelWords, MOST_EVENTS } from './tree.js';

/** What a core's second-level cache holds beside other things. Bytes. */
const CHUNK_BYTES = 1 << 20;

/** Trees that are gone through together: headers, then of each slot its block and its numbers, then levels. */
export interface TreeChunk {
  /** Where they lie in all words. */
  readonly from: number;
  readonly to: number;
  /** Where blocks and numbers lie in the chunk, in words. */
  readonly blocksAt: number;
  readonly numbersAt: number;
  /** First slot, counted in all slots. */
  readonly slot: number;
  readonly slots: number;
  readonly events: number;
  /** (pool, first tree, last tree + 1) */
  readonly pools: readonly (readonly [number, number, number])[];
}

/** Entries of one pool and one logged row, `members[from .. to)`. */
export interface Group {
  readonly pool: number;
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** Entries of a group that one tree is of, in the group's order. */
export interface PlannedTree {
  readonly group: Group;
  readonly from: number;
  readonly to: number;
}

export interface PlannedChunk extends TreeChunk {
  readonly trees: readonly PlannedTree[];
  readonly levelsAt: number;
}

/** Words of an event and of its part of the boxes. */
export function eventWords(d: number, slotWords: number): number {
  return d + 1 + (2 * d + 1) / 12 + slotWords;
}

/** @param slotWords block and numbers of a slot. */
export function planChunks(groups: readonly Group[], d: number, slotWords: number) {
  let most = MOST_EVENTS;
  while (most > BOX_EVENTS && most * eventWords(d, slotWords) * 4 > CHUNK_BYTES) most /= 4;
  const planned = groups.flatMap((group) =>
    Array.from({ length: Math.ceil((group.to - group.from) / most) }, (_, n) => {
      const from = group.from + n * most;
      return { group, from, to: Math.min(group.to, from + most) };
    }),
  );
  const chunks: PlannedChunk[] = [];
  let [from, slot] = [0, 0];
  let trees: PlannedTree[] = [];
  let [levels, slots, events] = [0, 0, 0];
  const whole = (words: number): number => Math.ceil(words / 4) * 4;
  const close = (): void => {
    const blocksAt = trees.length * HEADER_WORDS;
    const numbersAt = blocksAt + slots;
    const levelsAt = whole(numbersAt + slots * (slotWords - 1));
    const to = from + levelsAt + levels;
    chunks.push({ from, to, blocksAt, numbersAt, slot, slots, events, pools: poolRuns(trees), trees, levelsAt });
    [from, slot] = [to, slot + slots];
    [trees, levels, slots, events] = [[], 0, 0, 0];
  };
  for (const tree of planned) {
    const own = tree.to - tree.from;
    const words = HEADER_WORDS + levelWords(own, d) + own * slotWords;
    if (trees.length > 0 && (levels + slots * slotWords + trees.length * HEADER_WORDS + words) * 4 > CHUNK_BYTES)
      close();
    trees.push(tree);
    levels += levelWords(own, d);
    slots += Math.ceil(own / 4) * 4;
    events += own;
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
