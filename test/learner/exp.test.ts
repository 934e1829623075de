import { describe, expect, it } from 'vitest';
import { ArmWeights, sample, shareOf, unitPayoff } from '#dist/learner/exponential/exp-weights.js';
import { exp3pRates } from '#dist/learner/exponential/exp3p.js';
import { among, exploration, learner, plainLog } from './helpers.js';

const weightsOf = (one: ReturnType<typeof learner>) => one.state().weights as number[];
/** Weights are reported relative to the largest. */
const relative = (weights: number[]) => weights.map((w) => w / Math.max(...weights));

function expectClose(got: readonly number[], needed: readonly number[]): void {
  expect(got).toHaveLength(needed.length);
  for (const [i, x] of needed.entries()) expect(got[i]).toBeCloseTo(x, 12);
}

describe('exponential weights', () => {
  it('rescales payoffs from their range', () => {
    const scale = plainLog(2, 2, { payoff: [0, 5], payoffRange: [-5, 15] }).payoff.scale;
    expect([-5, 0, 5, 15].map((r) => unitPayoff(scale, r))).toEqual([0, 0.25, 0.5, 1]);
  });

  it('has shares for logarithms of any size', () => {
    const shares = new Float64Array(3);
    shareOf(Float64Array.of(100_000, 100_000 + Math.log(3), -1e9), 3, shares);
    expectClose([...shares], [0.25, 0.75, 0]);
  });

  it('samples by cumulative probability', () => {
    const p = Float64Array.of(0.25, 0.5, 0.25);
    const set = among(2, 5, 7);
    expect([0, 0.2499, 0.25, 0.7499, 0.75, 0.9999].map((u) => sample(p, set, u))).toEqual([2, 2, 5, 5, 7, 7]);
    // Rounding may leave a sum below 1: the last candidate takes the rest.
    expect(sample(Float64Array.of(0.1, 0.1, 0.1), set, 0.999)).toBe(7);
  });

  it('has probabilities that sum to 1 over the candidates, each at least γ/K', () => {
    const weights = new ArmWeights(6, 0.2);
    for (let i = 0; i < 6; i++) weights.add(i, 300 * i);
    weights.decide();
    for (const set of [among(0, 1, 2, 3, 4, 5), among(0, 4), among(3)]) {
      const n = set.to;
      const p = [...weights.probabilities(set).subarray(0, n)];
      expect(p.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 14);
      for (const x of p) expect(x).toBeGreaterThanOrEqual(0.2 / n);
    }
  });

  it('keeps the probabilities of the last decision', () => {
    const weights = new ArmWeights(2, 0.5);
    weights.add(0, 1);
    expectClose([...weights.probabilities(among(0, 1))], [0.5, 0.5]);
    weights.decide();
    expect(weights.probabilities(among(0, 1))[0]).toBeGreaterThan(0.5);
  });
});

describe('exp3', () => {
  const log = plainLog(3, 10);
  const every = among(0, 1, 2);

  it('updates as Figure 1 of Auer et al. (2002) says', () => {
    const one = learner('exp3', { gamma: 0.3 }, log);
    one.choose(0, every);
    // p = 1/3: x̂ = 3, w_1 = exp(0.3 · 3/3)
    one.update(0, 1, 1, 1);
    const w = Math.exp(0.3);
    expectClose(weightsOf(one), relative([1, w, 1]));
    one.choose(1, every);
    one.update(1, 0, 0, 0); // a payoff of 0 changes nothing
    expectClose(weightsOf(one), relative([1, w, 1]));
    one.choose(2, every);
    const p2 = (0.7 * 1) / (2 + w) + 0.1;
    one.update(2, 2, 1, 1);
    expectClose(weightsOf(one), relative([1, w, Math.exp((0.3 * (1 / p2)) / 3)]));
  });

  it('draws arms with its probabilities', () => {
    const one = learner('exp3', { gamma: 0.3 }, log);
    one.choose(0, every);
    one.update(0, 1, 1, 1);
    const w = Math.exp(0.3);
    const p = [1, w, 1].map((x) => (0.7 * x) / (2 + w) + 0.1);
    const counts = [0, 0, 0];
    for (let t = 0; t < 40_000; t++) counts[one.choose(t, every)]++;
    for (const [a, count] of counts.entries()) {
      expect(Math.abs(count - 40_000 * p[a])).toBeLessThan(4 * Math.sqrt(40_000 * p[a] * (1 - p[a])));
    }
  });

  it('sums over the candidates of the event only', () => {
    const pools = plainLog(3, 4, {
      candidates: {
        pools: [
          [0, 1, 2],
          [0, 2],
        ],
        pool: [0, 1, 1, 0],
      },
    });
    const one = learner('exp3', { gamma: 0.5 }, pools);
    one.choose(1, among(0, 2));
    one.update(1, 0, 1, 1); // p = 1/2, K = 2: w_0 = exp(0.5 · 2/2)
    expectClose(weightsOf(one), relative([Math.exp(0.5), 1, 1]));
    expect(one.choose(2, among(2))).toBe(2);
  });

  it('divides by the probability of the decision, also where updates wait', () => {
    const waiting = learner('exp3', { gamma: 0.3 }, log);
    waiting.choose(0, every);
    for (const t of [0, 1, 2]) waiting.update(t, 1, 1, 1);
    expectClose(weightsOf(waiting), relative([1, Math.exp(0.9), 1]));
  });

  it('stays finite after many updates', () => {
    const one = learner('exp3', { gamma: 1 }, log);
    for (let i = 0; i < 50_000; i++) {
      one.choose(0, every);
      one.update(0, i % 2, 1, 1);
    }
    expect(weightsOf(one).every((w) => w >= 0 && w <= 1)).toBe(true);
  });

  it('finds the better of two arms', () => {
    const one = learner('exp3', { gamma: 0.1 }, plainLog(2, 1));
    const draws = exploration(99);
    let best = 0;
    for (let t = 0; t < 4000; t++) {
      const arm = one.choose(t, among(0, 1));
      best += t >= 3000 ? arm : 0;
      const payoff = draws.unit(t, 9) < (arm === 1 ? 0.7 : 0.3) ? 1 : 0;
      one.update(0, arm, payoff, payoff);
    }
    expect(best).toBeGreaterThan(850);
  });
});

describe('exp3p', () => {
  it('updates as Figure 3.1 of Bubeck & Cesa-Bianchi (2012) says', () => {
    const log = plainLog(2, 10);
    const one = learner('exp3p', { gamma: 0.2, eta: 0.1, beta: 0.05 }, log);
    one.choose(0, among(0, 1));
    one.update(0, 0, 1, 1);
    // p = 1/2: G̃ = (1 + β)/p, β/p
    const G = [1.05 / 0.5, 0.05 / 0.5];
    expectClose(weightsOf(one), relative(G.map((g) => Math.exp(0.1 * g))));
    one.choose(1, among(0, 1));
    const w = G.map((g) => Math.exp(0.1 * g));
    const p = w.map((x) => (0.8 * x) / (w[0] + w[1]) + 0.1);
    one.update(1, 1, 0, 0);
    const later = G.map((g, i) => g + 0.05 / p[i]);
    expectClose(weightsOf(one), relative(later.map((g) => Math.exp(0.1 * g))));
  });

  it('has the rates of Theorem 3.3 where none are given', () => {
    const K = 10;
    const n = 1000;
    const rates = exp3pRates({ delta: 0.05, horizon: n }, K, 5);
    expect(rates.gamma).toBeCloseTo(1.05 * Math.sqrt((K * Math.log(K)) / n), 14);
    expect(rates.eta).toBeCloseTo(0.95 * Math.sqrt(Math.log(K) / (n * K)), 14);
    expect(rates.beta).toBeCloseTo(Math.sqrt(Math.log(K / 0.05) / (n * K)), 14);
    expect(exp3pRates({ delta: 0.05 }, K, 9991)).toEqual(rates);
    expect(exp3pRates({ delta: 0.05, eta: 0.5 }, K, 0)).toEqual({
      gamma: 0.5,
      eta: 0.5,
      beta: exp3pRates({ delta: 0.05, horizon: 1 }, K, 0).beta,
    });
  });

  it('works with one arm', () => {
    const one = learner('exp3p', {}, plainLog(1, 10));
    for (let t = 0; t < 10; t++) {
      expect(one.choose(t, among(0))).toBe(0);
      one.update(t, 0, 1, 1);
    }
    expect(weightsOf(one)).toEqual([1]);
  });
});
