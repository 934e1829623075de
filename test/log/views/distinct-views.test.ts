import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { contextCells } from '#dist/log/cells.js';
import type { EventLog } from '#dist/log/event-log.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import { batchOf, headOf, streamOf } from '#dist/log/stream-of.js';
import { distinctStream, distinctViews } from '#dist/log/views/distinct-views.js';
import { convert } from '#dist/open/convert.js';
import { inspectLog } from '#dist/open/inspect.js';
import { readStream } from '#dist/open/read-stream.js';
import { armIds, candidates, context, fault, pathOf, payoffs, write } from '../files.js';
import { difference, shapes, syntheticLog } from '../synthetic-log.js';

const BASE: LogColumns = {
  //     u: a a b        v: a a           u again: b (still b), a
  arm: ['a', 'a', 'a', 'a', 'b', 'b', 'a'],
  user: ['u', 'v', 'u', 'v', 'u', 'u', 'u'],
  payoff: [0, 1, 1, 0, 0, 0, 0],
  context: [[1], [2], [3], [4], [5], [6], [7]],
  candidates: [
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'c'],
    ['a', 'b'],
    ['a', 'b'],
    ['b', 'c'],
    ['a', 'b'],
  ],
  propensity: [0.5, 0.25, 0.125, 1, 0.5, 0.5, 0.5],
  time: [10, 20, 30, 40, 50, 60, 70].map((t) => 1e12 + t),
  keys: { place: ['x', 'y', 'z', 'x', 'y', 'z', 'x'] },
};

/** Every column of a log as plain values, by event. */
function rows(log: EventLog): unknown[] {
  return Array.from({ length: log.events }, (_, t) => ({
    arm: armIds(log)[t],
    payoff: payoffs(log)[t],
    context: context(log, t),
    candidates: candidates(log, t),
    propensity: log.propensity?.[t],
    time: log.time?.[t],
    user: log.user?.levels[log.user.code[t]],
    keys: [...log.keys].map(([name, { levels, code }]) => [name, levels[code[t]]]),
    row: log.sourceRow === null ? t : log.sourceRow[t],
  }));
}

describe('distinctViews', () => {
  it("counts a user's run of one arm as its first view, clicked if any was, whoever comes between", () => {
    const log = logFromColumns(BASE);
    const before = structuredClone(rows(log));
    const distinct = distinctViews(log);
    expect(distinct.events).toBe(4);
    expect(rows(distinct)).toEqual([{ ...(before[0] as object), payoff: 1 }, before[1], before[4], before[6]]);
    expect(distinct.source.distinctViews).toEqual({ events: 7 });
    expect(rows(log)).toEqual(before);
    expect(log.source.distinctViews).toBeUndefined();
    // The set {a, c} and {b, c} are nobody's any more.
    expect(distinct.pools.count).toBe(1);
    expect(distinct.arms.ids).toEqual(['a', 'b', 'c']);
  });

  it('takes the largest payoff where payoffs are no clicks, negative ones too', () => {
    const log = logFromColumns({ arm: [1, 1, 1, 2, 2], user: [0, 0, 0, 0, 0], payoff: [-2, -0.5, -3, -7, 2.5] });
    const distinct = distinctViews(log);
    expect(payoffs(distinct)).toEqual([-0.5, 2.5]);
    expect(distinct.payoff.scale).toEqual(log.payoff.scale);
    expect(distinct.payoff.maxSteps).toBe(Math.max(...distinct.payoff.steps));
  });

  it('does nothing more a second time, and nothing where no view is repeated', () => {
    const once = distinctViews(logFromColumns(BASE));
    const twice = distinctViews(once);
    expect(rows(twice)).toEqual(rows(once));
    expect(twice.source.distinctViews).toEqual({ events: 7 });
    const single = logFromColumns({ arm: [1, 2, 1], user: [0, 0, 0], payoff: [1, 0, 0] });
    expect(distinctViews(single)).toEqual({ ...single, source: { ...single.source, distinctViews: { events: 3 } } });
    const empty = logFromColumns({ armIndex: [], arms: 2, user: [], payoff: [], candidates: [] });
    expect(distinctViews(empty)).toMatchObject({ events: 0, pools: { count: 1 } });
  });

  it('keeps versions of arm features with their candidate sets', () => {
    const log = logFromColumns({
      arm: ['a', 'a', 'b', 'a'],
      user: [1, 1, 1, 2],
      payoff: [0, 0, 0, 1],
      candidates: [['a', 'b'], ['a', 'c'], ['b'], ['a', 'b']],
    });
    const armFeatures = {
      dimension: 1,
      rows: 5,
      values: Float64Array.of(10, 11, 20, 21, 30),
      // Entries of the sets {a, b}, {a, c}, {b}: versions 0 of a and b; 1 of a, c; 1 of b.
      row: Uint32Array.of(0, 2, 1, 4, 3),
      columns: ['z'],
    };
    const distinct = distinctViews({ ...log, armFeatures });
    expect(Array.from(distinct.pools.pool ?? [])).toEqual([0, 1, 0]);
    expect(Array.from(distinct.pools.arms)).toEqual([0, 1, 1]);
    expect(Array.from(distinct.armFeatures?.row ?? [])).toEqual([0, 2, 3]);
    expect(distinct.armFeatures?.rows).toBe(5);
  });

  it('agrees with a search backwards through the log, for any log', () => {
    const event = fc.record({
      user: fc.nat(3),
      arm: fc.nat(2),
      payoff: fc.constantFrom(0, 0.25, 1),
      x: fc.nat(2),
      // Below and above the share of repetition where contexts are a table.
      y: fc.oneof(fc.constant(0), fc.double({ noNaN: true, noDefaultInfinity: true })),
      set: fc.constantFrom([0, 1, 2], [2, 1, 0, 3]),
    });
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 60 }), (events) => {
        const log = logFromColumns({
          armIndex: events.map(({ arm }) => arm),
          arms: 4,
          payoff: events.map(({ payoff }) => payoff),
          user: events.map(({ user }) => user),
          context: events.map(({ x, y }) => [x, y]),
          candidates: events.map(({ set }) => set),
        });
        const distinct = distinctViews(log);
        /** The view of the same user before t, or −1. */
        const previous = (t: number): number => events.findLastIndex(({ user }, s) => s < t && user === events[t].user);
        const repeats = (t: number): boolean => previous(t) >= 0 && events[previous(t)].arm === events[t].arm;
        const firstOf = (t: number): number => (repeats(t) ? firstOf(previous(t)) : t);
        const heads = events.flatMap((_, t) => (repeats(t) ? [] : [t]));
        const all = rows(log);
        expect(rows(distinct)).toEqual(
          heads.map((head) => ({
            ...(all[head] as object),
            payoff: Math.max(...events.filter((_, t) => firstOf(t) === head).map(({ payoff }) => payoff)),
          })),
        );
        // Whatever counts rows and sets by their number finds an event for each.
        const { contexts, pools } = distinct;
        expect(new Set(contexts.row ?? heads.map((_, v) => v)).size).toBe(contexts.rows);
        expect(new Set(pools.pool ?? [0]).size).toBe(pools.count);
        expect(contextCells(distinct).count).toBeLessThanOrEqual(distinct.events);
      }),
      { numRuns: 300 },
    );
  });

  it('needs users, and the whole log', async () => {
    const error = await fault((async () => distinctViews(logFromColumns({ arm: [1], payoff: [1] })))());
    expect(error.message).toMatch(/the log has no users[\s\S]*--user/);
    const batch = await fault((async () => distinctViews({ ...logFromColumns(BASE), firstEvent: 5 }))());
    expect(batch.message).toMatch(/whole log\n {2}got: {4}a batch of one, from event 5/);
  });
});

describe('distinctViews of files', () => {
  const file = () => write('views.csv', 'who,arm,click\nu,a,0\nu,a,1\nv,b,0\nu,a,0\nu,b,0\nv,b,1\nv,a,0\nu,b,0\n');
  const mapping = { arm: 'arm', payoff: 'click', user: 'who' };

  it('is an option of reading, after the filter', async () => {
    const log = await readLog([file()], { mapping, distinctViews: true });
    expect([armIds(log), payoffs(log), Array.from(log.sourceRow ?? [])]).toEqual([
      ['a', 'b', 'b', 'a'],
      [1, 1, 0, 0],
      [0, 2, 4, 6],
    ]);
    expect(log.source).toMatchObject({ rows: 8, distinctViews: { events: 8 } });
    const where = await readLog([file()], { mapping, distinctViews: true, where: "NOT (who = 'u' AND arm = 'b')" });
    expect(Array.from(where.sourceRow ?? [])).toEqual([0, 2, 6]);
    expect(where.source.distinctViews).toEqual({ events: 6 });
  });

  it('is refused before a long reading where no column is the user', async () => {
    const error = await fault(readLog([file()], { mapping: { arm: 'arm', payoff: 'click' }, distinctViews: true }));
    expect(error.message).toMatch(/views\.csv: .*no users/);
  });

  it('is in the result, and changes it', async () => {
    const options = { policies: [{ family: 'constant' }], device: 'cpu', threads: 1, assumeUniform: true } as const;
    const all = await evaluate({ log: { files: [file()], mapping }, ...options });
    const distinct = await evaluate({ log: { files: [file()], mapping, distinctViews: true }, ...options });
    expect(all.log.distinctViews).toBeUndefined();
    expect(distinct.log).toMatchObject({ events: 4, distinctViews: { events: 8 } });
    const of = ({ policies }: typeof all) =>
      policies.map(({ name, matches, payoff }) => [name, matches, payoff]).sort();
    expect(of(all)).toEqual([
      ['constant a', 4, 1],
      ['constant b', 4, 1],
    ]);
    expect(of(distinct)).toEqual([
      ['constant a', 2, 1],
      ['constant b', 2, 1],
    ]);
  });

  it('is described by inspectLog with the rates before and after', async () => {
    const log = await readLog([file()], { mapping });
    expect(inspectLog(log).distinctViews).toBeUndefined();
    expect(inspectLog(distinctViews(log), log)).toMatchObject({
      events: 4,
      distinctViews: {
        before: { events: 8, mean: 0.25 },
        after: { events: 4, mean: 0.5 },
        arms: [
          { id: 'a', before: { events: 4, mean: 0.25 }, after: { events: 2, mean: 0.5 } },
          { id: 'b', before: { events: 4, mean: 0.25 }, after: { events: 2, mean: 0.5 } },
        ],
      },
    });
  });
});

describe('distinctViews of a stream', () => {
  const file = () => write('stream.csv', `who,arm,click\n${'u,a,0\nv,b,1\nu,a,1\nv,a,0\n'.repeat(5000)}`);
  const mapping = { arm: 'arm', payoff: 'click', user: 'who' };
  const reading = { distinctViews: true };

  it('finds what users saw before in any batch', async () => {
    const packed = pathOf('stream-packed.parquet');
    await convert({ files: [file()], mapping }, packed);
    const stream = await readStream([packed], reading, 1e9);
    const expected = await readLog([file()], { mapping, ...reading });
    expect(expected.events).toBe(10_001);
    expect(stream.events).toBe(expected.events);
    for (const [from, to] of [
      [0, 50],
      [0, 10_001],
      [3_333, 7_777],
      [10_000, 10_001],
      [9, 9],
    ])
      expect(difference(await stream.read(from, to), batchOf(expected, from, to))).toBeNull();
    await stream.close();
  });

  it('is a stream with the tables of the log in memory', async () => {
    await fc.assert(
      fc.asyncProperty(shapes(200), fc.nat(), async (shape, cut) => {
        const log = syntheticLog({ ...shape, user: true, firstEvent: false });
        const expected = distinctViews(log);
        const stream = await distinctStream(streamOf(log));
        expect(difference(stream.head, headOf(expected))).toBeNull();
        const at = stream.events === 0 ? 0 : cut % (stream.events + 1);
        for (const [from, to] of [
          [0, at],
          [at, stream.events],
        ]) {
          const { firstEvent, ...batch } = await stream.read(from, to);
          const { firstEvent: _, ...wanted } = batchOf(expected, from, to);
          expect(difference(batch, wanted)).toBeNull();
        }
      }),
    );
  });

  it('is converted once, and then read in batches', async () => {
    const packed = pathOf('distinct-packed.parquet');
    await convert({ files: [file()], mapping, distinctViews: true }, packed);
    const stream = await readStream([packed], {}, 1e9);
    expect([stream.events, stream.head.source.distinctViews]).toEqual([10_001, { events: 20_000 }]);
    await stream.close();
  });
});
