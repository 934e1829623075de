/** Scaled contexts are the same to the last bit however a log is gone through, and for every engine. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { convert, logFromColumns } from '#dist/index.js';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { ADAPTER } from '../adapter.js';
import { LONG } from '../long.js';
import { bare, EVERY, everything, expectSame, interrupted, L, log, resumable } from './replay-streams.js';
import { streamLog } from './stream-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-scale-'));
const METHODS = ['standard', 'max'] as const;

/** Contexts with a column in other units, as a table or dense. */
function unlike(dense: EventLog): EventLog {
  const { contexts } = dense;
  const values = Float64Array.from(contexts.values, (x, i) => (i % contexts.dimension === 2 ? 1.58e9 + 86_400 * x : x));
  return { ...dense, contexts: { ...contexts, values } };
}

const LOGS = { table: unlike(log), dense: unlike(streamLog({ events: L, table: false })) };

describe.each(METHODS)('--scale %s', (scale) => {
  it.each(Object.entries(LOGS))('in batches, contexts as a %s log', async (_, one) => {
    const cpu = { ...everything, device: 'cpu', threads: 1, scale, updateEvery: 10 } as const;
    const { scale: found } = await expectSame(one, EVERY, cpu, [17, L - 1]);
    expect(found?.contexts.some(({ divisor }) => divisor !== 1)).toBe(true);
    expect(found?.armFeatures).toHaveLength(2);
  });

  it('with threads, as a table or dense, and of a packed log', async () => {
    const options = { ...everything, repeats: 2, device: 'cpu', scale, assumeUniform: true } as const;
    const learners = [{ algorithm: 'linucb' }, { algorithm: 'linucb-hybrid' }, { algorithm: 'lin-thompson' }] as const;
    const { table } = LOGS;
    const { contexts } = table;
    const d = contexts.dimension;
    const rows = Array.from(contexts.row ?? []);
    const values = Float64Array.from(rows.flatMap((row) => [...contexts.values.subarray(row * d, (row + 1) * d)]));
    const dense = { ...table, contexts: { ...contexts, values, row: null, rows: L } };
    const whole = await replay(table, learners, options);
    const expectAlike = ({ scale, learners }: typeof whole) =>
      expect({ scale, learners }).toEqual({ scale: whole.scale, learners: whole.learners });
    expectAlike(await replay(dense, learners, options));
    expectAlike(await replay(streamOf(dense), learners, { ...options, threads: 2, stretchEvents: 50 }));
    const file = join(folder, `${scale}.parquet`);
    await convert(table, file);
    for (const more of [{}, { memory: '1GB' }, { stretchEvents: 77 }] as ReplayOptions[]) {
      expectAlike(await replay({ files: [file] }, learners, { ...options, ...more }));
    }
  });

  it('goes on after an interruption, and only with the same scale', async () => {
    for (const reads of [3, 12]) {
      const resume = join(folder, `${scale}-${reads}`);
      await interrupted({ device: 'cpu', resume, scale }, EVERY, reads);
      const options = { ...resumable, device: 'cpu', stretchEvents: 50 } as const;
      const other = METHODS.find((one) => one !== scale);
      await expect(replay(log, EVERY, { ...options, resume, scale: other })).rejects.toThrow(/different options/);
      await expect(replay(log, EVERY, { ...options, resume })).rejects.toThrow(/different options/);
      const resumed = await replay(streamOf(log), EVERY, { ...options, resume, scale });
      expect(bare(resumed)).toEqual(bare(await replay(log, EVERY, { ...resumable, device: 'cpu', scale })));
    }
  });
});

describe('--scale standard', () => {
  const scale = 'standard';

  it(`keeps hard columns on the GPU (${ADAPTER}), with the events of the CPU`, LONG, async () => {
    const one = prices();
    const learners = [{ algorithm: 'linucb', alpha: 0.5 }, { algorithm: 'random' }] as const;
    const options = { replicas: true, assumeUniform: true, verify: true } as const;
    const gpu = { ...options, device: 'gpu', adapter: ADAPTER } as const;
    const beside = await replay(one, learners, gpu);
    expect(beside.engine.onCpu).toEqual(['linucb alpha=0.5']);
    expect(beside.warnings).toContainEqual(
      expect.stringMatching(/more digits than the GPU has: linucb.*; columns that --scale standard or max/),
    );
    const scaled = await replay(one, learners, { ...gpu, scale });
    expect(scaled.engine.onCpu).toBeUndefined();
    expect(scaled.warnings.filter((text) => text.includes('digits'))).toEqual([]);
    const cpu = await replay(one, learners, { ...options, device: 'cpu', scale });
    const retained = (result: typeof cpu) => result.learners.map(({ replicas }) => replicas?.[0].retained);
    expect(retained(scaled)).toEqual(retained(cpu));
    expect(scaled.scale).toEqual(cpu.scale);
    expect([scaled, cpu].map(({ engine }) => engine.verified?.passed)).toEqual([true, true]);
    const plain = await replay(one, learners, { ...options, device: 'cpu' });
    const condition = (result: typeof cpu) => result.learners[0].numerics?.condition ?? 0;
    expect(condition(plain)).toBeGreaterThan(1e12);
    expect(condition(cpu)).toBeLessThan(1e5);
  });
});

/** A price in euros and in cents, beside a constant. */
function prices(): EventLog {
  const list = Array.from({ length: 500 }, (_, t) => t);
  const euros = list.map((t) => 1_000_000 + ((t * 7919) % 99_991));
  return logFromColumns({
    armIndex: list.map((t) => (t * 5 + (t >> 3)) % 3),
    arms: 3,
    payoff: list.map((t) => (t % 7 < 3 ? 1 : 0)),
    context: euros.map((euro) => [euro, 100 * euro, 1]),
  });
}
