/** Packed logs that are read as one: random logs cut at random places, and logs that readers of files do not make. */

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import { openPackedFiles } from '#dist/formats/packed/read-files.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { batchOf } from '#dist/log/stream-of.js';
import { distinctViews } from '#dist/log/views/distinct-views.js';
import { openStream } from '#dist/open/open.js';
import { Groups } from '#dist/packed/groups.js';
import { Fingerprint } from '#dist/run/checkpoint/file.js';
import { addLog } from '#dist/run/checkpoint/identity.js';
import { fault, pack, write } from '../log/files.js';
import { difference, PLAIN, type Shape, syntheticLog } from '../log/synthetic-log.js';
import { inTwoSizes } from '../long.js';
import { convertEach, expectLog, expectSame } from './merged.js';

interface Row {
  arm: number;
  payoff: number;
  x: number[];
  pool: number[];
  /** Which version of its features each arm shows. */
  version: number;
  user: number;
}

type Kind = 'all arms' | 'pools' | 'versions' | 'features';

/** Rows as `logFromColumns` has them. */
function logOf(rows: readonly Row[], kind: Kind, name: string): EventLog {
  const lists = rows.map(({ arm, pool }) => [...new Set([arm, ...pool])]);
  const features = (arm: number, version: number): number[] => [arm / 2, kind === 'versions' ? (version * arm) % 3 : 1];
  const ids = [...new Set(lists.flatMap((list, t) => (kind === 'all arms' ? [rows[t].arm] : list)))].sort(
    (a, b) => a - b,
  );
  const log = logFromColumns({
    arm: rows.map(({ arm }) => arm),
    payoff: rows.map(({ payoff }) => payoff),
    context: { values: rows.flatMap(({ x }) => x), dimension: 2 },
    candidates: kind === 'all arms' ? undefined : lists,
    candidateFeatures:
      kind === 'versions' ? lists.map((list, t) => list.map((arm) => features(arm, rows[t].version))) : undefined,
    armFeatures: kind === 'features' ? ids.map((arm) => features(arm, 0)) : undefined,
    user: rows.map(({ user }) => user),
    keys: { segment: rows.map(({ x }) => `s${x[0]}`) },
  });
  return { ...log, source: { ...log.source, files: [name] } };
}

const ROW: fc.Arbitrary<Row> = fc.record({
  arm: fc.nat(4),
  payoff: fc.constantFrom(0, 1, 0.5, -0.25, 3, 0.1, Math.PI),
  x: fc.tuple(fc.nat(2), fc.constantFrom(0, 1, 0.1)),
  pool: fc.subarray([0, 1, 2, 3, 4]),
  version: fc.nat(2),
  user: fc.nat(9),
});

describe('packed logs that are read as one', () => {
  inTwoSizes('are the log that was cut into them, wherever it was cut (property)', [12, 50], async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ROW, { minLength: 1, maxLength: 30 }),
        fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
        fc.constantFrom<Kind>('all arms', 'pools', 'versions', 'features'),
        fc.constantFrom(1, 4, undefined),
        async (rows, cuts, kind, groupEvents) => {
          // Rounded payoffs are gone from a log in memory.
          const exact = rows.map((row) => ({ ...row, payoff: row.payoff === Math.PI ? 2 : row.payoff }));
          const ends = [...cuts.map((cut) => Math.min(cut, rows.length)), rows.length].sort((a, b) => a - b);
          const parts = ends.map((end, i) => exact.slice(i === 0 ? 0 : ends[i - 1], end));
          const used = parts.filter((part) => part.length > 0);
          const packed: string[] = [];
          for (const [i, part] of used.entries())
            packed.push(await pack(`cut-${i}.parquet`, logOf(part, kind, `f${i}`), groupEvents));
          const whole = logOf(exact, kind, '');
          await expectLog(packed, { ...whole, source: { ...whole.source, files: used.map((_, i) => `f${i}`) } });
        },
      ),
      { numRuns },
    );
  });

  inTwoSizes('are, event by event, what each is, whatever else it has (property)', [15, 60], async (numRuns) => {
    const shape = fc.record({
      contextRows: fc.constantFrom(0, 5),
      values: fc.constantFrom<Shape['values']>('f32', 'f64'),
      events: fc.integer({ min: 1, max: 60 }),
      pools: fc.constantFrom(1, 2, 20),
      seed: fc.nat(1000),
      arms: fc.constantFrom(2, 20),
      payoff: fc.constantFrom<Shape['payoff']>('clicks', 'stars', 'negative', 'constant'),
      features: fc.constantFrom<Shape['features']>('versions', 'arms'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 2, maxLength: 3 }), async (shapes) => {
        const logs = shapes.map((one) => {
          const log = syntheticLog({ ...PLAIN, ...one, features: shapes[0].features, sourceRow: false });
          return { ...log, pools: { ...log.pools, allArms: null } };
        });
        const packed: string[] = [];
        for (const [i, log] of logs.entries()) packed.push(await pack(`any-${i}.parquet`, log, 16));
        const merged = await readLog(packed, {});
        const events = logs.flatMap((log) => Array.from({ length: log.events }, (_, t) => eventOf(log, t)));
        expect(Array.from({ length: merged.events }, (_, t) => eventOf(merged, t))).toEqual(events);
      }),
      { numRuns },
    );
  });

  it('count repeated views once over all files, or not at all', async () => {
    const text = (rows: string) => `arm,payoff,u\n${rows.split(' ').join('\n')}\n`;
    const files = [write('v1.csv', text('a,0,1 a,1,1 b,0,2')), write('v2.csv', text('b,1,2 a,0,1 a,0,2 c,1,1'))];
    const options = { mapping: { arm: 'arm', payoff: 'payoff', user: 'u' }, distinctViews: true };
    const packed = await convertEach(files, options);
    const error = await fault(readLog(packed, {}));
    expect(error.message).toMatch(/not from one file to the next[\s\S]*--distinct-views/);
    const together = await readLog(files, options);
    expect(together.events).toBe(4);
    expect(difference(await readLog(packed, { distinctViews: true }), together)).toBeNull();
    const stream = await openStream({ files: packed, distinctViews: true }, { keys: [], memory: 4e8, batches: true });
    expect(stream.identity?.length).toBe(2);
    const { firstEvent: _, ...streamed } = await stream.read(0, stream.events);
    await stream.close();
    expect(difference(streamed, together)).toBeNull();
    const plain = await convertEach(files, { mapping: options.mapping });
    expect(difference(await readLog([packed[0], plain[1]], { distinctViews: true }), together)).toBeNull();
    expect(difference(distinctViews(await readLog(plain, {})), together)).toBeNull();
  });

  it('are a longer part, where they are parts of one log', async () => {
    const log = syntheticLog({ ...PLAIN, events: 90, sourceRow: false, pools: 3 });
    const [a, b, c] = [
      await pack('s0.parquet', batchOf(log, 10, 30)),
      await pack('s1.parquet', batchOf(log, 30, 31)),
      await pack('s2.parquet', batchOf(log, 31, 90)),
    ];
    const merged = await readLog([a, b, c], {});
    const expected = batchOf(log, 10, 90);
    const warnings = [/^users look alike/, /^values of "segment" look alike/].map((text) =>
      expect.stringMatching(text),
    );
    const { inputs, ...source } = merged.source;
    expect([merged.firstEvent, merged.sourceRow, source]).toEqual([10, null, { ...expected.source, warnings }]);
    expect(inputs?.map(({ path }) => path)).toEqual([a, b, c]);
    expect(Array.from({ length: 80 }, (_, t) => eventOf(merged, t))).toEqual(
      Array.from({ length: 80 }, (_, t) => eventOf(expected, t)),
    );
    const error = await fault(readLog([a, c], {}));
    expect(error.message).toMatch(/s2\.parquet: parts[\s\S]*from event 31\n[\s\S]*from event 30/);
    const other = await pack('s3.parquet', syntheticLog({ ...PLAIN, sourceRow: false }));
    expect((await fault(readLog([a, other], {}))).message).toMatch(/s3\.parquet: parts/);
  });

  it('hold dense rows that are in a table already, and no more than a table', async () => {
    const rows = (from: number, count: number, of: (i: number) => number) =>
      `arm,payoff,x\n${Array.from({ length: count }, (_, i) => `${i % 2},1,${of(from + i)}\n`).join('')}`;
    const files = [
      write(
        'dense0.csv',
        rows(0, 5, (i) => i),
      ),
      write(
        'dense1.csv',
        rows(0, 400, (i) => i % 9),
      ),
      write(
        'dense2.csv',
        rows(0, 7, (i) => i + 3),
      ),
    ];
    const log = await expectSame(files, { mapping: { arm: 'arm', payoff: 'payoff', context: ['x'] } });
    expect(log.contexts.rows).toBe(10);
  });

  it('are dense where more rows are than are looked at, tables written out', async () => {
    const plain = { ...PLAIN, sourceRow: false, dimension: 1, pools: 0, keys: [], user: false };
    const logs = [
      syntheticLog({ ...plain, events: 50, contextRows: 4, values: 'f64' }),
      syntheticLog({ ...plain, events: 131_073 }),
    ];
    const packed = [await pack('looked-a.parquet', logs[0]), await pack('looked-b.parquet', logs[1])];
    const { contexts } = await readLog(packed, {});
    expect([contexts.row, contexts.rows]).toEqual([null, 131_123]);
    const { values, row } = logs[0].contexts;
    expect([...contexts.values.subarray(0, 50)]).toEqual(Array.from(row ?? [], (r) => values[r]));
    expect(difference(contexts.values.subarray(50), Float64Array.from(logs[1].contexts.values))).toBeNull();
  });

  it('decode every row group once, where batches go through them in order', async () => {
    const log = syntheticLog({ ...PLAIN, events: 100, sourceRow: false });
    const files = [await pack('once-a.parquet', log, 16), await pack('once-b.parquet', log, 32)];
    const stream = await openPackedFiles([...files, files[0]]);
    // Opening looked at dense rows.
    const decode = vi.spyOn(Groups.prototype, 'decode');
    try {
      for (let from = 0; from < 300; from += 7) await stream.read(from, Math.min(300, from + 7));
      expect(decode).toHaveBeenCalledTimes(7 + 4 + 7);
      // What is held of another file is let go, and decoded again.
      await stream.read(3, 5);
      await stream.read(5, 7);
      expect(decode).toHaveBeenCalledTimes(18 + 1);
      await stream.read(103, 105);
      await stream.read(7, 9);
      expect(decode).toHaveBeenCalledTimes(19 + 2);
    } finally {
      await stream.close();
      decode.mockRestore();
    }
  });

  it('give policies what their original files give, in memory and in batches', async () => {
    const files = [0, 1, 2].map((f) =>
      write(
        `policy${f}.csv`,
        `arm,payoff,s\n${Array.from({ length: 900 }, (_, i) => `${(i * 7 + f) % 5},${i % 3 === 0 ? 1 : 0},s${(i + f) % 3}\n`).join('')}`,
      ),
    );
    const mapping = { arm: 'arm', payoff: 'payoff', keys: ['s'] };
    const packed = await convertEach(files, { mapping });
    const policies = [{ family: 'constant' as const }, { family: 'uniform' as const, seed: 3, replicas: 2 }];
    const options = { policies, device: 'cpu' as const, threads: 1, assumeUniform: true, blockStatistics: true };
    const plain = (result: object) =>
      JSON.stringify(result, (key, value) => (['engine', 'files', 'format', 'inputs'].includes(key) ? null : value));
    const expected = plain(await evaluate({ ...options, log: { files, mapping } }));
    expect(plain(await evaluate({ ...options, log: { files: packed } }))).toBe(expected);
    expect(plain(await evaluate({ ...options, log: { files: packed }, memory: 4e8 }))).toBe(expected);
  });

  it('are other logs in another order, and with another file, whatever their first events are', async () => {
    const log = (seed: number) => syntheticLog({ ...PLAIN, events: 5000, sourceRow: false, seed });
    const a = await pack('id-a.parquet', log(1));
    // The same tables in all: they differ in events alone.
    const tables = log(1);
    const [b, c] = [2, 3].map((k) => ({
      ...tables,
      arm: tables.arm.map((arm, t) => (t === k ? (arm + 1) % 20 : arm)),
    }));
    const [pb, pc] = [await pack('id-b.parquet', b), await pack('id-c.parquet', c)];
    const print = async (files: string[]) => {
      const stream = await openPackedFiles(files);
      try {
        return (await addLog(new Fingerprint(), stream, { bounded: false })).digest();
      } finally {
        await stream.close();
      }
    };
    const prints = [];
    for (const files of [
      [a, pb, pc],
      [a, pc, pb],
      [a, pb, pb],
      [a, pb, pc],
    ])
      prints.push(await print(files));
    expect(new Set(prints).size).toBe(3);
    expect(prints[3]).toBe(prints[0]);
  });
});

/** What an event is, by ids and values. */
function eventOf(log: EventLog, t: number) {
  const { arms, arm, payoff, contexts, pools, propensity, time, user, keys, armFeatures } = log;
  const s = pools.pool === null ? 0 : pools.pool[t];
  const r = contexts.row === null ? t : contexts.row[t];
  const d = armFeatures?.dimension ?? 0;
  const shown = Array.from(pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1]), (a, i) => {
    const row = armFeatures?.row?.[pools.offsets[s] + i] ?? a;
    return [arms.ids[a], ...(armFeatures?.values.subarray(row * d, (row + 1) * d) ?? [])].join(' ');
  });
  return {
    arm: arms.ids[arm[t]],
    payoff: ((payoff.scale.origin + payoff.steps[t]) * payoff.scale.numerator) / payoff.scale.denominator,
    context: [...contexts.values.subarray(r * contexts.dimension, (r + 1) * contexts.dimension)],
    shown: shown.sort(),
    propensity: propensity?.[t],
    time: time?.[t],
    user: user?.levels[user.code[t]],
    keys: [...keys].map(([name, { levels, code }]) => [name, levels[code[t]]]),
  };
}

describe('mappings that differ', () => {
  const days = async (...mappings: object[]): Promise<string[]> => {
    const files = mappings.map((_, day) =>
      write(
        `unlike-${day}.csv`,
        `arm,payoff,t,s,who,x\na,1,2020-01-0${day + 1},1580000${day}00,u,1\nb,0,2020-01-0${day + 1},1580000${day}00,v,2\n`,
      ),
    );
    const packed = await Promise.all(
      mappings.map((more, day) => convertEach([files[day]], { mapping: { arm: 'arm', payoff: 'payoff', ...more } })),
    );
    const log = await readLog(packed.flat(), {});
    expect(log.events).toBe(2 * mappings.length);
    expect(log.source.mapping === undefined).toBe((log.source.warnings ?? []).length > 0);
    return [...(log.source.warnings ?? [])].map((text) => text.replaceAll(/\S*part-\d+/g, 'part'));
  };

  it('are told of, with the columns and the files', async () => {
    const epoch = { column: 's', unit: 's' };
    expect(await days({ time: 't' }, { time: 't' }, { time: epoch, missingPayoff: 0 })).toEqual([
      'the packed logs were made with different mappings, so that the result names none: time ("t" in part.parquet, {"column":"s","unit":"s"} in part.parquet), missingPayoff (none in part.parquet, 0 in part.parquet); it is one log only if these mean the same',
    ]);
    expect(await days({ user: 'who' }, { user: 'x' })).toEqual([
      expect.stringMatching(/names none: user \("who" in part\.parquet, "x" in part\.parquet\); it is one log/),
    ]);
  });

  it('are not where they are the same', async () => {
    expect(await days({ time: 't' }, { time: 't' })).toEqual([]);
  });

  it('of a log with a mapping beside one without', async () => {
    const made = await pack('unmapped.parquet', logFromColumns({ arm: ['a', 'b'], payoff: [1, 0] }));
    const [mapped] = await convertEach([write('beside.csv', 'arm,payoff\na,1\nb,0\n')], {
      mapping: { arm: 'arm', payoff: 'payoff' },
    });
    for (const files of [
      [mapped, made],
      [made, mapped],
    ])
      expect((await readLog(files, {})).source.warnings).toEqual([
        expect.stringMatching(/names none: .*unmapped\.parquet has none; it is one log only if these mean the same$/),
      ]);
  });
});
