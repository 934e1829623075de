import { describe, expect, it } from 'vitest';
import { among, feed, learner, plainLog } from './helpers.js';

const every = among(0, 1, 2);

describe('emp', () => {
  it('tries arms in index order, then takes the largest mean, the lower index on ties', () => {
    const one = learner('emp', {}, plainLog(3));
    const chosen: number[] = [];
    for (const payoff of [0, 1, 1, 0, 0, 1]) {
      const arm = one.choose(0, every);
      chosen.push(arm);
      one.update(0, arm, payoff, payoff);
    }
    // Means: 0, 1, 1 → 1; 0, ½, 1 → 2; 0, ½, ½ → 1
    expect(chosen).toEqual([0, 1, 2, 1, 2, 1]);
    expect(one.state()).toEqual({ trials: [1, 3, 2], mean: [0, 2 / 3, 1 / 2] });
    expect(one.choose(0, among(0, 2))).toBe(2);
    expect(one.choose(0, among(0))).toBe(0);
  });

  it('starts from prior trials', () => {
    const one = learner('emp', { priorTrials: 4, priorPayoff: 1 }, plainLog(3));
    expect(one.choose(0, every)).toBe(0);
    feed(one, [
      [0, 0],
      [2, 1],
    ]); // 1/5, 1/4, 2/5
    expect(one.choose(0, every)).toBe(2);
    feed(one, [
      [2, 0],
      [2, 0],
      [2, 0],
    ]); // 1/5, 1/4, 2/8: 1/4 ties with 2/8
    expect(one.choose(0, every)).toBe(1);
    expect(one.choose(0, among(0, 2))).toBe(2);
  });

  it('has prior payoffs in payoff units', () => {
    const stars = plainLog(2, 3, { payoff: [2, 3.5, 5] });
    const one = learner('emp', { priorTrials: 2, priorPayoff: 6 }, stars);
    expect(one.state().mean).toEqual([3, 3]);
    expect(() => learner('emp', { priorTrials: 2, priorPayoff: 6.1 }, stars)).toThrow(
      /priorPayoff[\s\S]*6\.1 from 2 trials/,
    );
    expect(() => learner('emp', { priorTrials: 2, priorPayoff: -1 }, stars)).toThrow(/priorPayoff/);
  });

  it('takes no half step, however many there are, and a cent of millions', () => {
    const clicks = plainLog(2, 3, { payoff: [0, 1, 0] });
    expect(() => learner('emp', { priorTrials: 1e9, priorPayoff: 5e8 + 0.5 }, clicks)).toThrow(/cannot be the total/);
    expect(learner('emp', { priorTrials: 1e9, priorPayoff: 5e8 }, clicks).state().mean).toEqual([0.5, 0.5]);
    const cents = plainLog(2, 3, { payoff: [0.01, 1.99, 5] });
    const [mean] = learner('emp', { priorTrials: 1e7, priorPayoff: 12345678.91 }, cents).state().mean as number[];
    expect(mean).toBe(1.234567891);
  });
});

describe('semp', () => {
  const log = plainLog(3, 6, { keys: { segment: ['old', 'new', 'old', 'new', 'old', 'new'] } });

  it('is emp in each segment', () => {
    const one = learner('semp', { segment: 'segment' }, log);
    expect(one.choose(0, every)).toBe(0);
    one.update(0, 0, 0, 0);
    expect(one.choose(2, every)).toBe(1);
    expect(one.choose(1, every)).toBe(0);
    one.update(2, 1, 1, 1);
    one.update(4, 2, 1, 1);
    one.update(1, 0, 1, 1);
    one.update(3, 1, 0, 0);
    expect(one.choose(0, every)).toBe(1); // old: 0, 1, 1
    expect(one.choose(5, every)).toBe(2); // new: 1, 0, untried
    expect(one.choose(5, among(0, 1))).toBe(0);
    expect(one.state()).toEqual({
      segments: [
        { segment: 'new', trials: [1, 1, 0], mean: [1, 0, null] },
        { segment: 'old', trials: [1, 1, 1], mean: [0, 1, 1] },
      ],
    });
  });

  it('has prior trials in every segment', () => {
    const one = learner('semp', { segment: 'segment', priorTrials: 1 }, log);
    feed(one, [
      [0, 0],
      [1, 1],
    ]);
    // old: 0/2, 0/1, 0/1; new: 0/1, 1/2, 0/1
    expect([0, 1].map((t) => one.choose(t, every))).toEqual([0, 1]);
  });

  it('says which key column is missing', () => {
    expect(() => learner('semp', { segment: 'sgment' }, log)).toThrow(
      /semp: the log has no key column "sgment"[\s\S]*did you mean "segment"/,
    );
    expect(() => learner('semp', { segment: 'age' }, plainLog(2))).toThrow(/keep it with `keys`/);
  });
});
