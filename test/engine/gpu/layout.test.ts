import { describe, expect, it } from 'vitest';
import { cutSegments, type Segment } from '#dist/engine/gpu/entries.js';
import { joinSegments, layOut } from '#dist/engine/gpu/layout.js';
import { packIndex } from '#dist/engine/gpu/tiles.js';
import { screenOf } from '#dist/policy/scored-families.js';
import { CASES, makeLog, randomLinear } from '../../cases/cases.js';

type Log = ReturnType<typeof makeLog>;

/**
 * Every event in exactly one slot, a block's with its own; sorted lanes share their arm, pure tiles list their pool, mixed ones know
 * that of each event.
 */
function check(log: Log, segments: readonly (readonly Segment[])[], fours: number, isLogged = true) {
  const screen = screenOf(randomLinear(1, log), log);
  const { pool, offsets, arms, count } = log.pools;
  const poolOf = (event: number): number => (pool === null ? 0 : pool[event]!);
  const row = isLogged ? (event: number): number => log.arm[event]! : null;
  const layout = layOut(segments, fours, {
    pool: pool === null ? null : poolOf,
    row,
    most: Math.max(count, log.arms.ids.length),
  });
  const { cellOf, sorted, places } = layout;
  const { index, at, mixed, whole } = packIndex(screen, layout, (event) => event, row);
  const tile = 256 * fours;
  const events = segments.flatMap((pieces) =>
    pieces.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i)),
  );
  expect([...cellOf].filter((event) => event >= 0).sort((a, b) => a - b)).toEqual(events);
  expect(cellOf.length).toBe(layout.pools.length * tile);
  segments.forEach((pieces, s) => {
    const [first, end, sums, rows] = layout.segments.subarray(s * 4);
    expect(layout.blocks.slice(sums, sums! + rows!)).toEqual(pieces.map(({ block }) => block));
    for (let slot = first! * tile; slot < end! * tile; slot++) {
      const event = cellOf[slot]!;
      if (event < 0) continue;
      const lane = Math.floor(slot / tile) * 64 + Math.floor((slot % 256) / 4);
      const { from, to } = pieces[places[lane]!]!;
      expect(event >= from && event < to).toBe(true);
      if (!isLogged) continue;
      const word = index[at.lanes + lane]!;
      expect(word >>> 16).toBe(places[lane]);
      expect(sorted ? word & 0xffff : index[at.rowOfSlot + slot]).toBe(log.arm[event]);
    }
  });
  layout.pools.forEach((own, t) => {
    const [list, length, isMixed] = index.subarray(at.tileTable + t * 3);
    expect(isMixed).toBe(own < 0 ? 1 : 0);
    const listed = [...index.subarray(at.lists + list!, at.lists + list! + length!)];
    expect(listed).toEqual([...new Set(listed)].sort((a, b) => a - b));
    for (let slot = t * tile; slot < (t + 1) * tile; slot++) {
      const event = cellOf[slot]!;
      if (event < 0) continue;
      const needed = [...arms.subarray(offsets[poolOf(event)], offsets[poolOf(event) + 1])];
      const bits = index.subarray(at.poolBits + index[at.cellPools + slot]! * at.poolWords);
      expect(own < 0 ? listed.filter((arm) => (bits[arm >> 5]! >>> (arm & 31)) & 1) : listed).toEqual(needed);
    }
  });
  expect(mixed).toBe(layout.pools.includes(-1));
  const lengths = layout.pools.map((_, t) => index[at.tileTable + t * 3 + 1]);
  expect(whole).toBe(lengths.every((length) => length === log.arms.ids.length));
  return {
    sorted,
    pure: layout.pools.filter((own) => own >= 0).length,
    mixed: layout.pools.filter((own) => own < 0).length,
  };
}

const one = (events: number): Segment[][] => [[{ block: 0, from: 0, to: events }]];

describe('laying out events', () => {
  it('one pool: sorted by the logged arm', () => {
    expect(check(makeLog({ events: 4000, arms: 5, dimension: 2 }), one(4000), 2)).toEqual({
      sorted: true,
      pure: 8,
      mixed: 0,
    });
  });

  it('so many arms that lanes would be empty: not sorted', () => {
    const log = makeLog({ events: 4000, arms: 1000, dimension: 2 });
    expect(check(log, one(4000), 2)).toEqual({ sorted: false, pure: 8, mixed: 0 });
  });

  it('several blocks to a segment, each in lanes of its own', () => {
    const log = makeLog({ events: 3000, arms: 3, dimension: 1 });
    const starts = Float64Array.from([0, 10, 10, 500, 501, 2000, 3000]);
    const segments = joinSegments(cutSegments({ starts }, 0, 3000, 1000), 1000, 3);
    expect(segments.map((pieces) => pieces.map(({ block }) => block))).toEqual([[0, 2, 3], [4], [4], [5]]);
    check(log, segments, 1);
  });

  it('pools in long runs: a pool to a tile', () => {
    const log = makeLog({ events: 4000, arms: 40, dimension: 2, pools: { count: 3, size: 9, runs: 1200 } });
    expect(check(log, one(4000), 1)).toMatchObject({ sorted: true, mixed: 0 });
  });

  it('a pool per event: mixed tiles only, without padding but in the last', () => {
    const log = makeLog({ events: 1100, arms: 70, dimension: 1, pools: { count: 900, size: 33 } });
    expect(check(log, one(1100), 2)).toEqual({ sorted: false, pure: 0, mixed: 3 });
  });

  it('tiles of several pools that list some arms, and all', () => {
    const found = CASES.find(({ name }) => name.startsWith('tiles of several pools'));
    const { log } = found!.build();
    const halves = [0, 1].map((h) => [{ block: h, from: h * 1500, to: (h + 1) * 1500 }]);
    expect(check(log, halves, 1)).toEqual({ sorted: false, pure: 0, mixed: 12 });
  });

  it('cells, of which no arm was logged: full tiles of a pool, and a rest', () => {
    const log = makeLog({ events: 4000, arms: 40, dimension: 2, pools: { count: 3, size: 9, runs: 1200 } });
    expect(check(log, one(4000), 2, false)).toEqual({ sorted: false, pure: 7, mixed: 1 });
  });
});

describe('cutting segments', () => {
  it('at block borders and at the length, empty blocks left out', () => {
    expect(cutSegments({ starts: Float64Array.from([0, 10, 10, 64, 100]) }, 5, 90, 30)).toEqual([
      { block: 0, from: 5, to: 10 },
      { block: 2, from: 10, to: 40 },
      { block: 2, from: 40, to: 64 },
      { block: 3, from: 64, to: 90 },
    ]);
  });

  it('joining them up to a length and a number of blocks', () => {
    const pieces = cutSegments({ starts: Float64Array.from([0, 5, 9, 30, 31, 32, 33]) }, 0, 33, 20);
    expect(joinSegments(pieces, 20, 2).map((joined) => joined.map(({ from, to }) => [from, to]))).toEqual([
      [
        [0, 5],
        [5, 9],
      ],
      [[9, 29]],
      [
        [29, 30],
        [30, 31],
      ],
      [
        [31, 32],
        [32, 33],
      ],
    ]);
  });
});
