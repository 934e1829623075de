import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Archive } from '#dist/archive.js';
import { ALGORITHMS } from '#dist/learner/algorithms.js';
import type { LearnerInput } from '#dist/learner/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { streamOf } from '#dist/log/stream-of.js';
import { type ReplayOptions, replay } from '#dist/replay.js';
import type { ReplayResult } from '#dist/report/replay-result.js';
import { ADAPTER } from '../adapter.js';
import { streamLog } from './stream-log.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-replay-'));

const MORE: Readonly<Record<string, object>> = {
  'epsilon-greedy': { epsilon: 0.2 },
  'epoch-greedy': { segment: 'segment', exploit: 3 },
  semp: { segment: 'segment' },
  exp4: {
    experts: [
      { family: 'constant' },
      { family: 'uniform' },
      { family: 'table', keys: ['device'], tables: [{ choices: { phone: 2 }, default: 1 }] },
    ],
  },
  'gamma-poisson': { discount: 0.9, periodEvents: 20 },
};

/** Every algorithm of the table. */
const EVERY: readonly LearnerInput[] = ALGORITHMS.map(({ name }) => ({ algorithm: name, ...MORE[name] }));
/** Those that may learn from events that they did not choose. */
const FED = EVERY.filter((_, i) => ALGORITHMS[i].weighsByOwnChoice !== true);

const everything: ReplayOptions = {
  repeats: 2,
  seed: 11,
  replicas: true,
  retained: true,
  state: true,
  blockStatistics: true,
};

/** A result without what a run takes and is called. */
function bare(result: ReplayResult) {
  const { device, decisions, verified, onCpu } = result.engine;
  return { ...result, engine: { device, decisions, verified, onCpu } };
}

async function expectSame(
  log: EventLog,
  learners: readonly LearnerInput[],
  options: ReplayOptions,
  sizes: readonly number[],
) {
  const whole = bare(await replay(log, learners, options));
  for (const stretchEvents of sizes) {
    const streamed = bare(await replay(streamOf(log), learners, { ...options, stretchEvents }));
    expect(streamed, `stretches of ${stretchEvents}`).toEqual(whole);
  }
  return whole;
}

const L = 260;
const log = streamLog({ events: L });
const SIZES = [1, 7, 63, 64, 65, L - 1, L, L + 1];

describe('every algorithm on the CPU', () => {
  const cpu = { ...everything, device: 'cpu', threads: 1 } as const;

  it('gives the replicas, states and retained rows of the whole log for every stretch size', async () => {
    const whole = await expectSame(log, EVERY, cpu, SIZES);
    for (const { matches } of whole.learners) expect(matches).toBeGreaterThan(10);
  });

  it.each([
    ['a subsample, Algorithm 1, blocks of users', { subsample: 0.6, validEvents: 30, blocks: { users: 7 } }, EVERY],
    ['updates every 10 events', { updateEvery: 10 }, EVERY],
    ['updates every 100 events, Algorithm 1', { updateEvery: 100, validEvents: 25, subsample: 0.8 }, EVERY],
    ['updates every 20 events, Algorithm 1', { updateEvery: 20, validEvents: 25 }, EVERY],
    ['updates by the hour', { updateEvery: { period: 3_600_000 }, blocks: { period: 7_200_000 } }, EVERY],
    ['learning from all', { learnFrom: 'all', subsample: 0.9 }, FED],
    ['learning from all, updates by the hour', { learnFrom: 'all', updateEvery: { period: 3_600_000 } }, FED],
    ['verification of every decision', { verify: true, updateEvery: 30 }, EVERY],
  ] as const)('with %s', async (_, options, learners) => {
    await expectSame(log, learners, { ...cpu, ...options }, [1, 7, 33, 64]);
  });

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

  it('with threads', async () => {
    // Enough work that threads are used: see THREADS_PAY_FROM.
    const many = { device: 'cpu', repeats: 40, threads: 2, subsample: 0.7, state: true, updateEvery: 500 } as const;
    const long = streamLog({ events: 20_000 });
    const learners = [{ algorithm: 'linucb' }, { algorithm: 'linrel' }, { algorithm: 'glm-ucb' }, { algorithm: 'emp' }];
    await expectSame(long, learners, many, [7001]);
  });
});

describe(`every kernel on the GPU (${ADAPTER})`, () => {
  const gpu = { ...everything, device: 'gpu', adapter: ADAPTER } as const;

  it.each([
    ['at once', {}],
    ['with a subsample and Algorithm 1', { subsample: 0.7, validEvents: 30, blocks: { users: 7 } }],
    ['with updates every 50 events', { updateEvery: 50 }],
  ] as const)('and learners without one beside it, %s', async (_, options) => {
    const whole = await expectSame(log, EVERY, { ...gpu, ...options }, [64, 101]);
    expect(whole.engine.verified?.passed).toBe(true);
  });

  it('learning from all', async () => {
    await expectSame(log, FED, { ...gpu, learnFrom: 'all', updateEvery: { period: 3_600_000 } }, [101]);
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
      /learner "counting" cannot be taken from one stretch[\s\S]*carry\(archive\)/,
    );
    await expect(replay(log, [counting(false)], { device: 'cpu', memory: '1GB' })).resolves.toBeDefined();
  });
});

describe('a replay that is interrupted', () => {
  const options = { ...everything, threads: 1, updateEvery: 40, subsample: 0.9, verify: 4 } as const;

  /** Runs until `reads` stretches were read, as if the process had ended there. */
  async function interrupted(more: ReplayOptions, learners: readonly LearnerInput[], reads: number): Promise<void> {
    const whole = streamOf(log);
    let left = reads;
    const stream = {
      ...whole,
      read: (from: number, to: number, signal?: AbortSignal) => {
        if (left-- === 0) throw new Error('the power is out');
        return whole.read(from, to, signal);
      },
    };
    const run = replay(stream, learners, { ...options, ...more, stretchEvents: 32, checkpointEvery: 0 });
    await expect(run).rejects.toThrow('the power is out');
  }

  it.each([3, 9, 11, 14, 18, 22, 26, 30])(
    'ends with the result of one that is not, after %i reads (CPU)',
    async (reads) => {
      const resume = join(folder, `cpu-${reads}`);
      const cpu = { ...options, device: 'cpu' } as const;
      await interrupted({ device: 'cpu', resume }, EVERY, reads);
      const resumed = await replay(streamOf(log), EVERY, { ...cpu, stretchEvents: 50, resume });
      expect(bare(resumed)).toEqual(bare(await replay(log, EVERY, cpu)));
      expect(() => readFileSync(resume)).toThrow(/ENOENT/);
    },
  );

  it.each([14, 20])('ends with the result of one that is not, after %i reads (GPU)', async (reads) => {
    const resume = join(folder, `gpu-${reads}`);
    const gpu = { device: 'gpu', adapter: ADAPTER } as const;
    const learners = [...EVERY.slice(0, 3), { algorithm: 'linucb' }, { algorithm: 'exp3' }];
    await interrupted({ ...gpu, resume }, learners, reads);
    if (reads === 14) {
      const other = replay(streamOf(log), learners, { ...options, device: 'cpu', stretchEvents: 50, resume });
      await expect(other).rejects.toThrow(/another kind of engine[\s\S]*--device gpu/);
    }
    const resumed = await replay(streamOf(log), learners, { ...options, ...gpu, stretchEvents: 50, resume });
    expect(bare(resumed)).toEqual(bare(await replay(log, learners, { ...options, ...gpu })));
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
