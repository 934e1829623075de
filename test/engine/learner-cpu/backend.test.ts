/** The CPU engine for learners: any number of threads gives the same answers; progress, interruption, failures. */
import { describe, expect, it } from 'vitest';
import type { ReplayJob, ReplayOutcome, ReplayRules } from '#dist/engine/learner-contract.js';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import { periodBlocks } from '#dist/estimate/blocks/block-makers.js';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import { totals } from '#dist/estimate/estimators/replay-totals.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { PURPOSE, WorldDraws } from '#dist/simulate/draws.js';
import { eachCase } from '../../long.js';
import { uniformLog } from '../../random-log.mjs';
import { statisticsDifference } from '../../statistics.js';
import { jobOf, scripted } from '../replay-jobs.js';

const log = uniformLog({ events: 3000, arms: 5, dimension: 3, seed: 1, pools: 4, payoff: { kind: 'steps', max: 9 } });
const LEARNERS: LearnerInput[] = [
  { algorithm: 'random' },
  { algorithm: 'epsilon-greedy', epsilon: [0.1, 0.5] },
  { algorithm: 'ucb1' },
  { algorithm: 'linucb', alpha: 1 },
];

async function on(threads: number, job: ReplayJob): Promise<ReplayOutcome> {
  const backend = new CpuReplayBackend({ threads, threadsFrom: 0 });
  try {
    return await backend.replay(job);
  } finally {
    await backend.close();
  }
}

function same(got: ReplayOutcome, needed: ReplayOutcome): void {
  expect(statisticsDifference(got.stats, needed.stats)).toBeNull();
  expect(got.consumed).toEqual(needed.consumed);
  expect(got.complete).toEqual(needed.complete);
  expect(got.retained).toEqual(needed.retained);
  expect(got.states).toEqual(needed.states);
}

describe('threads', () => {
  const RULES: readonly { name: string; long?: boolean; part: Partial<ReplayRules> }[] = [
    { name: '1, 2 and 3 give the same: Algorithm 2', part: {} },
    { name: '1, 2 and 3 give the same: Algorithm 1', part: { validEvents: 100 }, long: true },
    { name: '1, 2 and 3 give the same: a subsample', part: { subsample: 0.3 }, long: true },
    { name: '1, 2 and 3 give the same: epochs, learning from all', part: { updateEvery: 50, learnFrom: 'all' } },
  ];
  eachCase(RULES, async ({ part }) => {
    const job = await jobOf(log, LEARNERS, { ...part, repeats: 3, state: true, plan: runBlocks(log.events, 7) });
    const needed = await on(1, job);
    for (const threads of [2, 3]) same(await on(threads, job), needed);
  });

  it('serve key columns and times, and run objects from code beside them', async () => {
    const draws = new WorldDraws(3);
    const events = Array.from({ length: 400 }, (_, t) => t);
    const keyed = logFromColumns({
      armIndex: events.map((t) => draws.below(3, t, PURPOSE.randomLogging)),
      arms: 3,
      payoff: events.map((t) => draws.below(2, t, PURPOSE.randomPayoff)),
      keys: { segment: events.map((t) => (t % 2 === 0 ? 'even' : 'odd')), unused: events.map(String) },
      user: events.map((t) => `u${t}`),
      time: events.map((t) => (t * 7919) % 1000),
      timeUnit: 'ms',
    });
    const script = scripted(events.map((t) => t % 3));
    const learners: LearnerInput[] = [{ algorithm: 'semp', segment: 'segment' }, script.learner, { algorithm: 'emp' }];
    const job = await jobOf(keyed, learners, {
      repeats: 2,
      updateEvery: { period: 100 },
      plan: periodBlocks(keyed.time as Float64Array, 250),
    });
    const needed = await on(1, job);
    expect(needed.retained?.[2]?.length).toBeGreaterThan(50);
    same(await on(2, job), needed);
  });
});

describe('retained events', () => {
  it('come back for the replicas that are asked for, on any number of threads', async () => {
    const job = await jobOf(log, [...LEARNERS, scripted(new Array(3000).fill(2)).learner], { repeats: 2 });
    const { retained: all } = await on(1, job);
    const some = { ...job, keep: { retainedOf: new Set([1, 4, 10]), state: false } };
    const none = { ...job, keep: { retainedOf: 'none' as const, state: false } };
    for (const threads of [1, 2]) {
      const { retained } = await on(threads, some);
      expect(retained).toEqual(all?.map((events, row) => ([1, 4, 10].includes(row) ? events : null)));
      expect((await on(threads, none)).retained).toBeNull();
    }
  });
});

describe('block statistics', () => {
  it('add up to the retained events, whatever the blocks', async () => {
    for (const blocks of [1, 7, 3000]) {
      const job = await jobOf(log, LEARNERS, { repeats: 2, plan: runBlocks(log.events, blocks) });
      const { stats, retained } = await on(1, job);
      retained?.forEach((events, row) => {
        if (events === null) throw new Error(`replica ${row} has no retained events`);
        const payoff = events.reduce((sum, t) => sum + log.payoff.steps[t], 0);
        const square = events.reduce((sum, t) => sum + log.payoff.steps[t] ** 2, 0);
        expect(totals(stats, row)).toMatchObject({ matches: events.length, payoff, square, events: 3000 });
      });
    }
  });
});

describe('a run', () => {
  it('reports every event of every replica, on one thread and on several', async () => {
    for (const threads of [1, 2]) {
      const backend = new CpuReplayBackend({ threads, threadsFrom: 0 });
      let done = 0;
      const job = await jobOf(log, LEARNERS, { repeats: 20, validEvents: 20 });
      await backend.replay(job, { onProgress: (events) => (done += events) });
      await backend.close();
      expect(done).toBeLessThanOrEqual(100 * 3000);
      if (threads === 1) expect(done).toBe(100 * 3000);
      expect(backend.report).toMatchObject({ device: 'cpu', threads, decisions: 100 * 3000 });
    }
  });

  it('stops in the middle of a replica when it is told to', async () => {
    const long = uniformLog({ events: 400_000, arms: 5, dimension: 12, seed: 2 });
    for (const threads of [1, 2]) {
      const job = await jobOf(long, [{ algorithm: 'linucb', alpha: 1 }], { repeats: 50 });
      const backend = new CpuReplayBackend({ threads });
      const controller = new AbortController();
      const started = performance.now();
      setTimeout(() => controller.abort(new Error('enough')), 300);
      await expect(backend.replay(job, { signal: controller.signal })).rejects.toThrow('enough');
      expect(performance.now() - started).toBeLessThan(5000);
      await backend.close();
    }
  });

  it('passes on what a learner from code throws', async () => {
    const learner: LearnerInput = {
      name: 'broken',
      create: () => ({
        choose() {
          throw new TypeError('no such thing');
        },
        update() {},
      }),
    };
    await expect(on(2, await jobOf(log, [learner, { algorithm: 'ucb1' }]))).rejects.toThrow('no such thing');
  });

  it('makes a fresh learner for every replica and leaves the log as it was', async () => {
    let made = 0;
    const learner: LearnerInput = {
      name: 'counts',
      create: () => {
        made++;
        let updates = 0;
        return { choose: () => updates++ % 5, update() {}, state: () => ({ updates }) };
      },
    };
    const before = structuredClone(log);
    const { states } = await on(1, await jobOf(log, [learner], { repeats: 4, state: true }));
    expect(made).toBe(4);
    expect(states).toEqual(new Array(4).fill({ updates: 3000 }));
    expect(log).toEqual(before);
  });
});
