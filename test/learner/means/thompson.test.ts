import { describe, expect, it } from 'vitest';
import { betaDraw, logGamma } from '#dist/learner/means/beta.js';
import { among, exploration, feed, learner, plainLog } from '../helpers.js';

const EVENTS = 40_000;

/** |mean − μ| and |variance − σ²| within four standard errors; `kurtosis` is the fourth central moment. */
function expectMoments(values: readonly number[], mean: number, variance: number, fourth: number): void {
  const n = values.length;
  const m = values.reduce((sum, x) => sum + x, 0) / n;
  const v = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / n;
  expect(Math.abs(m - mean)).toBeLessThan(4 * Math.sqrt(variance / n));
  expect(Math.abs(v - variance)).toBeLessThan(4 * Math.sqrt((fourth - variance ** 2) / n));
}

describe('Gamma and Beta variates', () => {
  it.each([0.3, 1, 1.5, 4, 250])('Gamma(%d) has its mean and variance', (shape) => {
    const draws = exploration(3);
    const values = Array.from({ length: EVENTS }, (_, t) => Math.exp(logGamma(draws, t, 64, shape)));
    expectMoments(values, shape, shape, 3 * shape * shape + 6 * shape);
  });

  it.each([
    [1, 1],
    [0.5, 0.5],
    [3, 8],
    [40, 960],
    [0.2, 5],
  ])('Beta(%d, %d) has its mean and variance', (a, b) => {
    const draws = exploration(4);
    const values = Array.from({ length: EVENTS }, (_, t) => betaDraw(draws, t, 2, a, b));
    const n = a + b;
    const variance = (a * b) / (n * n * (n + 1));
    const excess = (6 * ((a - b) ** 2 * (n + 1) - a * b * (n + 2))) / (a * b * (n + 2) * (n + 3));
    expectMoments(values, a / n, variance, (excess + 3) * variance ** 2);
  });

  it('Beta(1, 1) is uniform (Kolmogorov–Smirnov)', () => {
    const draws = exploration(5);
    const values = Array.from({ length: EVENTS }, (_, t) => betaDraw(draws, t, 0, 1, 1)).sort((x, y) => x - y);
    const distance = Math.max(...values.map((x, i) => Math.max(x - i / EVENTS, (i + 1) / EVENTS - x)));
    expect(distance * Math.sqrt(EVENTS)).toBeLessThan(1.95); // p = 0.001
  });

  it('is a pure function of event and arm, independent between them', () => {
    const draws = exploration(6);
    const first = betaDraw(draws, 11, 3, 2, 5);
    betaDraw(draws, 12, 3, 2, 5);
    expect(betaDraw(exploration(6), 11, 3, 2, 5)).toBe(first);
    let product = 0;
    for (let t = 0; t < EVENTS; t++)
      product += (betaDraw(draws, t, 0, 1, 1) - 0.5) * (betaDraw(draws, t, 1, 1, 1) - 0.5);
    expect(Math.abs(product / EVENTS)).toBeLessThan(4 * (1 / 12 / Math.sqrt(EVENTS)));
  });

  it('stays in [0, 1] for shapes far from 1', () => {
    const draws = exploration(8);
    for (let t = 0; t < 2000; t++) {
      for (const [a, b] of [
        [1e-3, 1e-3],
        [1e-6, 1],
        [1e9, 1],
        [1e9, 1e9],
      ]) {
        const theta = betaDraw(draws, t, 0, a, b);
        expect(theta >= 0 && theta <= 1).toBe(true);
      }
    }
  });
});

/** P(X > Y), X ~ Beta(a, b), Y ~ Beta(c, d), whole shapes, by the trapezoidal rule. */
function probabilityOfLarger(a: number, b: number, c: number, d: number): number {
  const steps = 20_000;
  const density = (x: number, p: number, q: number) => x ** (p - 1) * (1 - x) ** (q - 1);
  let cumulative = 0;
  let sum = 0;
  let massX = 0;
  for (let i = 0; i < steps; i++) {
    const x = (i + 0.5) / steps;
    const y = density(x, c, d);
    sum += density(x, a, b) * (cumulative + y / 2);
    cumulative += y;
    massX += density(x, a, b);
  }
  return sum / (massX * cumulative);
}

describe('thompson', () => {
  it('chooses arms with the probability that they are best', () => {
    const one = learner('thompson', {}, plainLog(2));
    feed(one, [
      [0, 1],
      [0, 0],
      [0, 0],
      [1, 1],
      [1, 0],
      [0, 0],
      [1, 0],
    ]);
    expect(one.state()).toEqual({ ones: [1, 1], zeros: [3, 2] });
    // Posteriors Beta(2, 4) and Beta(2, 3).
    const p = probabilityOfLarger(2, 4, 2, 3);
    let chosen = 0;
    for (let t = 0; t < EVENTS; t++) if (one.choose(t, among(0, 1)) === 0) chosen++;
    expect(Math.abs(chosen / EVENTS - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / EVENTS));
  });

  it('has its prior', () => {
    const one = learner('thompson', { a: 2, b: 4 }, plainLog(3));
    feed(one, [
      [2, 1],
      [2, 0],
    ]); // Beta(3, 5)
    const p = probabilityOfLarger(3, 5, 2, 4);
    let chosen = 0;
    for (let t = 0; t < EVENTS; t++) if (one.choose(t, among(1, 2)) === 2) chosen++;
    expect(Math.abs(chosen / EVENTS - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / EVENTS));
  });

  it('says whether it matches as it chooses', () => {
    const one = learner('thompson', {}, plainLog(5));
    const sets = [among(0, 1, 2, 3, 4), among(1, 4), among(3)];
    for (let t = 0; t < 600; t++) {
      const set = sets[t % 3];
      const arm = one.choose(t, set);
      for (const other of set.arms) expect(one.matches?.(t, set, other)).toBe(other === arm);
      one.update(t, arm, t % 2, t % 2);
    }
  });

  it('needs payoffs of 0 and 1', () => {
    expect(() => learner('thompson', {}, plainLog(2, 2, { payoff: [0.5, 1] }))).toThrow(
      /thompson needs payoffs of 0 and 1/,
    );
  });
});
