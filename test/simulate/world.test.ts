/** The simulated world: what its users, articles, pages and clicks are like, and that all of it follows from the seed. */
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { simulate } from '#dist/simulate/simulate.js';
import { expOfNegative } from '#dist/simulate/world/exp.js';
import { DAY, HOUR } from '#dist/simulate/world/options.js';
import { World } from '#dist/simulate/world/world.js';
import { bytesOf, candidates } from './bytes.js';

const EVENTS = 20_000;
const r6a = simulate({ events: EVENTS, seed: 7 });
const r6b = simulate({ events: EVENTS, seed: 7, kind: 'r6b' });
const epsilonGreedy = simulate({
  events: EVENTS,
  seed: 7,
  logging: { policy: 'epsilon-greedy', epsilon: 0.3 },
});
const softmax = simulate({ events: EVENTS, seed: 7, logging: { policy: 'softmax', temperature: 0.01 } });
const ALL = { r6a, r6b, epsilonGreedy, softmax };

describe('the seed', () => {
  // Pinned: a change here changes every published number that rests on the simulation.
  it.each([
    ['r6a', '979a4f03ab548f04'],
    ['r6b', '4c43ff7e04d12918'],
    ['epsilonGreedy', '57d45bac2ac0f300'],
    ['softmax', 'cdb258f9abfcb95d'],
  ] as const)('gives the same bytes, always: %s', (name, pinned) => {
    const { log, settings } = ALL[name];
    expect(bytesOf(log)).toBe(pinned);
    expect(bytesOf(simulate({ events: EVENTS, ...settings }).log)).toBe(pinned);
    expect(bytesOf(simulate({ events: EVENTS, ...settings, seed: 8 }).log)).not.toBe(pinned);
  });

  it('makes other visits to the same world for another traffic', () => {
    const other = simulate({ events: EVENTS, seed: 7, traffic: 1 });
    expect(other.pages).toEqual(r6a.pages);
    expect(other.rates.taste).toEqual(r6a.rates.taste);
    expect(bytesOf(other.log)).not.toBe(bytesOf(r6a.log));
    const same = other.log.arm.filter((arm, t) => arm === r6a.log.arm[t]).length;
    expect(same).toBeLessThan(0.07 * EVENTS);
  });
});

describe('users of R6A', () => {
  const { values, dimension, columns, row, rows } = r6a.log.contexts;

  it('have five memberships of six decimals that sum to 1 but for rounding, and a constant last', () => {
    expect(dimension).toBe(6);
    expect(columns).toEqual(['user_2', 'user_3', 'user_4', 'user_5', 'user_6', 'user_1']);
    const bad: number[] = [];
    for (let r = 0; r < rows; r++) {
      const x = [...values.subarray(r * 6, r * 6 + 6)];
      const sum = x.slice(0, 5).reduce((a, b) => a + b);
      const decimal = x.every((value) => value === Number(value.toFixed(6)) && value > 0);
      if (!decimal || x[5] !== 1 || sum > 1 || sum < 1 - 5.1e-6) bad.push(r);
    }
    expect(bad).toEqual([]);
  });

  it('come again, with the same features; some of them within a session', () => {
    const { user } = r6a.log;
    expect(user?.levels.length).toBe(rows);
    expect(rows).toBeLessThan(EVENTS / 3);
    const rowOf = new Map<number, number>();
    const lastOf = new Map<number, number>();
    const changed: number[] = [];
    let near = 0;
    for (let t = 0; t < EVENTS; t++) {
      const code = user?.code[t] as number;
      if ((rowOf.get(code) ?? row?.[t]) !== row?.[t]) changed.push(t);
      rowOf.set(code, row?.[t] as number);
      if (t - (lastOf.get(code) ?? -EVENTS) < 1000) near++;
      lastOf.set(code, t);
    }
    expect(changed).toEqual([]);
    // Two of three visits of a session have one before them.
    expect(near / EVENTS).toBeGreaterThan(0.4);
  });

  it('never come again in a row where every visit is a session', () => {
    const { log } = simulate({ events: 2000, seed: 7, visitsPerSession: 1 });
    expect(log.contexts.rows).toBeGreaterThan(1900);
  });

  it('are of five kinds, each as frequent, which the key column names', () => {
    const segment = r6a.log.keys.get('segment');
    expect(segment?.levels).toEqual(['1', '2', '3', '4', '5']);
    const counts = [0, 0, 0, 0, 0];
    for (const code of segment?.code ?? []) counts[code]++;
    for (const n of counts) expect(n / EVENTS).toBeGreaterThan(0.15);
    const favourite = (t: number): number => {
      const x = [...values.subarray((row?.[t] ?? 0) * 6, (row?.[t] ?? 0) * 6 + 5)];
      return x.indexOf(Math.max(...x));
    };
    for (let t = 0; t < 500; t++) expect(segment?.code[t]).toBe(favourite(t));
  });
});

describe('users of R6B', () => {
  it('have 136 binary features: the constant always, and 5 to 30 others, or none in 5 to 10 % of the visits', () => {
    const { values, dimension, row, columns } = r6b.log.contexts;
    expect(dimension).toBe(136);
    expect(columns[0]).toBe('user_1');
    let guests = 0;
    const seen = new Set<number>();
    for (let t = 0; t < EVENTS; t++) {
      const from = (row?.[t] ?? 0) * 136;
      const x = values.subarray(from, from + 136);
      let others = -1;
      for (const value of x) others += value;
      if (x[0] !== 1) others = Number.NaN;
      if (others === 0) guests++;
      else seen.add(others);
    }
    expect(guests / EVENTS).toBeGreaterThan(0.05);
    expect(guests / EVENTS).toBeLessThan(0.1);
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 26 }, (_, i) => i + 5));
    expect(new Set(values)).toEqual(new Set([0, 1]));
    expect(r6b.log.armFeatures).toBeNull();
  });
});

describe('pages', () => {
  const { pages } = r6a;

  it('hold 15 to 25 articles and change one at a time, three times an hour', () => {
    const sizes = pages.articles.map(({ length }) => length);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([15, 25]);
    expect(pages.articles.length).toBe(1 + 3 * 24 * 5);
    for (let s = 1; s < pages.articles.length; s++) {
      const [before, after] = [pages.articles[s - 1], pages.articles[s]];
      expect(before.filter((a) => !after.includes(a)).length).toBeLessThanOrEqual(1);
      expect(after.filter((a) => !before.includes(a)).length).toBeLessThanOrEqual(1);
      const gap = pages.starts[s] - pages.starts[s - 1];
      expect(gap).toBeGreaterThan(0);
      expect(gap).toBeLessThan(HOUR);
    }
  });

  it('show an article from its entry to its exit, for some hours', () => {
    const lifetimes: number[] = [];
    for (const [a, entry] of pages.entry.entries()) {
      const on = pages.articles.map((page) => page.includes(a));
      const [first, last] = [on.indexOf(true), on.lastIndexOf(true)];
      expect(on.slice(first, last + 1)).not.toContain(false);
      expect(pages.starts[first]).toBe(entry);
      expect(pages.starts[last + 1] ?? Number.POSITIVE_INFINITY).toBe(pages.exit[a]);
      if (entry > 0 && pages.exit[a] < Number.POSITIVE_INFINITY) lifetimes.push((pages.exit[a] - entry) / HOUR);
    }
    const mean = lifetimes.reduce((sum, hours) => sum + hours, 0) / lifetimes.length;
    expect(mean).toBeGreaterThan(4);
    expect(mean).toBeLessThan(10);
    // One of the older half leaves, so none does as soon as it has come.
    expect(Math.min(...lifetimes)).toBeGreaterThan(1);
  });

  it('stay as they are without changes, or keep a size', () => {
    expect(new World({ seed: 1, changesPerHour: 0, pool: 20 }).pages.articles.length).toBe(1);
    const sizes = new World({ seed: 1, pool: 20 }).pages.articles.map(({ length }) => length);
    expect(new Set(sizes)).toEqual(new Set([20]));
  });

  it('are those that events have, by the time', () => {
    const time = r6a.log.time as Float64Array;
    expect(time.every((at, t) => t === 0 || at >= time[t - 1])).toBe(true);
    expect(time[0]).toBeGreaterThanOrEqual(r6a.start);
    expect(time[EVENTS - 1]).toBeLessThan(r6a.start + 5 * DAY);
    expect(time[EVENTS - 1]).toBeGreaterThan(r6a.start + 4.99 * DAY);
    const bad: number[] = [];
    for (let t = 0; t < EVENTS; t++) {
      const at = time[t] - r6a.start;
      const on = (a: number): boolean => pages.entry[a] <= at && at < pages.exit[a];
      const page = candidates(r6a.log, t);
      if (!page.every(on) || !page.includes(r6a.log.arm[t])) bad.push(t);
    }
    expect(bad).toEqual([]);
  });
});

describe('clicks', () => {
  it.each(['r6a', 'r6b'] as const)('of %s have probabilities of 2 to 10 %%, which they follow', (name) => {
    const world = ALL[name];
    const { log } = world;
    let [lowest, highest, clicks, mean, variance] = [1, 0, 0, 0, 0];
    for (let t = 0; t < EVENTS; t++) {
      const p = world.clickProbability(t, log.arm[t]);
      lowest = Math.min(lowest, p);
      highest = Math.max(highest, p);
      clicks += log.payoff.steps[t];
      mean += p;
      variance += p * (1 - p);
    }
    expect(lowest).toBeGreaterThanOrEqual(0.02);
    expect(highest).toBeLessThan(0.1);
    expect(highest).toBeGreaterThan(0.06);
    expect(Math.abs(clicks - mean)).toBeLessThan(4 * Math.sqrt(variance));
  });

  it('differ by user and by article, and drift within a day', () => {
    const shares = [
      [1, 0, 0, 0, 0],
      [0, 1, 0, 0, 0],
    ];
    const [one, other] = shares.map((share) => r6a.rates.probability(3, HOUR, share));
    expect(Math.abs(one - other)).toBeGreaterThan(0.001);
    const even = [0.2, 0.2, 0.2, 0.2, 0.2];
    const byArticle = Array.from({ length: 20 }, (_, a) => r6a.rates.probability(a, 0, even));
    expect(Math.max(...byArticle)).toBeGreaterThan(1.4 * Math.min(...byArticle));
    const best = byArticle.indexOf(Math.max(...byArticle));
    const hours = Array.from({ length: 24 }, (_, h) => r6a.rates.probability(best, h * HOUR, even));
    expect(Math.max(...hours)).toBeGreaterThan(1.15 * Math.min(...hours));
    // Smoothly: no minute moves it by a hundredth.
    for (let m = 1; m < 24 * 60; m++) {
      const step = r6a.rates.probability(best, m * 60_000, even) / r6a.rates.probability(best, (m - 1) * 60_000, even);
      expect(Math.abs(step - 1)).toBeLessThan(0.01);
    }
    const { rates } = new World({ seed: 7, drift: 0 });
    expect(rates.probability(3, 17 * HOUR, even)).toBe(rates.probability(3, 0, even));
    expect(rates.probability(3, 0, even)).toBe(rates.steady(3, even));
  });
});

describe('logging', () => {
  it('has propensities that are those of its policy, sum to 1, and are followed', () => {
    for (const world of Object.values(ALL)) {
      const { log } = world;
      const bad: number[] = [];
      let [hits, expected, variance] = [0, 0, 0];
      for (let t = 0; t < EVENTS; t++) {
        const p = world.loggingProbabilities(t);
        const page = candidates(log, t);
        const sum = p.reduce((a, b) => a + b);
        const logged = log.propensity?.[t] === p[page.indexOf(log.arm[t])];
        if (p.length !== page.length || Math.abs(sum - 1) > 1e-12 || !logged) bad.push(t);
        // How often the likeliest (of equals the first) is shown.
        const top = Math.max(...p);
        if (page[p.indexOf(top)] === log.arm[t]) hits++;
        expected += top;
        variance += top * (1 - top);
      }
      expect(bad).toEqual([]);
      expect(Math.abs(hits - expected)).toBeLessThan(4 * Math.sqrt(variance));
    }
  });

  it('earns more than chance where it knows something', () => {
    const rate = ({ log }: typeof r6a): number => log.payoff.steps.reduce((a, b) => a + b, 0) / EVENTS;
    expect(rate(softmax)).toBeGreaterThan(1.2 * rate(r6a));
    expect(rate(epsilonGreedy)).toBeGreaterThan(1.2 * rate(r6a));
  });

  it('draws with an exponential of its own, near the true one', () => {
    for (let x = 0; x > -750; x -= 0.37) {
      const known = Math.exp(x);
      if (x < -700) expect(expOfNegative(x)).toBe(0);
      else expect(Math.abs(expOfNegative(x) / known - 1)).toBeLessThan(1e-15);
    }
  });
});

describe('options', () => {
  it.each([
    [{ events: -1 }, /number of visits/],
    [{ seed: 0.5 }, /seed/],
    [{ days: 0 }, /days/],
    [{ days: Number.NaN }, /days/],
    [{ kind: 'r6c' as 'r6a' }, /kind/],
    [{ pool: 0 }, /smallest page/],
    [{ pool: [20, 10] as const }, /largest page/],
    [{ changesPerHour: -1 }, /changesPerHour/],
    [{ drift: 1.5 }, /drift/],
    [{ users: 0 }, /number of users/],
    [{ visitsPerSession: 0.5 }, /visitsPerSession/],
    [{ clickRates: [0.2, 0.1] as const }, /clickRates/],
    [{ clickRates: [0.2, 0.8] as const, businessRules: 0.5 }, /clickRates/],
    [{ logging: { policy: 'greedy' } as never }, /logging\.policy/],
    [{ logging: { policy: 'epsilon-greedy', epsilon: 0 } as const }, /logging\.epsilon/],
    [{ logging: { policy: 'softmax', temperature: 0 } as const }, /logging\.temperature/],
    [{ traffic: -1 }, /traffic/],
  ])('refuses %o', (options, message) => {
    const make = (): unknown => simulate({ events: 1, seed: 1, ...options });
    expect(make).toThrow(InputError);
    expect(make).toThrow(message);
  });

  it('take no event at all, and fewer events than pages', () => {
    expect(simulate({ events: 0, seed: 1 }).log.events).toBe(0);
    expect(simulate({ events: 10, seed: 1 }).log.events).toBe(10);
  });
});
