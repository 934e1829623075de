import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { batchOf, streamOf } from '#dist/log/stream-of.js';
import { replay } from '#dist/replay.js';
import { fault, pack, withPacked } from '../log/files.js';
import { difference, ODD, PLAIN, type Shape, shapes, syntheticLog } from '../log/synthetic-log.js';
import { inTwoSizes } from '../long.js';

/** Where a log differs from what is read back of it; `null`: nowhere. */
async function lost(name: string, log: EventLog, groupEvents?: number): Promise<string | null> {
  return difference(await readLog([await pack(name, log, groupEvents)], {}), log);
}

describe('a packed log', () => {
  inTwoSizes('is the log that was written, to the last bit', [40, 250], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(shapes(), fc.constantFrom(1, 7, 64, undefined), async (shape, groupEvents) => {
        const log = syntheticLog(shape);
        expect(await lost('round.parquet', log, shape.events > 100 ? 64 : groupEvents)).toBeNull();
      }),
      { numRuns },
    );
  });

  const special: [string, Partial<Shape>][] = [
    ['no events', { events: 0 }],
    ['one event', { events: 1 }],
    ['a row group less one', { events: 65_535 }],
    ['a row group', { events: 65_536 }],
    ['a row group and one', { events: 65_537 }],
    ['70,000 arms', { arms: 70_000, events: 3000, pools: 3 }],
    ['many pools', { arms: 300, pools: 5000, events: 20_000, features: 'versions' }],
    ['a large table of contexts, in parts', { contextRows: 100_000, values: 'f64', events: 2000, dimension: 8 }],
    ['many columns', { dimension: 700, events: 300 }],
  ];
  it.each(special)('has %s', async (name, part) => {
    expect(await lost(`${name}.parquet`, syntheticLog({ ...PLAIN, ...part }))).toBeNull();
  });

  it('keeps signs of zero, the largest source row and 32-bit steps', async () => {
    const log = syntheticLog({ ...PLAIN, events: 5000, payoff: 'rounded', dimension: 1 });
    const values = Float32Array.from(log.contexts.values, (_, t) => (t % 2 === 0 ? 0 : -0));
    const sourceRow = Uint32Array.from({ length: 5000 }, (_, t) => 0xffffffff - 5000 + t);
    const signed = { ...log, contexts: { ...log.contexts, values }, sourceRow };
    expect(log.payoff.maxSteps).toBeGreaterThan(2 ** 31);
    expect(await lost('signs.parquet', signed)).toBeNull();
  });

  it('refuses payoff scales whose steps do not follow from payoffs, which no reader makes', async () => {
    const log = syntheticLog({ ...PLAIN, payoff: 'cents' });
    const scale = { ...log.payoff.scale, numerator: 1e-320, rounded: false };
    const error = await fault(pack('scale.parquet', { ...log, payoff: { ...log.payoff, scale } }));
    expect(error.message).toMatch(/row \d+, column "payoff": the payoff scale is not exact/);
  });

  inTwoSizes('gives any batch as the log in memory does, with the tables of its head', [40, 120], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(shapes(), fc.nat(300), fc.nat(300), async (shape, a, b) => {
        const log = syntheticLog(shape);
        const [from, to] = [Math.min(a, b, log.events), Math.min(Math.max(a, b), log.events)];
        await withPacked(await pack('batch.parquet', log, 16), async (stream) => {
          const views = streamOf(log);
          expect(difference(stream.head, views.head)).toBeNull();
          expect([stream.events, stream.bytesPerEvent]).toEqual([views.events, views.bytesPerEvent]);
          const part = await stream.read(from, to);
          expect(difference(part, batchOf(log, from, to))).toBeNull();
          // Of a log in memory, all events are the log itself.
          const view = await views.read(from, to);
          if (from === 0 && to === log.events) expect(view).toBe(log);
          else expect(difference(part, view)).toBeNull();
          expect(part.arms).toBe(stream.head.arms);
          expect(part.pools.arms).toBe(stream.head.pools.arms);
          expect(part.armFeatures).toBe(stream.head.armFeatures);
          expect(part.user?.levels).toBe(stream.head.user?.levels);
          // The next one begins in the row group in which this one ended.
          expect(difference(await stream.read(to, log.events), batchOf(log, to, log.events))).toBeNull();
          // To be counted, some columns suffice; a row group that was read for that is read again for all.
          const counted = await stream.read(from, to, undefined, 'count');
          for (const of of ['arm', 'propensity', 'time'] as const) expect(counted[of]).toEqual(part[of]);
          expect([counted.events, counted.firstEvent]).toEqual([part.events, part.firstEvent]);
          expect(counted.pools.pool).toEqual(part.pools.pool);
          expect(counted.user?.code).toEqual(part.user?.code);
          expect(difference(await stream.read(from, to), part)).toBeNull();
        });
      }),
      { numRuns },
    );
  });

  it('refuses batches that it does not have', async () => {
    const path = await pack('short.parquet', syntheticLog(PLAIN));
    for (const [from, to] of [
      [0, 101],
      [-1, 5],
      [7, 6],
      [0.5, 2],
    ])
      expect((await fault(withPacked(path, (stream) => stream.read(from, to)))).message).toMatch(
        /no such batch of the log/,
      );
  });

  it('stops at a signal', async () => {
    const reason = new Error('stop');
    const stopped = withPacked(await pack('signal.parquet', syntheticLog(PLAIN)), (stream) =>
      stream.read(0, 50, AbortSignal.abort(reason)),
    );
    await expect(stopped).rejects.toBe(reason);
  });

  it('gives policies and learners the statistics of the original', async () => {
    const log = syntheticLog({ ...PLAIN, events: 4000, pools: 0, keys: ['segment'], firstEvent: false });
    const path = await pack('same.parquet', log, 512);
    const policies = [{ family: 'constant' as const }, { family: 'uniform' as const, seed: 3, replicas: 2 }];
    const options = { policies, device: 'cpu' as const, threads: 1, assumeUniform: true, blockStatistics: true };
    const timeless = (result: object) =>
      JSON.stringify(result, (key, value) => (key === 'engine' || key === 'inputs' ? null : value));
    expect(timeless(await evaluate({ ...options, log: { files: [path] } }))).toBe(
      timeless(await evaluate({ ...options, log })),
    );
    const learners = [
      { algorithm: 'linucb' as const, alpha: 1 },
      { algorithm: 'semp' as const, segment: 'segment' },
    ];
    const playing = { device: 'cpu' as const, threads: 1, assumeUniform: true, repeats: 2, seed: 5, replicas: true };
    expect(timeless(await replay({ files: [path] }, learners, playing))).toBe(
      timeless(await replay(log, learners, playing)),
    );
  });

  it('is plain Parquet under a mapping', async () => {
    const log = syntheticLog({ ...PLAIN, events: 500, payoff: 'stars', ids: 'numbers', arms: 12, pools: 0 });
    const path = await pack('plain.parquet', log);
    const context = log.contexts.columns.map((_, j) => (j === 3 ? 'arm_2' : j === 4 ? '\ufffd' : `x${j}`));
    const mapping = {
      arm: 'arm',
      payoff: 'payoff',
      propensity: 'propensity',
      time: { column: 'time', unit: 'ms' as const },
      context,
    };
    const read = await readLog([path], { mapping });
    expect(read.source.format).toBe('parquet');
    expect(read.arms.ids).toEqual(log.arms.ids);
    for (const name of ['arm', 'propensity'] as const) expect(read[name]).toEqual(log[name]);
    expect(read.payoff.steps).toEqual(log.payoff.steps);
    expect(read.contexts.values).toEqual(log.contexts.values);
    const filtered = await readLog([path], { mapping, where: "arm = '9'" });
    expect(filtered.events).toBe(log.arm.filter((a) => log.arms.ids[a] === '9').length);
  });

  it('is recognized by its content', async () => {
    const log = syntheticLog(PLAIN);
    const path = await pack('misnamed.csv', log);
    expect(difference(await readLog([path], {}), log)).toBeNull();
    expect(difference(await readLog([path], { format: 'packed' }), log)).toBeNull();
  });

  const refused: [string, Parameters<typeof readLog>[1], RegExp][] = [
    ['arms', { arms: ['1'] }, /without a list of arms/],
    ['a range', { payoffRange: [0, 1] }, /without a range of payoffs/],
    ['a mapping', { format: 'packed', mapping: { arm: 'arm', payoff: 'payoff' } }, /without a mapping/],
    ['a key it lacks', { keys: ['segmnt'] }, /no column "segmnt"[\s\S]*one of "segment"[\s\S]*did you mean "segment"/],
  ];
  it.each(refused)('refuses %s', async (_, options, message) => {
    const error = await fault(readLog([await pack('as-is.parquet', syntheticLog(PLAIN))], options));
    expect(error.message).toMatch(/as-is\.parquet/);
    expect(error.message).toMatch(message);
  });
});

it('odd texts are what the tests say they are', () => {
  expect(ODD.some((text) => Buffer.from(text).toString() !== text)).toBe(true);
});
