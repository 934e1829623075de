import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArchiveReader, ArchiveWriter } from '#dist/archive.js';
import { type BlockMaker, PeriodMaker, RunMaker, UserMaker } from '#dist/estimate/blocks/block-makers.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { blockOfEvents, type LevelEvents } from '#dist/estimate/blocks/levels.js';
import { PART, type PartChoice, PartLevels } from '#dist/estimate/blocks/parts.js';
import { userHashes } from '#dist/estimate/blocks/user-hash.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FIRST = Date.UTC(2009, 4, 1);
const USERS = Array.from({ length: 30 }, (_, u) => `user ${u}`);

interface Log {
  /** Milliseconds since the first midnight. */
  readonly times: readonly number[] | null;
  readonly users: readonly number[] | null;
  readonly events: number;
}

function batchOf({ times, users }: Log, from: number, to: number): LevelEvents {
  return {
    firstEvent: from,
    events: to - from,
    time: times && Float64Array.from(times.slice(from, to), (t) => FIRST + t),
    user: users && { code: Uint32Array.from(users.slice(from, to)) },
    keys: new Map(),
  };
}

const runs = ({ events }: Log) => new RunMaker(runBlocks(events, 8));

/** Parts of the events of a log that is gone through in batches of `size`. */
function partsOf(log: Log, choice: PartChoice, make: (log: Log) => BlockMaker = runs, size = Math.max(1, log.events)) {
  const head = { time: log.times, user: log.users && { levels: USERS } };
  const maker = make(log);
  const counted = new PartLevels(head, choice, maker);
  const batches = Array.from({ length: Math.ceil(log.events / size) }, (_, i) =>
    batchOf(log, i * size, Math.min(log.events, (i + 1) * size)),
  );
  for (const batch of batches) {
    maker.count(batch);
    counted.count(batch);
  }
  // What was counted is all that a run that goes on needs.
  const writer = new ArchiveWriter();
  counted.carry(writer);
  const parts = new PartLevels(head, choice, maker);
  const reader = new ArchiveReader(writer.bytes());
  parts.carry(reader);
  reader.end();
  const levels = parts.settle(maker.outline());
  const blocks: number[] = [];
  const part = batches.flatMap((batch) => {
    const blockOf = blockOfEvents(maker.cut(batch), batch.events);
    blocks.push(...blockOf);
    return [...parts.of(batch, blockOf)];
  });
  const { selection, evaluation, leftOut } = parts.sizes;
  const count = (level: number) => part.filter((one) => one === level).length;
  expect([count(0), count(1), count(2)]).toEqual([selection, evaluation, leftOut]);
  expect(levels).toBe(leftOut > 0 ? 3 : 2);
  return { part, blocks, by: parts.by };
}

const on = (part: readonly number[], level: number, values: readonly number[] | null): Set<number> =>
  new Set(values?.filter((_, t) => part[t] === level));
const disjoint = (a: Set<number>, b: Set<number>): boolean => [...a].every((one) => !b.has(one));

const logs = (needs: { times?: boolean; users?: boolean }) =>
  fc.array(fc.record({ time: fc.nat(9 * DAY), user: fc.nat(USERS.length - 1) }), { minLength: 40, maxLength: 120 }).map(
    (events): Log => ({
      events: events.length,
      times: needs.times ? events.map(({ time }) => time) : null,
      users: needs.users ? events.map(({ user }) => user) : null,
    }),
  );

const message = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('parts by days', () => {
  it('share no day and no user, and leave nothing out but users who are on both sides, whatever the batches', () => {
    let done = 0;
    fc.assert(
      fc.property(logs({ times: true, users: true }), fc.integer({ min: 1, max: 50 }), (log, size) => {
        let found: ReturnType<typeof partsOf>;
        try {
          found = partsOf(log, 'days', runs, size);
        } catch (error) {
          expect(String(error)).toMatch(/part of the hold-out by days is empty/);
          return;
        }
        done++;
        const { part } = found;
        expect(found.by).toBe('days');
        const days = log.times?.map((t) => Math.floor(t / DAY)) ?? [];
        expect(disjoint(on(part, PART.selection, days), on(part, PART.evaluation, days))).toBe(true);
        const [picked, held] = [on(part, PART.selection, log.users), on(part, PART.evaluation, log.users)];
        expect(disjoint(picked, held)).toBe(true);
        for (const user of on(part, PART.leftOut, log.users)) expect(picked.has(user)).toBe(true);
        // Every other day of the calendar, from the first.
        const first = Math.min(...days);
        days.forEach((day, t) => {
          expect(part[t] === PART.selection).toBe((day - first) % 2 === 0);
        });
        expect(partsOf(log, 'days').part).toEqual(part);
      }),
    );
    expect(done).toBeGreaterThan(10);
  });

  it('need no users', () => {
    const times = Array.from({ length: 60 }, (_, t) => t * 2 * HOUR);
    const { part } = partsOf({ events: 60, times, users: null }, 'days');
    expect(part).toEqual(times.map((t) => Math.floor(t / DAY) % 2));
  });

  it('are refused where there are no days for them', () => {
    const log = (times: readonly number[] | null, users: readonly number[] | null = null): Log => ({
      ...{ events: times?.length ?? 10, times, users },
    });
    expect(message(() => partsOf(log(null), 'days'))).toMatch(/needs the time of each event[\s\S]*--time COLUMN/);
    expect(message(() => partsOf(log([1, 2, 3]), 'days'))).toMatch(/events of one day \(UTC\)[\s\S]*by blocks/);
    expect(message(() => partsOf(log([0, 2 * DAY], [0, 1]), 'days'))).toMatch(/every other day[\s\S]*by users/);
    expect(message(() => partsOf(log([1, Number.NaN]), 'days'))).toMatch(/row 1: an event has no usable time/);
    expect(message(() => partsOf(log([0, DAY, DAY], [3, 3, 3]), 'days'))).toMatch(
      /part of the hold-out by days is empty[\s\S]*all 2 events there are of users who are on both sides[\s\S]*--select-on 0.5/,
    );
  });
});

describe('parts of a share', () => {
  it('are of whole users where there are some: the same in every log', () => {
    fc.assert(
      fc.property(logs({ times: true, users: true }), fc.constantFrom(0.3, 0.5, 0.7), (log, share) => {
        const { part, by } = partsOf(log, share, runs, 17);
        expect(by).toBe('users');
        expect(disjoint(on(part, 0, log.users), on(part, 1, log.users))).toBe(true);
        const half = { events: log.events, times: null, users: log.users && [...log.users].reverse() };
        expect(partsOf(half, share).part.reverse()).toEqual(part);
      }),
    );
  });

  it('have other users than blocks of users have: a block has users of both', () => {
    const users = Array.from({ length: 30 }, (_, u) => u);
    const log = { events: 30, times: null, users };
    const { part, blocks } = partsOf(log, 0.5, () => new UserMaker(2, userHashes(USERS)));
    for (const block of [0, 1]) expect(new Set(part.filter((_, t) => blocks[t] === block))).toEqual(new Set([0, 1]));
  });

  it('are of days without users, and of blocks without times or with one day', () => {
    const times = Array.from({ length: 240 }, (_, t) => t * HOUR);
    const daily = partsOf({ events: 240, times, users: null }, 0.3);
    expect(daily.by).toBe('days');
    expect(daily.part.filter((part) => part === 0).length).toBe(72);
    const days = times.map((t) => Math.floor(t / DAY));
    expect(disjoint(on(daily.part, 0, days), on(daily.part, 1, days))).toBe(true);
    for (const times of [null, Array.from({ length: 240 }, (_, t) => t)]) {
      const { part, by, blocks } = partsOf({ events: 240, times, users: null }, 0.25);
      expect(by).toBe('blocks');
      expect(part.map(Number)).toEqual(blocks.map((b) => (b % 4 === 0 ? 0 : 1)));
    }
  });

  it('are refused where one is empty', () => {
    const one = { events: 5, times: null, users: [7, 7, 7, 7, 7] };
    expect(message(() => partsOf(one, 0.5))).toMatch(/by users is empty\n.*no event .*30 users at a share of 0.5/);
    const none = { events: 0, times: null, users: [] };
    expect(message(() => partsOf(none, 0.5))).toMatch(/a log without events/);
    expect(message(() => partsOf({ events: 1, times: null, users: null }, 0.5))).toMatch(/got: +1 block\n.*2 blocks/);
  });
});

describe('parts of blocks', () => {
  const makers: readonly (readonly [string, (log: Log) => BlockMaker])[] = [
    ['runs', runs],
    ['periods', () => new PeriodMaker(12 * HOUR)],
    ['users', () => new UserMaker(8, userHashes(USERS))],
  ];

  it.each(makers)('that are %s have whole blocks, and no user in both', (name, make) => {
    let done = 0;
    const users = name !== 'periods';
    fc.assert(
      fc.property(logs({ times: true, users }), fc.integer({ min: 1, max: 7 }), (log, picked) => {
        let found: ReturnType<typeof partsOf>;
        try {
          found = partsOf(log, { blocks: picked }, make, 13);
        } catch (error) {
          expect(String(error)).toMatch(/part of the hold-out by blocks is empty|needs blocks for each/);
          return;
        }
        done++;
        const { part, blocks } = found;
        expect(disjoint(on(part, 0, blocks), on(part, 1, blocks))).toBe(true);
        expect(disjoint(on(part, 0, log.users), on(part, 1, log.users))).toBe(true);
        if (name !== 'users') expect(on(part, 0, blocks).size).toBe(picked);
        if (name !== 'runs') expect(part.includes(PART.leftOut)).toBe(false);
      }),
    );
    expect(done).toBeGreaterThan(10);
  });

  it('are refused where they would be all, or do not keep users apart', () => {
    const log = { events: 20, times: Array.from({ length: 20 }, (_, t) => t * HOUR), users: null };
    expect(message(() => partsOf(log, { blocks: 8 }))).toMatch(/got: +8 to pick on, of 8 blocks\n.*at least 9 blocks/);
    const named = { ...log, users: log.times.map((_, t) => t) };
    expect(message(() => partsOf(named, { blocks: 1 }, makers[1][1]))).toMatch(/does not keep users apart/);
  });
});
