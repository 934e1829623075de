import { describe, expect, it } from 'vitest';
import { among, learner, plainLog } from '../helpers.js';

const MINUTE = 60_000;

/** Four events: two in one period of five minutes, one in the next, one three periods later. */
const timed = plainLog(2, 4, { time: [0, MINUTE, 5 * MINUTE, 21 * MINUTE], timeUnit: 'ms' });

describe('gamma-poisson', () => {
  it('adds payoffs and views, and discounts per period', () => {
    const one = learner('gamma-poisson', { alpha: 1, gamma: 2, discount: 0.5 }, timed);
    one.update(0, 0, 1, 1);
    one.update(1, 0, 0, 0);
    expect(one.state()).toEqual({ alpha: [2, 1], gamma: [4, 2], mean: [0.5, 0.5] });
    one.update(2, 0, 1, 1); // ½ · 2 + 1, ½ · 4 + 1
    expect(one.state()).toMatchObject({ alpha: [2, 1], gamma: [3, 2] });
    one.update(3, 0, 0, 0); // ⅛ · 2, ⅛ · 3 + 1
    expect(one.state()).toMatchObject({ alpha: [0.25, 1], gamma: [1.375, 2] });
    one.update(3, 1, 1, 1); // the first view: the prior is whole
    expect(one.state()).toMatchObject({ alpha: [0.25, 2], gamma: [1.375, 3] });
  });

  it('chooses the largest posterior mean, the lower index on ties', () => {
    const one = learner('gamma-poisson', {}, timed);
    expect(one.choose(0, among(0, 1))).toBe(0);
    one.update(0, 0, 1, 1); // 2/2 against 1/1
    expect(one.choose(0, among(0, 1))).toBe(0);
    one.update(1, 0, 0, 0); // 2/3
    expect(one.choose(0, among(0, 1))).toBe(1);
    expect(one.choose(0, among(0))).toBe(0);
    one.update(1, 1, 0, 0); // 1/2
    expect(one.choose(0, among(0, 1))).toBe(0);
  });

  it('has periods in events, and of another length', () => {
    const byEvents = learner('gamma-poisson', { discount: 0.5, periodEvents: 2 }, plainLog(2, 4));
    byEvents.update(0, 0, 0, 0);
    byEvents.update(1, 0, 0, 0);
    byEvents.update(2, 0, 0, 0);
    expect(byEvents.state()).toMatchObject({ alpha: [0.5, 1], gamma: [2.5, 1] });
    const byMinute = learner('gamma-poisson', { discount: 0.5, period: '1m' }, timed);
    byMinute.update(0, 0, 0, 0);
    byMinute.update(1, 0, 0, 0);
    expect(byMinute.state()).toMatchObject({ alpha: [0.5, 1], gamma: [2, 1] });
  });

  it('forgets nothing with δ = 1, nor where time goes back', () => {
    const one = learner('gamma-poisson', { discount: 1 }, timed);
    one.update(0, 0, 1, 1);
    one.update(3, 0, 1, 1);
    expect(one.state()).toMatchObject({ alpha: [3, 1], gamma: [3, 1] });
    const back = learner('gamma-poisson', { discount: 0.5 }, timed);
    back.update(2, 0, 0, 0);
    back.update(0, 0, 0, 0);
    back.update(2, 0, 0, 0);
    expect(back.state()).toMatchObject({ alpha: [1, 1], gamma: [4, 1] });
  });

  it('stays a number after any time', () => {
    const years = plainLog(1, 3, { time: [0, 1e12, 2e12], timeUnit: 'ms' });
    const one = learner('gamma-poisson', { discount: 1e-6, alpha: 0 }, years);
    for (const t of [0, 1, 2]) one.update(t, 0, 0, 0);
    expect(one.state().mean).toEqual([0]);
  });

  it('says what it lacks', () => {
    expect(() => learner('gamma-poisson', {}, plainLog(2))).toThrow(/no times[\s\S]*periodEvents/);
    expect(() => learner('gamma-poisson', { periodEvents: 1 }, plainLog(2, 2, { payoff: [-1, 1] }))).toThrow(
      /not negative/,
    );
  });
});
