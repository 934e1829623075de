import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Archive } from '#dist/archive.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import { streamOf } from '#dist/log/stream-of.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import { eachCase, inTwoSizes, LONG } from '../long.js';
import { bare, EVERY, everything, expectSame, FED, interrupted, L, log, resumable } from './replay-streams.js';
import { streamLog, watched } from './stream-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-replay-'));

const SIZES = [1, 7, 63, 64, 65, L - 1, L, L + 1];

describe('every algorithm on the CPU', () => {
  const cpu = { ...everything, device: 'cpu', threads: 1 } as const;

  it('gives the replicas, states and retained rows of the whole log for every batch size', async () => {
    const whole = await expectSame(log, EVERY, cpu, SIZES);
    for (const { matches } of whole.learners) expect(matches).toBeGreaterThan(10);
  });

  const RULES = [
    ['a subsample, Algorithm 1, blocks of users', { subsample: 0.6, validEvents: 30, blocks: { users: 7 } }, EVERY],
    ['updates every 10 events', { updateEvery: 10 }, EVERY],
    ['updates every 100 events, Algorithm 1', { updateEvery: 100, validEvents: 25, subsample: 0.8 }, EVERY],
    ['updates every 20 events, Algorithm 1', { updateEvery: 20, validEvents: 25 }, EVERY],
    ['updates by the hour', { updateEvery: { period: 3_600_000 }, blocks: { period: 7_200_000 } }, EVERY],
    ['learning from all', { learnFrom: 'all', subsample: 0.9 }, FED],
    ['learning from all, updates by the hour', { learnFrom: 'all', updateEvery: { period: 3_600_000 } }, FED],
    ['verification of every decision', { verify: true, updateEvery: 30 }, EVERY],
  ] as const;
  for (const [name, options, learners] of RULES) {
    const sizes = [[33], [1, 7, 33, 64]] as const;
    inTwoSizes<readonly number[]>(`with ${name}`, sizes, async (some) => {
      await expectSame(log, learners, { ...cpu, ...options }, some);
    });
  }

  it('on payoffs of several steps, contexts that are not repeated, and times out of order', async () => {
    const other = streamLog({ events: L, maxPayoff: 9, table: false, sorted: false });
    const learners = EVERY.filter(
      (one) => !['thompson', 'cemp', 'glm-ucb'].includes('algorithm' in one ? one.algorithm : ''),
    );
    await expectSame(other, learners, { ...cpu, updateEvery: { period: 3_600_000 } }, [7, 64]);
    await expectSame(streamLog({ events: L, table: false }), EVERY, cpu, [7, 64]);
  });

  it('names source rows where the log has its own numbers', async () => {
    const part = { ...log, sourceRow: Uint32Array.from({ length: L }, (_, t) => 5 * t + 2) };
    const whole = await expectSame(part, EVERY.slice(0, 4), cpu, [1, 64]);
    expect(whole.learners[0].replicas?.[0].retained?.every((row) => row % 5 === 2)).toBe(true);
  });

  it('takes an empty log', async () => {
    await expectSame(
      streamLog({ events: 0 }),
      [{ algorithm: 'random' }, { algorithm: 'emp' }, { algorithm: 'exp3p' }],
      cpu,
      [1],
    );
  });

  it('with threads', LONG, async () => {
    // Enough work that threads are used: see THREADS_PAY_FROM.
    const many = { device: 'cpu', repeats: 40, threads: 2, subsample: 0.7, state: true, updateEvery: 500 } as const;
    const long = streamLog({ events: 20_000 });
    const learners = [
      { algorithm: 'linucb' },
      { algorithm: 'linrel' },
      { algorithm: 'glm-ucb' },
      { algorithm: 'emp' },
    ] as const;
    await expectSame(long, learners, many, [7001]);
  });
});

describe('a learner from code', () => {
  const counting = (carries: boolean): LearnerInput => ({
    name: 'counting',
    create: (_, draws) => {
      let updates = 0;
      return {
        choose: (event, { arms, from, to }) => arms[from + ((updates + draws.index(event, 7)) % (to - from))],
        update: () => void updates++,
        state: () => ({ updates }),
        ...(carries
          ? {
              carry(archive: Archive) {
                updates = archive.number(updates);
              },
            }
          : {}),
      };
    },
  });

  it('streams if it can be carried', async () => {
    await expectSame(log, [counting(true)], { ...everything, device: 'cpu', subsample: 0.9 }, [1, 64]);
  });

  it('is refused by name if it cannot, and runs in memory', async () => {
    const options = { device: 'cpu', stretchEvents: 100 } as const;
    await expect(replay(streamOf(log), [counting(false)], options)).rejects.toThrow(
      /learner "counting" cannot be taken from one batch[\s\S]*carry\(archive\)/,
    );
    await expect(replay(log, [counting(false)], { device: 'cpu', memory: '1GB' })).resolves.toBeDefined();
  });
});

describe('a replay that is interrupted', () => {
  const options = resumable;

  const READS = [3, 9, 11, 14, 18, 22, 26, 30].map((reads, i) => ({
    name: `ends with the result of one that is not, after ${reads} reads (CPU)`,
    long: i % 3 > 0,
    reads,
  }));
  eachCase(READS, async ({ reads }) => {
    const resume = join(folder, `cpu-${reads}`);
    const cpu = { ...options, device: 'cpu' } as const;
    await interrupted({ device: 'cpu', resume }, EVERY, reads);
    const resumed = await replay(streamOf(log), EVERY, { ...cpu, stretchEvents: 50, resume });
    expect(bare(resumed)).toEqual(bare(await replay(log, EVERY, cpu)));
    expect(() => readFileSync(resume)).toThrow(/ENOENT/);
  });

  it.each([3, 11, 16, 22])('saves where its signal is aborted, at the end of the batch (read %i)', async (reads) => {
    const resume = join(folder, `aborted-${reads}`);
    const controller = new AbortController();
    const stream = watched(log, (begun) => {
      if (begun === reads - 1) controller.abort(new Error('enough'));
    });
    const cpu = { ...options, device: 'cpu' } as const;
    const { signal } = controller;
    const run = replay(stream, EVERY, { ...cpu, stretchEvents: 32, resume, checkpointEvery: 1e6, signal });
    await expect(run).rejects.toThrow('enough');
    expect(readFileSync(resume).length).toBeGreaterThan(0);
    const resumed = await replay(streamOf(log), EVERY, { ...cpu, stretchEvents: 50, resume });
    expect(bare(resumed)).toEqual(bare(await replay(log, EVERY, cpu)));
  });

  it('is not gone on with for other learners or rules', async () => {
    const resume = join(folder, 'other');
    await interrupted({ device: 'cpu', resume }, EVERY, 14);
    const other = (learners: readonly LearnerInput[], more: ReplayOptions) =>
      replay(log, learners, { ...options, device: 'cpu', resume, ...more });
    await expect(other(EVERY.slice(1), {})).rejects.toThrow(/belongs to another run[\s\S]*different learners/);
    await expect(other(EVERY, { seed: 12 })).rejects.toThrow(/different options/);
  });
});
