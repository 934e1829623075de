/** Verification of replays: honest outcomes pass under every rule, and whatever is tampered with is found and named. */
import { describe, expect, it } from 'vitest';
import type { ReplayJob, ReplayOutcome } from '#dist/engine/learner-contract.js';
import { CpuReplayBackend } from '#dist/engine/learner-cpu/backend.js';
import { type Verification, verifyReplay } from '#dist/engine/verify/learners.js';
import { periodBlocks, userBlocks } from '#dist/estimate/blocks/block-makers.js';
import { blockEvents, runBlocks } from '#dist/estimate/blocks/blocks.js';
import { userHashes } from '#dist/estimate/blocks/user-hash.js';
import { addMatch } from '#dist/estimate/estimators/replay-totals.js';
import { Draws } from '#dist/learner/draws.js';
import type { LearnerInput } from '#dist/learner/set/learner-set.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { uniformLog } from '../../random-log.mjs';
import { jobOf, scripted } from '../replay-jobs.js';

const EVENTS = 1500;

/** Contexts, segments, times, users, candidate sets of 1 to 4 of 4 arms. */
function logOf(most: number): EventLog {
  const draws = new Draws(21, 0, 0);
  const pools = [[0, 1, 2, 3], [1, 3], [0, 1, 2], [2]];
  const every = Array.from({ length: EVENTS }, (_, t) => t);
  const pool = every.map((t) => draws.index(t, 4, 1));
  return logFromColumns({
    arms: 4,
    armIndex: every.map((t) => pools[pool[t]][draws.index(t, pools[pool[t]].length, 2)]),
    payoff: every.map((t) => draws.index(t, most + 1, 3)),
    payoffRange: [0, most],
    context: every.map((t) => [draws.unit(t, 4), draws.unit(t, 5), 1]),
    candidates: { pools, pool },
    keys: { segment: every.map((t) => `s${draws.index(t, 3, 6)}`) },
    time: every.map((t) => t * 1000),
    timeUnit: 'ms',
    user: every.map((t) => `u${draws.index(t, 40, 7)}`),
    armFeatures: [
      [0, 1],
      [1, 1],
      [1, 0],
      [0, 0],
    ],
  });
}

const log = logOf(1);
const users = log.user as NonNullable<EventLog['user']>;
const LEARNERS: LearnerInput[] = [
  { algorithm: 'random' },
  { algorithm: 'epsilon-greedy', epsilon: 0.2 },
  { algorithm: 'epoch-greedy', exploit: 3 },
  { algorithm: 'semp', segment: 'segment' },
  { algorithm: 'ucb1' },
  { algorithm: 'thompson' },
  { algorithm: 'linucb', alpha: 0.5 },
  { algorithm: 'linucb-hybrid', alpha: 0.5 },
  { algorithm: 'lin-thompson' },
];
const WEIGHING: LearnerInput[] = [
  { algorithm: 'exp3' },
  { algorithm: 'exp4', experts: [{ family: 'constant' }, { family: 'uniform' }] },
];

async function replayed(job: ReplayJob): Promise<ReplayOutcome> {
  return await new CpuReplayBackend({ threads: 1 }).replay(job);
}

type Options = Partial<Parameters<typeof verifyReplay>[2]>;
const check = (job: ReplayJob, outcome: ReplayOutcome, options: Options = {}): Promise<Verification> =>
  verifyReplay(job, outcome, { replicas: job.replicas.length, every: true, tolerance: 1e-6, ...options });

/** The outcome with other retained events of one replica, statistics and counts as these make them. */
function restated(job: ReplayJob, outcome: ReplayOutcome, row: number, list: number[]): ReplayOutcome {
  const { plan, rules } = job;
  const stats = structuredClone(outcome.stats);
  for (let b = 0; b < plan.blocks; b++) {
    const at = row * plan.blocks + b;
    const [from, to] = [plan.starts[b], plan.starts[b + 1]];
    const inside = list.filter((t) =>
      plan.order === null ? t >= from && t < to : plan.order.subarray(from, to).includes(t),
    );
    for (const column of [stats.matches, ...stats.columns]) column[at] = 0;
    for (const t of inside) addMatch(stats, at, job.log.payoff.steps[t]);
  }
  const retained = (outcome.retained ?? []).map((events, i) => (i === row ? Uint32Array.from(list) : events));
  const complete = outcome.complete.slice();
  complete[row] = rules.validEvents === null || list.length === rules.validEvents ? 1 : 0;
  return { ...outcome, stats, retained, complete };
}

const listOf = (outcome: ReplayOutcome, row = 0): number[] => [...(outcome.retained?.[row] ?? [])];

describe('an honest outcome passes', () => {
  it.each<[string, Parameters<typeof jobOf>[2], LearnerInput[]]>([
    ['Algorithm 2', {}, WEIGHING],
    ['Algorithm 1', { validEvents: 100 }, WEIGHING],
    ['Algorithm 1, the log ends first', { validEvents: 5000 }, WEIGHING],
    ['a subsample', { subsample: 0.4 }, WEIGHING],
    ['epochs of events', { updateEvery: 40 }, WEIGHING],
    ['epochs of time', { updateEvery: { period: 70_000 }, subsample: 0.7 }, WEIGHING],
    ['learning from all', { learnFrom: 'all' }, []],
    ['learning from all in epochs, Algorithm 1', { learnFrom: 'all', updateEvery: 7, validEvents: 300 }, []],
    ['blocks by period', { plan: periodBlocks(log.time as Float64Array, 100_000) }, []],
    ['blocks by user', { plan: userBlocks(users.code, 9, userHashes(users.levels)) }, []],
  ])('%s', async (_, part, more) => {
    const job = await jobOf(log, [...LEARNERS, ...more], { ...part, repeats: 2 });
    const outcome = await replayed(job);
    const consumed = outcome.consumed.reduce((a, b) => a + b);
    const matches = outcome.stats.matches.reduce((a, b) => a + b);
    expect(matches).toBeGreaterThan(1000);
    for (const every of [true, false]) {
      const asked = every || job.rules.learnFrom === 'all';
      expect(await check(job, outcome, { every, tolerance: 0 })).toEqual({
        ...{ replicas: job.replicas.length, decisions: asked ? consumed : matches, every: asked, tolerance: 0 },
        ...{ differing: 0, beyond: 0, largest: 0, broken: 0, passed: true, first: null },
      });
    }
  });

  it('with payoffs whose squares count', async () => {
    const job = await jobOf(logOf(1000), [{ algorithm: 'ucb1' }, { algorithm: 'random' }], { repeats: 2 });
    expect(await check(job, await replayed(job))).toMatchObject({ passed: true, replicas: 4 });
  });

  it('on an empty log, and without a match', async () => {
    const empty = logFromColumns({ armIndex: [], arms: 2, payoff: [] });
    const none = await jobOf(empty, [{ algorithm: 'ucb1' }], { repeats: 3 });
    expect(await check(none, await replayed(none))).toMatchObject({ replicas: 3, decisions: 0, passed: true });
    const never = scripted(Array.from(log.arm, (arm) => (arm + 1) % 4)).learner;
    const job = await jobOf(log, [never]);
    const outcome = await replayed(job);
    expect(await check(job, outcome)).toMatchObject({ decisions: EVENTS, passed: true });
    expect(await check(job, outcome, { every: false })).toMatchObject({ decisions: 0, passed: true });
  });
});

describe('retained events that are not those of the learner', () => {
  it.each([
    ['random', { algorithm: 'random' }],
    ['linucb alpha=0.5', { algorithm: 'linucb', alpha: 0.5 }],
  ] as const)('are found: one too few, one too many, one moved; %s', async (name, learner) => {
    const job = await jobOf(log, [learner], { plan: runBlocks(EVENTS, 7) });
    const outcome = await replayed(job);
    const list = listOf(outcome);
    const [gone] = list.splice(40, 1);
    const dropped = restated(job, outcome, 0, list);
    const missed = await check(job, dropped);
    expect(missed).toMatchObject({ passed: false, broken: 0 });
    expect(missed.beyond).toBeGreaterThanOrEqual(1);
    expect(missed.first).toMatch(
      new RegExp(
        `^${name}, replica 0, event ${gone}: not retained, but computed anew arm "${log.arm[gone]}" is the choice`,
      ),
    );

    const added = listOf(outcome);
    const at = added.findIndex((t, i) => i > 40 && added[i + 1] > t + 1);
    const extra = added[at] + 1;
    added.splice(at + 1, 0, extra);
    for (const every of [true, false]) {
      const found = await check(job, restated(job, outcome, 0, added), { every });
      expect(found).toMatchObject({ passed: false, broken: 0, every });
      expect(found.first).toMatch(new RegExp(`, event ${extra}: retained, but computed anew arm .* is not the choice`));
    }

    const moved = listOf(outcome);
    moved[at] = extra;
    const both = await check(job, restated(job, outcome, 0, moved));
    expect(both.passed).toBe(false);
    expect(both.beyond).toBeGreaterThanOrEqual(2);
  });

  it('are not seen at retained events alone where one is missing and no state depends on it', async () => {
    const job = await jobOf(log, [{ algorithm: 'random' }]);
    const outcome = await replayed(job);
    const dropped = restated(job, outcome, 0, listOf(outcome).slice(1));
    expect(await check(job, dropped, { every: false })).toMatchObject({ passed: true });
    expect(await check(job, dropped)).toMatchObject({ passed: false, differing: 1, beyond: 1, largest: 0 });
  });

  it('are judged one by one: an engine that took one decision the other way, and went on from there, has one', async () => {
    for (const entry of [{ algorithm: 'linucb', alpha: 0.5 }, { algorithm: 'lin-thompson' }] as const) {
      const job = await jobOf(log, [entry]);
      const honest = await replayed(job);
      for (const t of [listOf(honest)[30], listOf(honest)[30] + 1]) {
        const turned: LearnerInput = {
          name: 'turned',
          create(...args) {
            const one = job.settings[0].create(...args);
            return {
              choose: (event, set) =>
                (one.choose(event, set) === log.arm[event]) === (event !== t) ? log.arm[event] : 99,
              update: (...event) => one.update(...event),
            };
          },
        };
        const outcome = await replayed(await jobOf(log, [turned]));
        expect(listOf(outcome).includes(t)).toBe(!listOf(honest).includes(t));
        const found = await check(job, outcome);
        expect(found).toMatchObject({ differing: 1, beyond: 1, broken: 0, decisions: EVENTS });
        expect(found.first).toContain(`, event ${t}: `);
      }
    }
  });

  it('name rows of the files, and count nothing that rounding cannot change as a difference of scores', async () => {
    const rows = { ...log, sourceRow: Float64Array.from(log.arm, (_, t) => 10 * t) as never };
    const job = await jobOf(rows, [{ algorithm: 'ucb1' }]);
    const outcome = await replayed(job);
    // No arm was tried at event 0, so arm 0 of its candidates comes first; an event before the first retained one is none.
    const [first] = listOf(outcome);
    const { first: text, largest, beyond } = await check(job, restated(job, outcome, 0, listOf(outcome).slice(1)));
    expect(text).toContain(`event ${first} (row ${10 * first}): not retained, but computed anew arm`);
    expect(text).toMatch(/is the choice, and no rounding changes that$/);
    expect(beyond).toBeGreaterThan(0);
    expect(Number.isFinite(largest)).toBe(true);
  });
});

describe('near-ties', () => {
  it('are differences within the tolerance, and failures beyond it', async () => {
    const long = uniformLog({ events: 20_000, arms: 4, dimension: 3, seed: 5 });
    const outcome = await replayed(
      await jobOf(long, [{ algorithm: 'linucb', alpha: 1 }], { repeats: 2, subsample: 0.9 }),
    );
    const other = await jobOf(long, [{ algorithm: 'linucb', alpha: 1.001 }], { repeats: 2, subsample: 0.9 });
    const strict = await check(other, outcome, { tolerance: 0 });
    expect(strict.differing).toBeGreaterThan(3);
    expect(strict).toMatchObject({ beyond: strict.differing, passed: false, broken: 0 });
    expect(strict.largest).toBeGreaterThan(1e-6);
    // α enters a score as α √(xᵀA⁻¹x) ≤ α ‖x‖, so 0.001 more moves no difference of scores by more than 0.001 max ‖x‖.
    const norm = Math.max(
      ...Array.from({ length: 20_000 }, (_, t) => Math.hypot(...long.contexts.values.subarray(3 * t, 3 * t + 3))),
    );
    expect(strict.largest).toBeLessThan(0.001 * norm);
    const wide = await check(other, outcome, { tolerance: strict.largest });
    expect(wide).toEqual({ ...strict, tolerance: strict.largest, beyond: 0, passed: true, first: null });
    const narrow = await check(other, outcome, { tolerance: strict.largest * 0.999999 });
    expect(narrow).toMatchObject({ differing: strict.differing, beyond: 1, passed: false });
    expect(narrow.first).toMatch(
      new RegExp(`^linucb alpha=1\\.001, replica [01], event \\d+: .*, by ${Number(strict.largest.toPrecision(3))}$`),
    );
    const some = await check(other, outcome, { tolerance: 0, every: false });
    expect(some.differing).toBeLessThan(strict.differing);
  });

  it('are no excuse where a margin is no number', async () => {
    const odd: LearnerInput = {
      name: 'odd',
      create: () => ({ choose: () => 0, update() {}, margin: () => Number.NaN }),
    };
    const outcome = await replayed(await jobOf(log, [scripted(new Array(EVENTS).fill(1)).learner]));
    const found = await check(await jobOf(log, [odd]), outcome, { tolerance: 1e9 });
    expect(found).toMatchObject({ passed: false, largest: 0, beyond: found.differing });
  });
});

describe('statistics that are not those of the retained events', () => {
  const part = { repeats: 2, plan: runBlocks(EVENTS, 5), subsample: 0.8 };

  it.each(['matches', 'payoff', 'payoff²'])('are found: %s off by one', async (field) => {
    const job = await jobOf(logOf(9), [{ algorithm: 'random' }, { algorithm: 'ucb1' }], part);
    const outcome = await replayed(job);
    const stats = structuredClone(outcome.stats);
    const column = [stats.matches, ...stats.columns][
      ['matches', ...stats.kinds.map(({ name }) => name)].indexOf(field)
    ];
    const right = column[2 * 5 + 3]++;
    const found = await check(job, { ...outcome, stats }, { every: false });
    expect(found).toMatchObject({ passed: false, broken: 1, differing: 0, replicas: 4 });
    expect(found.first).toBe(`ucb1, replica 0: block 3, ${field}: ${right + 1}, but its retained events give ${right}`);
    // Another replica's numbers are its own.
    expect(await check(job, { ...outcome, stats }, { replicas: [0, 1, 3] })).toMatchObject({
      passed: true,
      replicas: 3,
    });
  });

  it('are found: events consumed, and whether T was reached', async () => {
    const job = await jobOf(log, [{ algorithm: 'ucb1' }], { ...part, validEvents: 50 });
    const outcome = await replayed(job);
    const consumed = outcome.consumed.slice();
    const right = consumed[1]--;
    expect(await check(job, { ...outcome, consumed })).toMatchObject({
      passed: false,
      first: `ucb1, replica 1: ${right - 1} events consumed, but its retained events mean ${right}`,
    });
    const complete = outcome.complete.slice();
    complete[0] = 0;
    expect((await check(job, { ...outcome, complete })).first).toBe(
      'ucb1, replica 0: called incomplete with 50 retained events',
    );
    // Stopped before the T-th match, and called complete.
    const early = restated(job, outcome, 0, listOf(outcome).slice(0, -1));
    expect((await check(job, early)).passed).toBe(false);
  });
});

describe('lists that no replica retains', () => {
  it.each<[string, (list: number[]) => number[], RegExp]>([
    ['not ascending', (list) => [list[1], list[0], ...list.slice(2)], /not ascending: \d+ and then \d+/],
    ['one twice', (list) => [...list.slice(0, 5), list[4], ...list.slice(5)], /not ascending/],
    ['the last one twice', (list) => [...list, list[list.length - 1]], /not ascending/],
    ['beyond the log', (list) => [...list, EVENTS], /retained event 1500 is beyond the log/],
  ])('%s', async (_, change, message) => {
    const job = await jobOf(log, [{ algorithm: 'ucb1' }]);
    const outcome = await replayed(job);
    const found = await check(job, restated(job, outcome, 0, change(listOf(outcome))), { every: false });
    expect(found).toMatchObject({ passed: false, broken: 1, beyond: 0 });
    expect(found.first).toMatch(message);
  });

  it('outside the subsample', async () => {
    const job = await jobOf(log, [{ algorithm: 'random' }], { subsample: 0.5 });
    const outcome = await replayed(job);
    const whole = await replayed(await jobOf(log, [{ algorithm: 'random' }]));
    const stray = listOf(whole).find((t) => !listOf(outcome).includes(t)) ?? Number.NaN;
    const list = [...listOf(outcome), stray].sort((a, b) => a - b);
    const found = await check(job, restated(job, outcome, 0, list));
    expect(found).toMatchObject({ passed: false, broken: 1 });
    expect(found.first).toBe(`random, replica 0: retained event ${stray} is not in the subsample`);
  });

  it('after the T-th', async () => {
    const job = await jobOf(log, [{ algorithm: 'random' }], { validEvents: 20 });
    const outcome = await replayed(job);
    const whole = await replayed(await jobOf(log, [{ algorithm: 'random' }]));
    const longer = restated(job, outcome, 0, listOf(whole).slice(0, 21));
    expect((await check(job, longer)).first).toBe('random, replica 0: 21 events are retained, and the first 20 end it');
  });

  it('not returned at all', async () => {
    const job = await jobOf(log, [{ algorithm: 'random' }], { repeats: 2 });
    const outcome = await replayed(job);
    expect(await check(job, { ...outcome, retained: null })).toMatchObject({ broken: 2, decisions: 0, passed: false });
    const first = { ...outcome, retained: [outcome.retained?.[0] ?? null, null] };
    expect((await check(job, first)).first).toBe('random, replica 1: its retained events were not returned');
  });
});

describe('a long verification', () => {
  const long = uniformLog({ events: 300_000, arms: 5, dimension: 12, seed: 2 });

  it('reports every event and can be stopped', async () => {
    const job = await jobOf(long, [{ algorithm: 'linucb', alpha: 1 }], { validEvents: 50 });
    const outcome = await replayed(job);
    let done = 0;
    await check(job, outcome, { onProgress: (events) => (done += events) });
    expect(done).toBe(300_000);
    const whole = await jobOf(long, [{ algorithm: 'linucb', alpha: 1 }], { plan: runBlocks(300_000, 3) });
    const controller = new AbortController();
    const started = performance.now();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    const none = { ...outcome, stats: { ...outcome.stats, events: blockEvents(whole.plan) } };
    await expect(check(whole, none, { signal: controller.signal })).rejects.toThrow('enough');
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('does not start where it is not wanted any more', async () => {
    const job = await jobOf(log, [{ algorithm: 'random' }]);
    const outcome = await replayed(job);
    await expect(check(job, outcome, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
  });
});
