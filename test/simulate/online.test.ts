/** Live visits: what a policy or learner earns on them is its true value up to the luck of clicks. */
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { emp, epsilonGreedy, linucb, random, semp } from '#dist/learner/set/entries.js';
import type { PolicyInput } from '#dist/policy/families.js';
import { policyFunctions } from '#dist/policy/functions.js';
import { online } from '#dist/simulate/online.js';
import { simulate } from '#dist/simulate/simulate.js';
import { World } from '#dist/simulate/world/world.js';
import { candidates } from './bytes.js';

const options = { seed: 11, days: 2 } as const;
const VISITS = 20_000;
const world = simulate({ events: VISITS, ...options });
const constant: PolicyInput = { family: 'constant', arms: ['100005'] };

describe('a fixed policy', () => {
  it('earns its true value: expected is that of the same visits, exactly, and clicks follow it', async () => {
    const fresh = simulate({ events: VISITS, ...options, traffic: 1 });
    const [truth] = await fresh.trueValues([constant]);
    const live = await online(world, constant, VISITS);
    expect(live.visits).toBe(VISITS);
    expect(live.views).toBe(truth.visits);
    expect(live.expected).toBeCloseTo(truth.perVisit as number, 12);
    const p = truth.perVisit as number;
    expect(Math.abs((live.value as number) - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / live.views));
    // Another article's views there would be a fault: this one has all.
    expect(live.articles.filter(({ views }) => views > 0)).toEqual([
      { id: '100005', views: live.views, clicks: live.clicks },
    ]);
  });

  it('meets other visits of another traffic, and the same ones of the same', async () => {
    const one = await online(world, constant, VISITS, { traffic: 5 });
    expect(await online(world, constant, VISITS, { traffic: 5 })).toEqual(one);
    expect((await online(world, constant, VISITS)).clicks).not.toBe(one.clicks);
    expect(await online(new World(options), constant, VISITS, { traffic: 5 })).toEqual(one);
  });

  it('is tallied by period, a day or another', async () => {
    const newest = policyFunctions({ newest: (_, page) => page[page.length - 1] });
    const days = await online(world, newest, VISITS);
    const hours = await online(world, newest, VISITS, { period: 3_600_000 });
    expect(days.periods.map(({ start }) => start)).toEqual([world.start, world.start + 86_400_000]);
    expect(hours.periods.length).toBe(48);
    for (const [d, day] of days.periods.entries()) {
      const within = hours.periods.slice(24 * d, 24 * d + 24);
      expect(within.reduce((sum, { views }) => sum + views, 0)).toBe(day.views);
      expect(within.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(day.clicks);
    }
    expect(days.periods.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(days.clicks);
    expect(days.articles.reduce((sum, { views }) => sum + views, 0)).toBe(VISITS);
  });

  it('earns what editors leave it: a hidden factor a day', async () => {
    const ruled = simulate({ events: 10, ...options, businessRules: 0.4 });
    const newest = policyFunctions({ newest: (_, page) => page[page.length - 1] });
    const factors = [ruled.businessRule(0), ruled.businessRule(1)];
    expect(factors[0]).not.toBe(factors[1]);
    for (const factor of factors) expect(Math.abs(factor - 1)).toBeLessThanOrEqual(0.4);
    expect([world.businessRule(0), world.businessRule(1)]).toEqual([1, 1]);
    // The log knows nothing of it.
    expect(ruled.clickProbability(3, 3)).toBe(simulate({ events: 10, ...options }).clickProbability(3, 3));
    const many = 200_000;
    const [free, bound] = await Promise.all([online(world, newest, many), online(ruled, newest, many)]);
    for (const [day, factor] of factors.entries()) {
      const rate = ({ periods }: typeof free): number => periods[day].clicks / periods[day].views;
      // Rates of about 0.03 over 100,000 views: a standard error of 2 %.
      expect(Math.abs(rate(bound) / rate(free) / factor - 1)).toBeLessThan(0.1);
    }
  });
});

describe('a learner', () => {
  it('is fed every visit it serves, at once', async () => {
    const seen: [event: number, arm: number, payoff: number][] = [];
    const mine = {
      name: 'mine',
      create: () => ({
        choose: (event: number, page: { arms: Uint32Array; from: number }) => {
          expect(seen.length).toBe(event);
          return page.arms[page.from];
        },
        update: (event: number, arm: number, payoff: number) => void seen.push([event, arm, payoff]),
      }),
    };
    const live = await online(world, mine, 3000);
    expect(live.name).toBe('mine');
    expect(seen.map(([event]) => event)).toEqual(Array.from({ length: 3000 }, (_, t) => t));
    expect(seen.reduce((sum, [, , payoff]) => sum + payoff, 0)).toBe(live.clicks);
  });

  it.each([
    ['visits', 500, (event: number) => Math.floor(event / 500) * 500],
    ['time', { period: 3_600_000 }, null],
  ] as const)('is fed in one go after a number of %s', async (_, updateEvery, learnt) => {
    const fresh = simulate({ events: 3000, ...options, traffic: 1 });
    const period = (t: number): number => Math.floor((fresh.log.time?.[t] as number) / 3_600_000);
    let seen = 0;
    const mine = {
      name: 'mine',
      create: () => ({
        choose: (event: number, page: { arms: Uint32Array; from: number }) => {
          if (learnt !== null) expect(seen).toBe(learnt(event));
          else if (seen > 0) expect(period(seen - 1)).toBeLessThan(period(event));
          if (learnt === null && event > 0) expect(period(seen)).toBe(period(event));
          return page.arms[page.from];
        },
        update: () => void seen++,
      }),
    };
    await online(world, mine, 3000, { updateEvery });
    expect(seen).toBe(3000);
  });

  it('may learn from the exploration log instead, of what has happened by then and nothing else', async () => {
    const clock: number[] = [];
    let now = 0;
    const mine = {
      name: 'mine',
      create: (log: { time: Float64Array | null }) => ({
        choose: (event: number, page: { arms: Uint32Array; from: number }) => {
          now = log.time?.[event] as number;
          return page.arms[page.from];
        },
        update: (event: number, arm: number, payoff: number) => {
          clock.push(log.time?.[event] as number);
          const t = clock.length - 1;
          expect([arm, payoff]).toEqual([world.log.arm[t], world.log.payoff.steps[t]]);
          if (clock.length < VISITS) expect(now).toBeLessThanOrEqual(clock[t] + 60_000);
        },
      }),
    };
    const live = await online(world, mine, 5000, { learnFrom: 'log' });
    expect(live.views).toBe(5000);
    expect(clock).toEqual([...(world.log.time as Float64Array)]);
  });

  it('learns: ε-greedy and LinUCB earn more than chance, EMP fed by the log more still', async () => {
    const visits = 40_000;
    const earns = async (...args: [Parameters<typeof online>[1], Parameters<typeof online>[3]?]): Promise<number> =>
      (await online(world, args[0], visits, args[1])).expected as number;
    const chance = await earns(random());
    expect(await earns(epsilonGreedy({ epsilon: 0.1 }))).toBeGreaterThan(1.05 * chance);
    expect(await earns(linucb({ alpha: 0.2 }))).toBeGreaterThan(1.05 * chance);
    const served = { updateEvery: { period: 300_000 }, learnFrom: 'log' } as const;
    expect(await earns(emp({ priorTrials: 100, priorPayoff: 3 }), served)).toBeGreaterThan(1.1 * chance);
    expect(await earns(semp({ segment: 'segment', priorTrials: 100, priorPayoff: 3 }), served)).toBeGreaterThan(
      1.02 * chance,
    );
  });

  it('has a state on request, and draws of its own by seed and run', async () => {
    const views = (run: number): Promise<number[]> =>
      online(world, random(), 2000, { run, seed: 3 }).then(({ articles }) => articles.map((a) => a.views));
    expect(await views(0)).toEqual(await views(0));
    expect(await views(1)).not.toEqual(await views(0));
    const { state } = await online(world, emp(), 100, { state: true });
    expect(state).toHaveProperty('trials');
    expect((await online(world, emp(), 100)).state).toBeNull();
  });

  it('serves each visit from its own page', async () => {
    const fresh = simulate({ events: 2000, ...options, traffic: 1 });
    const pages: number[][] = [];
    const mine = {
      name: 'mine',
      create: () => ({
        choose: (_: number, page: { arms: Uint32Array; from: number; to: number }) => {
          pages.push([...page.arms.subarray(page.from, page.to)]);
          return page.arms[page.from];
        },
        update: () => {},
      }),
    };
    await online(world, mine, 2000);
    expect(pages).toEqual(Array.from({ length: 2000 }, (_, t) => candidates(fresh.log, t)));
  });
});

describe('refusals', () => {
  it.each([
    [{ family: 'constant' }, {}, /one at a time/],
    [epsilonGreedy({ epsilon: [0.1, 0.2] }), {}, /one at a time/],
    [{ algorithm: 'nobody' }, {}, /unknown algorithm/],
    [emp(), { updateEvery: 0 }, /updateEvery/],
    [emp(), { updateEvery: { period: 0 } }, /updateEvery/],
    [emp(), { learnFrom: 'all' as never }, /learnFrom/],
    [emp(), { seed: -1 }, /seed/],
    [emp(), { run: 0.5 }, /run/],
    [emp(), { period: 0 }, /period/],
    [emp(), { traffic: 0 }, /those of the world's log/],
    [constant, { learnFrom: 'log' }, /a fixed policy learns nothing/],
    [{ name: 'stray', create: () => ({ choose: () => 10_000, update: () => {} }) }, {}, /not on the page/],
  ] as const)('%o with %o', async (entry, given, message) => {
    const run = online(world, entry as Parameters<typeof online>[1], 100, given);
    await expect(run).rejects.toThrow(InputError);
    await expect(run).rejects.toThrow(message);
  });

  it('a world without a log to learn from, and a signal', async () => {
    await expect(online(new World(options), emp(), 10, { learnFrom: 'log' })).rejects.toThrow(/no log to learn from/);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(online(world, emp(), 10, { signal })).rejects.toThrow('stop');
  });
});
