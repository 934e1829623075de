import { describe, expect, it } from 'vitest';
import { among, feed, learner, plainLog } from '../helpers.js';

const log = plainLog(3);
const every = among(0, 1, 2);

describe('ucb', () => {
  it('tries arms in index order, then follows mean + α/√n', () => {
    const one = learner('ucb', { alpha: 1 }, log);
    const chosen: number[] = [];
    // Scores once tried: 0 + 1, 1 + 1, 0 + 1: arm 1. After 1/2: 0.5 + 0.707 = 1.207, still arm 1.
    // After 1/3: 0.333 + 0.577 = 0.911 < 1: arm 0, the lower of two at 1.
    for (const payoff of [0, 1, 0, 0, 0, 0]) {
      const arm = one.choose(0, every);
      chosen.push(arm);
      one.update(0, arm, payoff, payoff);
    }
    expect(chosen).toEqual([0, 1, 2, 1, 1, 0]);
    // 0 + 1/√2 = 0.707, 0.911, 1
    expect(one.choose(0, every)).toBe(2);
    expect(one.choose(0, among(0, 1))).toBe(1);
    expect(one.choose(0, among(0))).toBe(0);
    expect(one.state()).toEqual({ updates: 6, trials: [2, 3, 1], mean: [0, 1 / 3, 0] });
  });

  it('keeps to its tie tolerance', () => {
    // Two means: 1/3 + 0.9 / √3 = 0.85295 and 0 + 0.9 = 0.9: 0.04705 apart, relative to 1.
    const history = [
      [0, 1],
      [0, 0],
      [0, 0],
      [1, 0],
    ] as const;
    const strict = learner('ucb', { alpha: 0.9, tieTolerance: 0.047 }, log);
    const loose = learner('ucb', { alpha: 0.9, tieTolerance: 0.0471 }, log);
    feed(strict, history);
    feed(loose, history);
    expect(strict.choose(0, among(0, 1))).toBe(1);
    expect(loose.choose(0, among(0, 1))).toBe(0);
  });

  it('adds nothing with α = 0', () => {
    const one = learner('ucb', { alpha: 0 }, log);
    feed(one, [
      [0, 0],
      [1, 1],
      [2, 1],
    ]);
    expect(one.choose(0, every)).toBe(1);
  });

  it('counts payoffs in payoff units', () => {
    const money = plainLog(2, 4, { payoff: [2.5, 5, -2.5, 0] });
    const one = learner('ucb', { alpha: 1 }, money);
    const { steps } = money.payoff;
    one.update(0, 0, 2.5, steps[0]);
    one.update(1, 1, 5, steps[1]);
    one.update(2, 1, -2.5, steps[2]);
    expect(one.state().mean).toEqual([2.5, 1.25]);
    expect(one.choose(3, among(0, 1))).toBe(0); // 3.5 against 1.25 + 0.707
  });
});

describe('ucb1', () => {
  it('follows mean + α √(2 ln t / n), t the number of updates', () => {
    const one = learner('ucb1', {}, log);
    const chosen: number[] = [];
    const payoffs = [0, 1, 0, 0, 0, 1];
    const trials = [0, 0, 0];
    const totals = [0, 0, 0];
    for (const [t, payoff] of payoffs.entries()) {
      const arm = one.choose(0, every);
      const scores = trials.map((n, a) =>
        n === 0 ? Number.POSITIVE_INFINITY : totals[a] / n + Math.sqrt((2 * Math.log(t)) / n),
      );
      expect(arm).toBe(scores.indexOf(Math.max(...scores)));
      chosen.push(arm);
      trials[arm]++;
      totals[arm] += payoff;
      one.update(0, arm, payoff, payoff);
    }
    // t = 3: 1.482, 2.482, 1.482; t = 4: 1.665, 0.5 + 1.177 = 1.677; t = 5: 1.794, 0.333 + 1.036, 1.794.
    expect(chosen).toEqual([0, 1, 2, 1, 1, 0]);
  });

  it('scales its width by α', () => {
    const one = learner('ucb1', { alpha: 0.1 }, log);
    feed(one, [
      [0, 1],
      [0, 0],
      [1, 0],
    ]);
    // 0.5 + 0.1 · 1.048 = 0.605; 0 + 0.1 · 1.482
    expect(one.choose(0, among(0, 1))).toBe(0);
    const wide = learner('ucb1', { alpha: 2 }, log);
    feed(wide, [
      [0, 1],
      [0, 0],
      [1, 0],
    ]);
    // 0.5 + 2.096 = 2.596; 2.965
    expect(wide.choose(0, among(0, 1))).toBe(1);
  });

  it('puts a new arm first when it enters', () => {
    const one = learner('ucb1', {}, log);
    feed(one, [
      [0, 1],
      [1, 1],
    ]);
    expect(one.choose(0, among(0, 1))).toBe(0);
    expect(one.choose(0, every)).toBe(2);
  });
});
