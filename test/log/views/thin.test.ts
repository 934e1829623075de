import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testUniformity } from '#dist/log/checks/uniformity.js';
import type { EventLog } from '#dist/log/event-log.js';
import { type LogColumns, logFromColumns } from '#dist/log/from-columns/columns.js';
import { batchOf, headOf, streamOf } from '#dist/log/stream-of.js';
import { distinctViews } from '#dist/log/views/distinct-views.js';
import { thinLog, thinStream } from '#dist/log/views/thin.js';
import { openPacked } from '#dist/packed/read.js';
import { WorldDraws } from '#dist/simulate/draws.js';
import { inTwoSizes } from '../../long.js';
import { armIds, candidates, context, fault, pack, payoffs } from '../files.js';
import { difference, shapes, syntheticLog } from '../synthetic-log.js';
import { keptBy } from './textbook-threefry.js';

const SIZES = [
  ['a', 'b'],
  ['a', 'b', 'c', 'd'],
];
/** Logged with probability 0.8 for the first candidate, the rest in equal parts. */
function skewed(events: number, seed = 1): EventLog {
  const draws = new WorldDraws(seed);
  const arm: string[] = [];
  const propensity: number[] = [];
  const sets = Array.from({ length: events }, (_, t) => SIZES[draws.below(2, t, 1)]);
  for (const [t, set] of sets.entries()) {
    const first = draws.unit(t, 2) < 0.8;
    arm.push(set[first ? 0 : 1 + draws.below(set.length - 1, t, 3)]);
    propensity.push(first ? 0.8 : 0.2 / (set.length - 1));
  }
  return logFromColumns({
    arm,
    payoff: arm.map((_, t) => draws.below(3, t, 4)),
    candidates: sets,
    propensity,
    context: arm.map((_, t) => [t, draws.below(5, t, 5)]),
    user: arm.map((_, t) => `u${t % 7}`),
    time: arm.map((_, t) => 1e12 + t),
    keys: { place: arm.map((_, t) => `p${t % 3}`) },
  });
}

const sizesOf = (log: EventLog): number[] => Array.from({ length: log.events }, (_, t) => candidates(log, t).length);
const rows = (log: EventLog): number[] =>
  Array.from({ length: log.events }, (_, t) => (log.sourceRow === null ? t : log.sourceRow[t]));

describe('thinLog', () => {
  const log = skewed(3000);

  it.each([
    [0.2, 0],
    [0.05, 4294967295],
    [0.2667, 3],
  ])('keeps the events that the formula and Threefry say, with κ = %d and seed %d', (leastPropensity, thinSeed) => {
    const thinned = thinLog(log, { leastPropensity: Math.min(leastPropensity, 0.8 / 3), thinSeed });
    const least = Math.min(leastPropensity, 0.8 / 3);
    const expected = keptBy(sizesOf(log), [...(log.propensity ?? [])], least, thinSeed);
    expect(rows(thinned)).toEqual(expected);
    expect(thinned.source.thinned).toEqual({
      ...{ events: 3000, kept: expected.length, leastPropensity: least, declared: true, seed: thinSeed },
    });
    expect(expected.length / 3000 / least).toBeGreaterThan(0.7);
  });

  it('leaves a uniform log, with all that its events were, and the log itself as it was', () => {
    const before = [...(log.propensity ?? [])];
    const thinned = thinLog(log, { leastPropensity: 0.2 });
    for (const [i, t] of rows(thinned).entries()) {
      expect([armIds(thinned)[i], payoffs(thinned)[i], context(thinned, i), candidates(thinned, i)]).toEqual([
        ...[armIds(log)[t], payoffs(log)[t], context(log, t), candidates(log, t)],
      ]);
      expect(thinned.propensity?.[i]).toBe(1 / candidates(log, t).length);
      expect(thinned.user?.levels[thinned.user.code[i]]).toBe(`u${t % 7}`);
      expect(thinned.time?.[i]).toBe(1e12 + t);
    }
    expect([log.propensity, log.source.thinned]).toEqual([Float64Array.from(before), undefined]);
    expect(testUniformity(thinLog(skewed(40_000), { leastPropensity: 0.2 }))).toMatchObject({
      uniform: true,
      warning: null,
    });
    expect(testUniformity(skewed(40_000)).uniform).toBe(false);
  });

  it('goes by the least of its own events where none is declared, and says so', () => {
    const thinned = thinLog(log);
    const share = sizesOf(log).map((size, t) => size * (log.propensity as Float64Array)[t]);
    const leastPropensity = Math.min(...share);
    expect(thinned.source.thinned).toMatchObject({ leastPropensity, declared: false, seed: 0 });
    expect(rows(thinned)).toEqual(keptBy(sizesOf(log), [...(log.propensity ?? [])], leastPropensity, 0));
    // Those with the least share are kept, whatever is drawn.
    expect(rows(thinned)).toEqual(expect.arrayContaining(share.flatMap((s, t) => (s === leastPropensity ? [t] : []))));
    expect(thinned.source.warnings?.join()).toMatch(/depends on what happened to be logged[\s\S]*--least-propensity/);
    expect(thinLog(log, { leastPropensity: 0.2 }).source.warnings).toBeUndefined();
  });

  it('keeps all of a uniform log', () => {
    const uniform = logFromColumns({ arm: ['a', 'b', 'a'], payoff: [0, 1, 1], propensity: [0.5, 0.5, 0.5] });
    const thinned = thinLog(uniform);
    expect(difference({ ...thinned, source: uniform.source }, uniform)).toBeNull();
    expect(thinned.source).toMatchObject({ thinned: { kept: 3, leastPropensity: 1, declared: false } });
    expect(thinned.source.warnings).toBeUndefined();
    const none = thinLog({ ...batchOf(uniform, 0, 0), firstEvent: undefined });
    expect([none.events, none.source.thinned?.leastPropensity, none.source.warnings]).toEqual([0, 1, undefined]);
  });

  it('says where few events are kept, what else there is', () => {
    const [few] = thinLog(log, { leastPropensity: 0.01 }).source.warnings ?? [];
    expect(few).toMatch(/^thinning kept \d+ of 3,000 events.*--estimator snips/);
  });

  it('has the doubts that ips has about propensities', () => {
    // Those of the arm that was likely, whichever was logged.
    const wrong = { ...log, propensity: new Float64Array(3000).fill(0.25) };
    expect(thinLog(wrong, { leastPropensity: 0.1 }).source.warnings?.join()).toMatch(/1\/propensity/);
  });

  it('asks whether κ is a propensity where it is the least one', () => {
    const warnings = thinLog(log, { leastPropensity: 0.2 / 3 }).source.warnings ?? [];
    expect(warnings.join()).toMatch(/is --least-propensity .*a propensity\?/);
  });
});

const BASE: LogColumns = {
  arm: ['a', 'b', 'a'],
  payoff: [0, 1, 1],
  propensity: [0.9, 0.1, 0.9],
  user: ['u', 'u', 'u'],
};

describe('what cannot be thinned', () => {
  const base = logFromColumns(BASE);
  it.each<[string, EventLog, object, RegExp]>([
    ['a log without propensities', { ...base, propensity: null }, {}, /goes by propensities[\s\S]*--propensity/],
    [
      'κ of 0',
      base,
      { leastPropensity: 0 },
      /option leastPropensity is not usable[\s\S]*0[\s\S]*candidates × propensity/,
    ],
    ['κ above 1', base, { leastPropensity: 1.1 }, /not usable[\s\S]*1\.1/],
    ['κ that is no number', base, { leastPropensity: Number.NaN }, /leastPropensity is not usable/],
    [
      'κ that an event contradicts',
      base,
      { leastPropensity: 0.3 },
      /^row 1:[\s\S]*0\.3, while[\s\S]*2 × 0\.1 = 0\.2[\s\S]*at most 0\.2[\s\S]*--least-propensity 0\.2/,
    ],
    ['seed that is none', base, { thinSeed: 0.5 }, /thinSeed/],
    ['option that there is not', base, { seed: 1 }, /seed/],
    ['a log that was thinned', thinLog(base), {}, /thinned before/],
    ['distinct views', distinctViews(base), {}, /repeated views count as one[\s\S]*thinned first \(thinLog\)/],
    ['a batch', { ...base, firstEvent: 3 }, {}, /from event 3/],
    [
      'a log whose policy had no chance',
      logFromColumns({ ...BASE, propensity: [1, 1, 1] }),
      {},
      /likelier than by uniform choice[\s\S]*2 × 1 = 2/,
    ],
  ])('%s', async (_, log, options, message) => {
    expect((await fault((async () => thinLog(log, options))())).message).toMatch(message);
    expect((await fault(thinStream(streamOf(log), options))).message).toMatch(message);
  });

  it('takes κ as it is up to the rounding of propensities', () => {
    const single = { ...base, propensity: Float64Array.from([0.9, Math.fround(0.1), 0.9]) };
    expect(
      thinLog({ ...single, propensity: Float64Array.from([0.9, 0.1 - 1e-9, 0.9]) }, { leastPropensity: 0.2 }).events,
    ).toBeGreaterThan(0);
    expect(thinLog(single, { leastPropensity: 0.2 }).events).toBeGreaterThan(0);
  });

  it('names the row over all files', async () => {
    const source = { ...base.source, files: ['a.csv', 'b.csv'] };
    const error = await fault((async () => thinLog({ ...base, source }, { leastPropensity: 0.3 }))());
    expect(error.message).toMatch(/^a\.csv, b\.csv:[\s\S]*row 1 of all files has 2 × 0\.1/);
  });
});

describe('thinStream', () => {
  inTwoSizes('is a stream with the tables of the log in memory, whatever the batches', [40, 300], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(shapes(200), fc.nat(), fc.nat(0xffffffff), async (shape, cut, thinSeed) => {
        const log = syntheticLog({ ...shape, propensity: true, firstEvent: false });
        const shares = sizesOf(log).map((size, t) => size * (log.propensity as Float64Array)[t]);
        const least = Math.min(1, ...shares);
        const options = { thinSeed, leastPropensity: cut % 2 === 0 && least < 1 ? undefined : least };
        const expected = thinLog(log, options);
        expect(rows(expected).length).toBe(keptBy(sizesOf(log), [...(log.propensity ?? [])], least, thinSeed).length);
        const stream = await thinStream(streamOf(log), options);
        expect(difference(stream.head, headOf(expected))).toBeNull();
        expect(stream.head.source).toEqual(expected.source);
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
      { numRuns },
    );
  });

  it('reads packed logs that are larger than a batch, and stops where it is told to', async () => {
    const log = skewed(70_000, 5);
    const stream = await openPacked(await pack('thin.parquet', log));
    for (const leastPropensity of [undefined, 0.2]) {
      const thinned = await thinStream(stream, { leastPropensity });
      const expected = thinLog(log, { leastPropensity });
      expect(thinned.head.source.thinned).toEqual(expected.source.thinned);
      const got = await thinned.read(0, thinned.events);
      expect([...got.arm]).toEqual([...expected.arm]);
      expect([...(got.sourceRow ?? [])]).toEqual([...(expected.sourceRow ?? [])]);
    }
    await expect(thinStream(stream, {}, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    await stream.close();
  });
});
