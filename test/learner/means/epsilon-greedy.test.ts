import { describe, expect, it } from 'vitest';
import { threshold } from '#dist/learner/draws.js';
import { among, exploration, feed, learner, plainLog } from '../helpers.js';

const log = plainLog(4);
const every = among(0, 1, 2, 3);

describe('random', () => {
  it('draws the candidate that draw 1 of the event selects, whatever was learnt', () => {
    const one = learner('random', {}, log);
    const draws = exploration();
    for (let t = 0; t < 50; t++) {
      expect(one.choose(t, every)).toBe(draws.index(t, 4, 1));
      expect(one.choose(t, among(1, 3))).toBe([1, 3][draws.index(t, 2, 1)]);
      one.update(t, 0, 1, 1);
    }
  });

  it('is uniform', () => {
    const one = learner('random', {}, log);
    const counts = [0, 0, 0, 0];
    for (let t = 0; t < 40_000; t++) counts[one.choose(t, every)]++;
    const sigma = Math.sqrt(40_000 * 0.25 * 0.75);
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(4 * sigma);
  });
});

describe('epsilon-greedy', () => {
  it('with ε = 0 tries arms in index order, then takes the largest mean, lower index on ties', () => {
    const one = learner('epsilon-greedy', { epsilon: 0 }, log);
    const chosen: number[] = [];
    // Means after four updates: 0, 1, 0, 1.
    for (const payoff of [0, 1, 0, 1]) {
      const arm = one.choose(9, every);
      chosen.push(arm);
      one.update(9, arm, payoff, payoff);
    }
    expect(chosen).toEqual([0, 1, 2, 3]);
    expect(one.choose(9, every)).toBe(1);
    one.update(9, 1, 0, 0); // 1/2
    expect(one.choose(9, every)).toBe(3);
    one.update(9, 3, 0, 0); // 1/2 and 1/2
    expect(one.choose(9, every)).toBe(1);
    expect(one.choose(9, among(0, 2, 3))).toBe(3);
    expect(one.choose(9, among(2))).toBe(2);
    expect(one.state()).toEqual({ updates: 6, epsilon: 0, trials: [1, 2, 1, 2], mean: [0, 0.5, 0, 0.5] });
  });

  it('explores where draw 0 is below ε · 2³², with the candidate of draw 1', () => {
    const draws = exploration();
    const one = learner('epsilon-greedy', { epsilon: 0.3 }, log);
    feed(one, [
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 0],
    ]);
    let explored = 0;
    for (let t = 0; t < 10_000; t++) {
      const explores = draws.word(t, 0) < threshold(0.3);
      explored += explores ? 1 : 0;
      expect(one.choose(t, every)).toBe(explores ? draws.index(t, 4, 1) : 2);
    }
    expect(Math.abs(explored - 3000)).toBeLessThan(4 * Math.sqrt(10_000 * 0.3 * 0.7));
  });

  it('with ε = 1 always explores', () => {
    const one = learner('epsilon-greedy', { epsilon: 1 }, log);
    const draws = exploration();
    for (let t = 0; t < 50; t++) expect(one.choose(t, every)).toBe(draws.index(t, 4, 1));
  });

  it('with c has ε_t = min(1, c/t), t = 1 + updates', () => {
    const one = learner('epsilon-greedy', { c: 2 }, log);
    const epsilons = [one.state().epsilon];
    for (let i = 0; i < 4; i++) {
      one.update(i, 0, 0, 0);
      epsilons.push(one.state().epsilon);
    }
    expect(epsilons).toEqual([1, 1, 2 / 3, 2 / 4, 2 / 5]);
    const draws = exploration();
    for (let t = 0; t < 2000; t++) {
      expect(one.choose(t, among(0))).toBe(0);
      const explores = draws.word(t, 0) < threshold(0.4);
      expect(one.choose(t, among(0, 3))).toBe(explores ? [0, 3][draws.index(t, 2, 1)] : 3);
    }
  });
});
