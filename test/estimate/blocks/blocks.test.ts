import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { periodBlocks, userBlocks } from '#dist/estimate/blocks/block-makers.js';
import {
  type BlockPlan,
  blockEvents,
  blocksOfUsers,
  MAX_BLOCK_EVENTS,
  runBlocks,
} from '#dist/estimate/blocks/blocks.js';
import { userHash, userHashes } from '#dist/estimate/blocks/user-hash.js';

/** Events of each block. */
function members(plan: BlockPlan): number[][] {
  return Array.from({ length: plan.blocks }, (_, b) =>
    Array.from(
      { length: plan.starts[b + 1] - plan.starts[b] },
      (_, i) => plan.order?.[plan.starts[b] + i] ?? plan.starts[b] + i,
    ),
  );
}

function expectPartition(plan: BlockPlan, events: number): void {
  expect(plan.starts.length).toBe(plan.blocks + 1);
  expect(plan.labels === null || plan.labels.length === plan.blocks).toBe(true);
  const all = members(plan);
  for (const block of all) expect(block).toEqual([...block].sort((a, b) => a - b));
  expect(all.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: events }, (_, t) => t));
  expect([...blockEvents(plan)]).toEqual(all.map((block) => block.length));
}

describe('runBlocks', () => {
  it('cuts runs whose lengths differ by at most one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 100 }), (events, blocks) => {
        const plan = runBlocks(events, blocks);
        expectPartition(plan, events);
        expect(plan.blocks).toBe(Math.max(1, Math.min(blocks, events)));
        const sizes = blockEvents(plan);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has more blocks where a run would be too long for exact sums', () => {
    const plan = runBlocks(10 * MAX_BLOCK_EVENTS + 1, 4);
    expect(plan.blocks).toBe(11);
    expect(Math.max(...blockEvents(plan))).toBeLessThanOrEqual(MAX_BLOCK_EVENTS);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s blocks', (blocks) => {
    expect(() => runBlocks(10, blocks)).toThrow(/number of blocks is not usable/);
  });
});

describe('periodBlocks', () => {
  const DAY = 86_400_000;
  const FIRST = Date.UTC(2009, 4, 1);

  it('makes a block per day that has events, in order of time', () => {
    const time = Float64Array.of(FIRST + 5, FIRST + DAY - 1, FIRST + DAY, FIRST + 3 * DAY + 7);
    const plan = periodBlocks(time, DAY);
    expect(members(plan)).toEqual([[0, 1], [2], [3]]);
    expect(plan.labels).toEqual(['2009-05-01T00:00:00Z', '2009-05-02T00:00:00Z', '2009-05-04T00:00:00Z']);
    // Sorted by time already: engines read the columns straight through.
    expect(plan.order).toBeNull();
    expect(plan.description).toEqual({ kind: 'period', milliseconds: DAY });
  });

  it('groups events in any order of time, each block in the order of the log', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 80 }),
        fc.constantFrom(1, 7, 10.5, 1000),
        (times, period) => {
          const plan = periodBlocks(Float64Array.from(times), period);
          expectPartition(plan, times.length);
          const periods = members(plan).map((block) => [...new Set(block.map((t) => Math.floor(times[t] / period)))]);
          if (times.length === 0) return;
          expect(periods.every((found) => found.length === 1)).toBe(true);
          expect(periods.flat()).toEqual([...new Set(times.map((t) => Math.floor(t / period)))].sort((a, b) => a - b));
        },
      ),
    );
  });

  it('cuts a period that is too long for exact sums', () => {
    const plan = periodBlocks(new Float64Array(2 * MAX_BLOCK_EVENTS + 1), DAY);
    expect(plan.blocks).toBe(3);
    expect(Math.max(...blockEvents(plan))).toBeLessThanOrEqual(MAX_BLOCK_EVENTS);
    expect(plan.labels?.[2]).toBe('1970-01-01T00:00:00Z (3 of 3)');
  });

  it('keeps fractions of a second and times beyond the calendar', () => {
    expect(periodBlocks(Float64Array.of(1501), 500).labels).toEqual(['1970-01-01T00:00:01.500Z']);
    expect(periodBlocks(Float64Array.of(9e15), 1e3).labels).toEqual(['9000000000000000 ms']);
  });

  it('refuses what it cannot cut', () => {
    for (const period of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => periodBlocks(Float64Array.of(1), period)).toThrow(/length of a period/);
    expect(() => periodBlocks(Float64Array.of(1, Number.NaN), 5)).toThrow(/row 1: an event has no usable time/);
    expect(() =>
      periodBlocks(
        Float64Array.from({ length: 2 ** 20 + 1 }, (_, t) => t),
        1,
      ),
    ).toThrow(/too many periods/);
  });
});

describe('userBlocks', () => {
  it('keeps the events of a user together, whatever their codes', () => {
    const names = Array.from({ length: 40 }, (_, u) => `user ${u}`);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 39 }), { maxLength: 100 }), fc.integer({ min: 1, max: 9 }), (code, blocks) => {
        const plan = userBlocks(Uint32Array.from(code), blocks, userHashes(names));
        expectPartition(plan, code.length);
        expect(plan.blocks).toBe(blocks);
        // The same users under other codes fall in the same blocks.
        const renamed = [...names].reverse();
        expect(
          members(
            userBlocks(
              Uint32Array.from(code, (u) => 39 - u),
              blocks,
              userHashes(renamed),
            ),
          ),
        ).toEqual(members(plan));
      }),
    );
  });

  it('spreads users evenly', () => {
    const users = 100_000;
    const hash = userHashes(Array.from({ length: users }, (_, u) => String(u)));
    const sizes = blockEvents(
      userBlocks(
        Uint32Array.from({ length: users }, (_, u) => u),
        64,
        hash,
      ),
    );
    const mean = users / 64;
    const chiSquare = sizes.reduce((sum, n) => sum + (n - mean) ** 2 / mean, 0);
    // Mean 63, deviation √126.
    expect(Math.abs(chiSquare - 63)).toBeLessThan(4 * Math.sqrt(126));
    expect(new Set(hash).size).toBeGreaterThan(users - 10);
  });

  it('cuts the range of hashes into parts in their order, so that twice as many blocks halve each', () => {
    const hash = Uint32Array.of(0, 2 ** 30 - 1, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 3 * 2 ** 30, 2 ** 32 - 1);
    expect([...blocksOfUsers(2, hash)]).toEqual([0, 0, 0, 0, 1, 1, 1]);
    expect([...blocksOfUsers(4, hash)]).toEqual([0, 0, 1, 1, 2, 3, 3]);
    expect([...blocksOfUsers(3, hash)]).toEqual([0, 0, 0, 1, 1, 2, 2]);
  });

  it('tells texts apart that padding would make equal', () => {
    const texts = ['', '\0', '\0\0', 'a', 'a\0', 'abcd', 'abcd\0', 'abcde', 'é', '🙂'];
    expect(new Set(texts.map(userHash)).size).toBe(texts.length);
  });

  it('refuses blocks that are too full, unknown users and no blocks', () => {
    expect(() => userBlocks(new Uint32Array(MAX_BLOCK_EVENTS + 1), 4, Uint32Array.of(7))).toThrow(
      /ask for more than 4 blocks/,
    );
    expect(() => userBlocks(Uint32Array.of(0, 2), 4, Uint32Array.of(7, 8))).toThrow(
      /row 1: an event names a user without a hash/,
    );
    expect(() => userBlocks(Uint32Array.of(0), 0, Uint32Array.of(7))).toThrow(/number of blocks/);
  });
});
