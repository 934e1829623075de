import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runBlocks } from '#dist/estimate/blocks/blocks.js';
import type { Match } from '#dist/estimate/estimators/valid-events.js';
import { planError, planMatches } from '#dist/estimate/plan.js';
import { STREAM, scaleToIndex, threefry2x32 } from '#dist/random/threefry.js';
import { firstMatches, type Seen, statisticsOf } from './helpers.js';

/** P(Binomial(L, 1/K) ≥ T), summed term by term. */
function probabilityOf(T: number, K: number, L: number): number {
  const p = 1 / K;
  let term = (1 - p) ** L;
  let below = 0;
  for (let i = 0; i < T; i++) {
    below += term;
    term *= ((L - i) / (i + 1)) * (p / (1 - p));
  }
  return 1 - below;
}

describe('planMatches', () => {
  it('gives the exact quantile, within Theorem 1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 2, max: 30 }),
        fc.constantFrom(0.5, 0.9, 0.95, 0.999),
        (T, K, confidence) => {
          const plan = planMatches({ validEvents: T, arms: K, confidence });
          expect(plan.expected).toBe(K * T);
          expect(plan.bound).toBe(Math.ceil(2 * K * (T + Math.log(1 / (1 - confidence)))));
          expect(probabilityOf(T, K, plan.exact)).toBeGreaterThanOrEqual(confidence - 1e-12);
          expect(probabilityOf(T, K, plan.exact - 1)).toBeLessThan(confidence + 1e-12);
          expect(plan.exact).toBeLessThanOrEqual(plan.bound);
        },
      ),
    );
  });

  it('at T = 1 is the geometric quantile', () => {
    // 1 − (19/20)^59 is the first above 0.95.
    expect(planMatches({ validEvents: 1, arms: 20, confidence: 0.95 })).toEqual({
      expected: 20,
      exact: 59,
      bound: 160,
    });
  });

  it('holds for one arm, fractional K and large T', () => {
    expect(planMatches({ validEvents: 7, arms: 1, confidence: 0.99 }).exact).toBe(7);
    expect(planMatches({ validEvents: 1000, arms: 1.0001, confidence: 0.95 }).exact).toBe(1001);
    const { exact, expected, bound } = planMatches({ validEvents: 1e7, arms: 50, confidence: 0.95 });
    // Normal approximation of the negative binomial: deviation √(T (K² − K)).
    expect((exact - expected) / Math.sqrt(1e7 * (50 * 50 - 50))).toBeCloseTo(1.645, 2);
    expect(bound).toBeGreaterThan(exact);
  });

  it.each([
    [{ validEvents: 0, arms: 5, confidence: 0.9 }, /number of valid events/],
    [{ validEvents: 2, arms: 0.5, confidence: 0.9 }, /number of arms/],
    [{ validEvents: 2, arms: Number.NaN, confidence: 0.9 }, /number of arms/],
    [{ validEvents: 2, arms: 5, confidence: 1 }, /confidence/],
  ])('refuses %o', (question, message) => {
    expect(() => planMatches(question)).toThrow(message);
  });
});

/** Replays uniform logs by Algorithm 1 and returns the events consumed until T matches. */
function consumed(T: number, K: number, runs: number, length: number): number[] {
  const words = new Uint32Array(2);
  return Array.from({ length: runs }, (_, run) => {
    const events: Seen[] = Array.from({ length }, (_, t) => {
      threefry2x32(3, STREAM.simulation, t, run, words);
      // The policy follows the context; the log does not.
      return scaleToIndex(words[0], K) === scaleToIndex(words[1], K) ? 1 : null;
    });
    const plan = runBlocks(length, 16);
    const stats = statisticsOf(
      Array.from({ length: plan.blocks }, (_, b) => events.slice(plan.starts[b], plan.starts[b + 1])),
      true,
    );
    function* rescan(_policy: number, from: number, to: number): Generator<Match> {
      for (let event = from; event < to; event++) if (events[event] !== null) yield { event, steps: 1 };
    }
    const result = firstMatches(stats, plan, 0, T, rescan);
    return result.complete ? result.events : Number.POSITIVE_INFINITY;
  });
}

describe('Theorem 1 over 1,000 logs', () => {
  it.each([
    [1, 10],
    [5, 4],
    [20, 10],
    [100, 3],
  ])('T = %i, K = %i: L is within the bound as often as promised, K·T on average', (T, K) => {
    const RUNS = 1000;
    const longest = planMatches({ validEvents: T, arms: K, confidence: 0.9999 }).bound;
    const runs = consumed(T, K, RUNS, longest);
    for (const confidence of [0.5, 0.8, 0.95, 0.99]) {
      const plan = planMatches({ validEvents: T, arms: K, confidence });
      const within = (L: number) => runs.filter((used) => used <= L).length / RUNS;
      expect(within(plan.bound)).toBeGreaterThanOrEqual(confidence);
      // The exact quantile is no bound but the thing itself.
      const slack = 3.5 * Math.sqrt((confidence * (1 - confidence)) / RUNS);
      expect(within(plan.exact)).toBeGreaterThanOrEqual(confidence - slack);
      expect(within(plan.exact - 1)).toBeLessThanOrEqual(confidence + slack);
    }
    const mean = runs.reduce((sum, used) => sum + used, 0) / RUNS;
    expect(Math.abs(mean - K * T)).toBeLessThan(4 * Math.sqrt((T * (K * K - K)) / RUNS));
  });
});

describe('planError', () => {
  it('gives the smallest L that Theorem 2 allows', () => {
    const g = fc.double({ min: 0.001, max: 1, noNaN: true });
    const e = fc.double({ min: 0.001, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(
        g,
        e,
        fc.double({ min: 1, max: 100, noNaN: true }),
        fc.constantFrom(0.5, 0.9, 0.95, 0.999),
        (value, error, arms, confidence) => {
          const plan = planError({ value, error, arms, confidence });
          const bound = (L: number) => {
            const gamma1 = Math.sqrt((3 * arms * Math.log(4 / (1 - confidence))) / L);
            const gamma2 = gamma1 / Math.sqrt(value);
            return gamma1 >= 1 || gamma2 > 1 + 1e-9
              ? Number.POSITIVE_INFINITY
              : ((gamma1 + gamma2) * value) / (1 - gamma1);
          };
          expect(bound(plan.theorem2)).toBeLessThanOrEqual(error * (1 + 1e-9));
          expect(bound(plan.theorem2 - 1)).toBeGreaterThan(error * (1 - 1e-9));
          expect(plan.normal).toBeLessThanOrEqual(plan.theorem2);
        },
      ),
    );
  });

  it('compares with the normal approximation', () => {
    // 1.959964² · 0.05 · 0.95 · 20 / 0.005² = 145,975.4
    expect(planError({ value: 0.05, error: 0.005, arms: 20, confidence: 0.95 }).normal).toBe(145_976);
  });

  it('scales with the payoff range', () => {
    const unit = planError({ value: 0.25, error: 0.01, arms: 8, confidence: 0.9 });
    expect(planError({ value: -5, error: 0.2, arms: 8, confidence: 0.9, range: [-10, 10] })).toEqual(unit);
  });

  it.each([
    [{ value: 0, error: 0.1, arms: 5, confidence: 0.9 }, /expected value is not usable/],
    [{ value: 1.1, error: 0.1, arms: 5, confidence: 0.9 }, /expected value is not usable/],
    [{ value: 0.5, error: 0, arms: 5, confidence: 0.9 }, /wanted error is not usable/],
    [{ value: 0.5, error: 0.1, arms: 0, confidence: 0.9 }, /number of arms/],
    [{ value: 0.5, error: 0.1, arms: 5, confidence: 0 }, /confidence/],
    [{ value: 0.5, error: 0.1, arms: 5, confidence: 0.9, range: [1, 0] as const }, /payoff range/],
  ])('refuses %o', (question, message) => {
    expect(() => planError(question)).toThrow(message);
  });
});

it('misspelt questions are refused with the nearest name', () => {
  const question = { value: 0.1, error: 0.01, arms: 2, confidence: 0.95, rnge: [0, 9] };
  expect(() => planError(question as never)).toThrow(/rnge: there is no such option.*did you mean range\?/s);
  expect(() => planMatches({ validEvnts: 7, arms: 2, confidence: 0.95 } as never)).toThrow(
    /did you mean validEvents\?/,
  );
});
