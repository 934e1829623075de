import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Archive, ArchiveReader, ArchiveWriter } from '#dist/archive.js';
import { type BlockMaker, PeriodMaker, RunMaker, UserMaker } from '#dist/estimate/blocks/block-makers.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { KeyLevels, MAX_SEGMENTS } from '#dist/estimate/blocks/key-levels.js';
import {
  blockOfEvents,
  type EventLevels,
  LevelBlocks,
  type LevelEvents,
  statisticsOfLevel,
  sumOverLevels,
} from '#dist/estimate/blocks/levels.js';
import { userHashes } from '#dist/estimate/blocks/user-hash.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import { statisticsDifference } from '../../statistics.js';

const HOUR = 3_600_000;
const USERS = Array.from({ length: 11 }, (_, u) => `u${u}`);
const FIRST = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
const SECOND = ['x', 'y', 'z'];

interface Event {
  readonly time: number;
  readonly user: number;
  readonly first: number;
  readonly second: number;
}

const event: fc.Arbitrary<Event> = fc.record({
  time: fc.nat(9 * HOUR),
  user: fc.nat(USERS.length - 1),
  first: fc.nat(FIRST.length - 1),
  second: fc.nat(SECOND.length - 1),
});

function batchOf(events: readonly Event[], from: number, to: number): LevelEvents {
  const part = events.slice(from, to);
  return {
    firstEvent: from,
    events: part.length,
    time: Float64Array.from(part, ({ time }) => time),
    user: { code: Uint32Array.from(part, ({ user }) => user) },
    keys: new Map([
      ['first', { code: Uint32Array.from(part, ({ first }) => first) }],
      ['second', { code: Uint32Array.from(part, ({ second }) => second) }],
    ]),
  };
}

const keys = [
  { name: 'first', levels: FIRST },
  { name: 'second', levels: SECOND },
];

const MAKERS: readonly (readonly [name: string, make: (events: number) => BlockMaker])[] = [
  ['runs', (events) => new RunMaker(runBlocks(events, 5))],
  ['periods', () => new PeriodMaker(2 * HOUR)],
  ['users', () => new UserMaker(4, userHashes(USERS))],
];

/** What a run does with blocks and levels; `pauses`: its state goes through an archive after so many batches. */
function cutAll(
  events: readonly Event[],
  borders: readonly number[],
  make: () => BlockMaker,
  makeLevels: () => EventLevels,
  pauses: readonly number[] = [],
) {
  const ends = [...new Set([...borders.filter((at) => at < events.length), events.length])].sort((a, b) => a - b);
  const batches = ends.map((end, i) => batchOf(events, i === 0 ? 0 : ends[i - 1], end));
  let [blocks, levels, cutter] = [make(), makeLevels(), null as LevelBlocks | null];
  let steps = 0;
  const pause = (): void => {
    if (!pauses.includes(steps++)) return;
    const carry = (archive: Archive): void => {
      blocks.carry(archive);
      levels.carry(archive);
      if (cutter === null) return;
      if (archive.reading) cutter = begin();
      cutter.carry(archive);
    };
    const writer = new ArchiveWriter();
    carry(writer);
    [blocks, levels] = [make(), makeLevels()];
    const reader = new ArchiveReader(writer.bytes());
    carry(reader);
    reader.end();
  };
  const begin = (): LevelBlocks => {
    const outline = blocks.outline();
    return new LevelBlocks(levels.settle(outline), outline.blocks);
  };
  for (const batch of batches) {
    blocks.count(batch);
    levels.count(batch);
    pause();
  }
  cutter = begin();
  /** Block of each event of the log, with its level and without. */
  const [withLevel, without]: number[][] = [[], []];
  for (const batch of batches) {
    const cut = blocks.cut(batch);
    const blockOf = blockOfEvents(cut, batch.events);
    const fine = cutter.cut(cut, blockOf, levels.of(batch, blockOf));
    without.push(...blockOf);
    withLevel.push(...blockOfEvents(fine, batch.events));
    expect([...fine.of]).toEqual([...new Set(fine.of)].sort((a, b) => a - b));
    expect(fine.plan.starts.length).toBe(fine.plan.blocks + 1);
    pause();
  }
  return { withLevel, without, levels, cutter };
}

describe.each(MAKERS)('levels of blocks that are %s', (_, make) => {
  const logs = fc.array(event, { maxLength: 60 });
  const borders = fc.array(fc.nat(60), { maxLength: 6 });
  const pauses = fc.uniqueArray(fc.nat(15), { maxLength: 3 });

  it('are level by level the blocks without them, for any batches and pauses', () => {
    fc.assert(
      fc.property(logs, borders, pauses, fc.subarray(keys, { minLength: 1 }), (events, cuts, stops, by) => {
        const makeLevels = (): KeyLevels => new KeyLevels(by);
        const { withLevel, without, levels, cutter } = cutAll(
          events,
          cuts,
          () => make(events.length),
          makeLevels,
          stops,
        );
        const { values } = levels as KeyLevels;
        const counts = new Float64Array(cutter.levels * cutter.blocks);
        events.forEach(({ first, second }, t) => {
          const level = Math.floor(withLevel[t] / cutter.blocks);
          const own: Record<string, string> = { first: FIRST[first], second: SECOND[second] };
          expect(values[level]).toEqual(Object.fromEntries(by.map(({ name }) => [name, own[name]])));
          expect(withLevel[t] % cutter.blocks).toBe(without[t]);
          counts[withLevel[t]]++;
        });
        expect(cutter.events).toEqual(counts);
        expect(cutter.levels).toBe(Math.max(1, values.length));
        // Only what occurs is a level.
        for (let v = 0; v < values.length; v++)
          expect(
            statisticsOfLevel(emptyBlockStatistics(1, counts, []), values.length, v).events.some((n) => n > 0),
          ).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('segments', () => {
  const levelsOf = (by: typeof keys, codes: readonly (readonly number[])[]): KeyLevels => {
    const levels = new KeyLevels(by);
    levels.count({
      events: codes.length,
      time: null,
      user: null,
      keys: new Map(by.map(({ name }, k) => [name, { code: Uint32Array.from(codes, (row) => row[k]) }])),
    });
    return levels;
  };

  it('are in the order of the columns and of their values, whatever the events', () => {
    const levels = levelsOf(keys, [
      [2, 0],
      [0, 2],
      [2, 0],
      [0, 1],
    ]);
    expect(levels.settle()).toBe(3);
    expect(levels.values).toEqual([
      { first: 'a', second: 'y' },
      { first: 'a', second: 'z' },
      { first: 'c', second: 'x' },
    ]);
  });

  it('are refused where there are too many, as soon as that is seen', () => {
    const many = [{ name: 'id', levels: Array.from({ length: MAX_SEGMENTS + 1 }, (_, i) => `${i}`) }];
    const codes = many[0].levels.map((_, i) => [i]);
    expect(levelsOf(many, codes.slice(0, -1)).settle()).toBe(MAX_SEGMENTS);
    expect(() => levelsOf(many, codes)).toThrow(/too many segments by "id"[\s\S]*more than 1000 values[\s\S]*"id"/);
    const huge = Array.from({ length: 6 }, (_, k) => ({ name: `k${k}`, levels: many[0].levels }));
    expect(() => new KeyLevels(huge)).toThrow(/combinations[\s\S]*fewer columns/);
  });
});

it('refuses more blocks of levels than blocks may be', () => {
  expect(() => new LevelBlocks(1000, 2000)).toThrow(/1000 levels × 2000 blocks[\s\S]*fewer segments/);
});

describe('statistics', () => {
  const kinds = [
    { name: 'sum', reduce: 'sum' },
    { name: 'most', reduce: 'max' },
  ] as const;

  it.each([1, 2, 33])('of %i levels are cut out and put together', (levels) => {
    const [policies, blocks] = [3, 4];
    const stats = emptyBlockStatistics(
      policies,
      Float64Array.from({ length: levels * blocks }, (_, i) => i % 5),
      kinds,
    );
    const word = (p: number, i: number, c: number): number => ((p + 1) * 7919 + i * 31 + c * 17) % 101;
    for (let p = 0; p < policies; p++) {
      for (let i = 0; i < levels * blocks; i++)
        for (const [c, column] of [stats.matches, ...stats.columns].entries())
          column[p * levels * blocks + i] = word(p, i, c);
    }
    const whole = sumOverLevels(stats, levels);
    const needed = emptyBlockStatistics(policies, new Float64Array(blocks), kinds);
    for (let v = 0; v < levels; v++) {
      const one = statisticsOfLevel(stats, levels, v);
      expect([...one.events]).toEqual([...stats.events.slice(v * blocks, (v + 1) * blocks)]);
      for (let b = 0; b < blocks; b++) {
        needed.events[b] += stats.events[v * blocks + b];
        for (let p = 0; p < policies; p++) {
          const [matches, sum, most] = [0, 1, 2].map((c) => word(p, v * blocks + b, c));
          const at = p * blocks + b;
          expect([one.matches[at], one.columns[0][at], one.columns[1][at]]).toEqual([matches, sum, most]);
          needed.matches[at] += matches;
          needed.columns[0][at] += sum;
          needed.columns[1][at] = Math.max(needed.columns[1][at], most);
        }
      }
    }
    expect(statisticsDifference(whole, needed)).toBeNull();
  });
});
