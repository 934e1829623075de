import { describe, expect, it } from 'vitest';
import { randomLinearPolicies } from '#dist/simulate/linear-policies.js';
import { TODAY_DIMENSION as D, simulateToday } from '#dist/simulate/today.js';
import { trueLinearValues, trueValue } from '#dist/simulate/truth.js';
import { bytesOf, candidates } from './bytes.js';

const world = simulateToday({ events: 20_000, seed: 7 });
const { log } = world;
const K = log.arms.ids.length;

describe('simulateToday', () => {
  it('gives the same bytes for a seed, always', () => {
    expect(bytesOf(simulateToday({ events: 20_000, seed: 7 }).log)).toBe(bytesOf(log));
    // Pinned: a change here changes every published number that rests on the simulation.
    expect(bytesOf(log)).toBe('18d973bc41b43b4e');
    expect(bytesOf(simulateToday({ events: 20_000, seed: 8 }).log)).not.toBe(bytesOf(log));
  });

  it('has users with five memberships that sum to 1, and a constant', () => {
    const { values, dimension, columns } = log.contexts;
    expect(values).toBeInstanceOf(Float32Array);
    expect(dimension).toBe(D);
    expect(columns.at(-1)).toBe('(intercept)');
    const bad: number[] = [];
    for (let t = 0; t < log.events; t++) {
      const x = [...values.subarray(t * D, (t + 1) * D)];
      const sum = x[0] + x[1] + x[2] + x[3] + x[4];
      const inside = x.slice(0, 5).every((share) => share > 0 && share < 1);
      if (!inside || Math.abs(sum - 1) > 1e-6 || x[5] !== 1) bad.push(t);
    }
    expect(bad).toEqual([]);
  });

  it('shows twenty of fifty articles at a time, entering and leaving once', () => {
    expect(K).toBe(50);
    expect(log.pools.count).toBe(31);
    const first = new Map<number, number>();
    const last = new Map<number, number>();
    const events = new Map<number, number>();
    const bad: number[] = [];
    for (let t = 0; t < log.events; t++) {
      const page = candidates(log, t);
      if (page.length !== 20 || !page.includes(log.arm[t])) bad.push(t);
      for (const a of page) {
        if (!first.has(a)) first.set(a, t);
        last.set(a, t);
        events.set(a, (events.get(a) ?? 0) + 1);
      }
    }
    expect(bad).toEqual([]);
    expect(first.size).toBe(50);
    for (const [a, from] of first) {
      expect((last.get(a) ?? 0) - from + 1).toBe(events.get(a));
      // Arms are numbered by entry.
      expect(from).toBeGreaterThanOrEqual(first.get(Math.max(0, a - 1)) ?? 0);
    }
  });

  it('logs uniformly within the page', () => {
    const expected = new Float64Array(K);
    const counts = new Float64Array(K);
    for (let t = 0; t < log.events; t++) {
      counts[log.arm[t]]++;
      for (const a of candidates(log, t)) expected[a] += 1 / 20;
    }
    for (let a = 0; a < K; a++)
      expect(Math.abs(counts[a] - expected[a])).toBeLessThan(4.5 * Math.sqrt(expected[a] * 0.95));
    expect(new Set(log.propensity)).toEqual(new Set([1 / 20]));
  });

  it('advances over five days', () => {
    const time = log.time as Float64Array;
    const start = Date.UTC(2009, 4, 1);
    expect(time[0]).toBeGreaterThanOrEqual(start);
    expect(time.every((at, t) => t === 0 || at >= time[t - 1])).toBe(true);
    expect(time[log.events - 1]).toBeLessThan(start + 5 * 86_400_000);
    expect(time[log.events - 1]).toBeGreaterThan(start + 4.99 * 86_400_000);
  });

  it('clicks at 2–10 %, as often as the truth says, over all and per article', () => {
    const clicks = new Float64Array(K + 1);
    const mean = new Float64Array(K + 1);
    const variance = new Float64Array(K + 1);
    const shown = new Float64Array(K + 1);
    let lowest = 1;
    let highest = 0;
    for (let t = 0; t < log.events; t++) {
      const p = world.clickProbability(t, log.arm[t]);
      lowest = Math.min(lowest, p);
      highest = Math.max(highest, p);
      for (const i of [log.arm[t], K]) {
        shown[i]++;
        clicks[i] += log.payoff.steps[t];
        mean[i] += p;
        variance[i] += p * (1 - p);
      }
    }
    for (let i = 0; i <= K; i++) expect(Math.abs(clicks[i] - mean[i])).toBeLessThan(4 * Math.sqrt(variance[i]));
    expect(lowest).toBeGreaterThan(0.02);
    expect(highest).toBeLessThan(0.1);
    // Articles must differ, or there is nothing to choose.
    const rates = [...mean.subarray(0, K)].map((sum, a) => sum / shown[a]);
    expect(Math.max(...rates)).toBeGreaterThan(1.5 * Math.min(...rates));
  });

  it('takes other sizes, and none', () => {
    const small = simulateToday({ events: 500, seed: 1, articles: 3, pool: 3, days: 0.5 });
    expect(small.log.pools.count).toBe(1);
    expect(simulateToday({ events: 0, seed: 1 }).log.events).toBe(0);
    // More replacements than events: pages go by unseen.
    expect(simulateToday({ events: 10, seed: 1 }).log.events).toBe(10);
  });

  it.each([
    [{ events: -1, seed: 1 }, /number of events/],
    [{ events: 1, seed: 0.5 }, /seed/],
    [{ events: 1, seed: 2 ** 32 }, /seed/],
    [{ events: 1, seed: 1, pool: 0 }, /size of the page/],
    [{ events: 1, seed: 1, articles: 10 }, /number of articles/],
    [{ events: 1, seed: 1, days: 0 }, /number of days/],
  ])('refuses %o', (options, message) => {
    expect(() => simulateToday(options)).toThrow(message);
  });

  it('refuses options that there are not, with the nearest that there is', () => {
    const today = { events: 10, seed: 1, artcles: 30 };
    expect(() => simulateToday(today)).toThrow(/^artcles: there is no such option\n[\s\S]*did you mean articles\?/);
    const linear = { policies: 1, arms: 2, dimensions: 3, dimension: 3, seed: 1 };
    expect(() => randomLinearPolicies(linear)).toThrow(
      /^dimensions: there is no such option\n[\s\S]*did you mean dimension\?/,
    );
  });
});

describe('the truth', () => {
  const weights = randomLinearPolicies({ policies: 24, arms: K, dimension: D, seed: 5, theta: world.theta });

  /** Decides as a linear policy, from the log alone. */
  function choose(w: ArrayLike<number>, base: number, event: number): number {
    const { values } = log.contexts;
    const scores = candidates(log, event).map((a) => {
      let score = 0;
      for (let j = 0; j < D; j++) score += w[base + a * D + j] * values[event * D + j];
      return { a, score };
    });
    return scores.reduce((best, next) => (next.score > best.score ? next : best)).a;
  }

  it('of a linear policy is the mean click probability of its choices', () => {
    const values = trueLinearValues(world, weights, { policies: [0, 23] });
    for (const [i, p] of [0, 23].entries()) {
      expect(values[i]).toBeCloseTo(trueValue(world, (t) => choose(weights, p * K * D, t)) as number, 12);
    }
    expect(trueLinearValues(world, weights)[23]).toBe(values[1]);
  });

  it('of a sample of visits is near', () => {
    const all = trueLinearValues(world, weights);
    const some = trueLinearValues(world, weights, { every: 20 });
    for (let p = 0; p < 24; p++) expect(Math.abs(some[p] - all[p])).toBeLessThan((4 * 0.02) / Math.sqrt(1000));
  });

  it('puts no policy above θ itself, and random ones in between', () => {
    const best = trueLinearValues(world, world.theta)[0];
    const values = trueLinearValues(world, weights).sort();
    const uniform = trueValue(world, (t) => candidates(log, t)[t % 20]) as number;
    expect(values[23]).toBeLessThanOrEqual(best);
    expect(values[23]).toBeGreaterThan(uniform + 0.75 * (best - uniform));
    expect(values[0]).toBeLessThan(uniform + 0.25 * (best - uniform));
  });

  it('leaves out events at which the policy names no candidate', () => {
    // Article 49 enters last.
    const seen = Array.from({ length: log.events }, (_, t) => t).filter((t) => candidates(log, t).includes(49));
    const mean = seen.reduce((sum, t) => sum + world.clickProbability(t, 49), 0) / seen.length;
    expect(trueValue(world, () => 49)).toBeCloseTo(mean, 12);
    expect(trueValue(world, () => -1)).toBeNull();
    expect(trueValue(world, () => K)).toBeNull();
  });

  it('is what replay estimates', () => {
    const values = trueLinearValues(world, weights);
    const z = Array.from({ length: 6 }, (_, p) => {
      let T = 0;
      let G = 0;
      for (let t = 0; t < log.events; t++) {
        if (choose(weights, p * K * D, t) !== log.arm[t]) continue;
        T++;
        G += log.payoff.steps[t];
      }
      expect(Math.abs(T - log.events / 20)).toBeLessThan(5 * Math.sqrt(log.events / 20));
      return (G / T - values[p]) / Math.sqrt((values[p] * (1 - values[p])) / T);
    });
    expect(Math.max(...z.map(Math.abs))).toBeLessThan(4);
  });
});

describe('randomLinearPolicies', () => {
  it('are seeded, each on its own', () => {
    const many = randomLinearPolicies({ policies: 9, arms: 4, dimension: 3, seed: 1 });
    expect(many).toBeInstanceOf(Float32Array);
    expect(many.length).toBe(9 * 4 * 3);
    expect(randomLinearPolicies({ policies: 2, arms: 4, dimension: 3, seed: 1 })).toEqual(many.slice(0, 24));
    expect(randomLinearPolicies({ policies: 2, arms: 4, dimension: 3, seed: 2 })).not.toEqual(many.slice(0, 24));
  });

  it('are bell-shaped noise without a model', () => {
    const noise = randomLinearPolicies({ policies: 1000, arms: 10, dimension: 6, seed: 1 });
    const mean = noise.reduce((sum, w) => sum + w, 0) / noise.length;
    const variance = noise.reduce((sum, w) => sum + w * w, 0) / noise.length;
    expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(noise.length));
    expect(Math.abs(variance - 1)).toBeLessThan(0.02);
  });
});
