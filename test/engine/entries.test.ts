import { describe, expect, it } from 'vitest';
import { foldEntries } from '#dist/engine/entries.js';
import type { BlockPlan } from '#dist/estimate/blocks/blocks.js';

/** Six events in two blocks, the first of 4, 0, 2 and the second of 1, 5, 3. */
const order = Uint32Array.of(4, 0, 2, 1, 5, 3);
const plan = { blocks: 2, starts: Float64Array.of(0, 3, 6), order } as unknown as BlockPlan;
const cell = [0, 1, 0, 1, 0, 1];
const cells = { cellOf: (t: number) => cell[t], cells: 2, arms: 3 };
const arm = Uint32Array.of(2, 0, 2, 0, 2, 1);
const columns = [
  { name: 'sum', reduce: 'sum', words: Uint32Array.of(1, 2, 4, 8, 16, 2 ** 32 - 1) },
  { name: 'most', reduce: 'max', words: Uint32Array.of(5, 9, 3, 7, 6, 1) },
] as const;

describe('folded entries', () => {
  it('are the events of a block that share cell and arm, in the order of the plan', () => {
    expect(foldEntries(plan, cells, arm, columns, 3)).toEqual({
      ...{ count: 3, starts: Float64Array.of(0, 1, 3), columns: 2, words: null },
      ...{ arm: Uint32Array.of(2, 0, 1), cell: Uint32Array.of(0, 1, 1) },
      folded: Float64Array.of(...[3, 21, 6], ...[2, 10, 9], ...[1, 2 ** 32 - 1, 1]),
    });
  });

  it('are none where they are too many', () => {
    expect(foldEntries(plan, cells, arm, columns, 2)).toBeNull();
  });

  it('of no events are none, without numbers', () => {
    const empty = { blocks: 1, starts: Float64Array.of(0, 0), order: null } as unknown as BlockPlan;
    const entries = foldEntries(empty, { ...cells, cells: 0 }, new Uint32Array(0), [], 0);
    expect([entries?.count, entries?.folded?.length]).toEqual([0, 0]);
  });
});
