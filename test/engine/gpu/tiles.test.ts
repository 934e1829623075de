import { describe, expect, it } from 'vitest';
import { cutSegments } from '#dist/engine/gpu/entries.js';
import { packLinear } from '#dist/engine/gpu/tiles.js';
import { screenOf } from '#dist/policy/scored-families.js';
import { makeLog, randomLinear } from '../../cases/cases.js';

const TILE = 512;

/** Every cell in exactly one slot; a group's cells together; a tile's list covers its cells' pools, and is theirs alone where it is pure. */
function check(log: ReturnType<typeof makeLog>, groups: [number, number][]): { pure: number; mixed: number } {
  const chunk = packLinear(screenOf(randomLinear(1, log), log), groups, (cell) => cell, TILE);
  const { pool, offsets, arms } = log.pools;
  const poolOf = (cell: number): number => (pool === null ? 0 : pool[cell]);
  const seen = [...chunk.cellOf].filter((cell) => cell >= 0).sort((a, b) => a - b);
  expect(seen).toEqual(groups.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i)));
  groups.forEach(([from, to], g) => {
    const own = chunk.cellOf.subarray(chunk.groupSlots[g], chunk.groupSlots[g + 1]).filter((cell) => cell >= 0);
    expect([...own].sort((a, b) => a - b)).toEqual(Array.from({ length: to - from }, (_, i) => from + i));
  });
  let pure = 0;
  for (let t = 0; t < chunk.tiles; t++) {
    const [list, length, mixed, cells] = chunk.index.subarray(chunk.at.tileTable + t * 4);
    const members = [...chunk.cellOf.subarray(t * TILE, t * TILE + cells)];
    expect(members.every((cell) => cell >= 0)).toBe(true);
    expect([...chunk.cellOf.subarray(t * TILE + cells, (t + 1) * TILE)].every((cell) => cell === -1)).toBe(true);
    const listed = [...chunk.index.subarray(chunk.at.armLists + list, chunk.at.armLists + list + length)];
    expect(listed).toEqual([...new Set(listed)].sort((a, b) => a - b));
    members.forEach((cell, i) => {
      const own = [...arms.subarray(offsets[poolOf(cell)], offsets[poolOf(cell) + 1])];
      if (mixed === 0) {
        expect(listed).toEqual(own);
        return;
      }
      const local = chunk.index[chunk.at.cellPools + t * TILE + i];
      const bits = chunk.index.subarray(chunk.at.poolBits + local * chunk.at.poolWords);
      expect(listed.filter((arm) => (bits[arm >> 5] >>> (arm & 31)) & 1)).toEqual(own);
    });
    if (mixed === 0) pure++;
  }
  return { pure, mixed: chunk.tiles - pure };
}

describe('packing cells into tiles', () => {
  it('one pool: full tiles across groups, and one rest', () => {
    expect(
      check(makeLog({ events: 2000, arms: 5, dimension: 2 }), [
        [0, 700],
        [700, 701],
        [701, 2000],
      ]),
    ).toEqual({ pure: 4, mixed: 0 });
  });

  it('pools in long runs: pure tiles, the rests mixed', () => {
    expect(
      check(makeLog({ events: 4000, arms: 40, dimension: 2, pools: { count: 3, size: 9, runs: 1200 } }), [[0, 4000]]),
    ).toEqual({ pure: 7, mixed: 1 });
  });

  it('a pool per event: mixed tiles only, without padding but in the last', () => {
    expect(
      check(makeLog({ events: 1100, arms: 70, dimension: 1, pools: { count: 900, size: 33 } }), [[0, 1100]]),
    ).toEqual({ pure: 0, mixed: 3 });
  });

  it('empty groups take no tile', () => {
    expect(
      check(makeLog({ events: 10, arms: 3, dimension: 1 }), [
        [0, 0],
        [0, 10],
        [10, 10],
      ]),
    ).toEqual({ pure: 1, mixed: 0 });
  });
});

describe('cutting segments', () => {
  const entries = {
    count: 100,
    starts: Float64Array.from([0, 10, 10, 64, 100]),
    arm: new Uint32Array(100),
    cell: null,
    columns: 0,
    words: [],
    folded: null,
  };
  it('at block borders and at the length, empty blocks left out', () => {
    expect(cutSegments(entries, 5, 90, 30)).toEqual([
      { block: 0, from: 5, to: 10 },
      { block: 2, from: 10, to: 40 },
      { block: 2, from: 40, to: 64 },
      { block: 3, from: 64, to: 90 },
    ]);
  });
});
