/** Where a learner stands: by hand, at the edges, and what counts as an error and what does not. */

import { describe, expect, it } from 'vitest';
import { replayKinds } from '#dist/estimate/estimators/replay-totals.js';
import {
  FEW_REPLICAS,
  type LearnerStanding,
  learnerStanding,
  runsDiffer,
} from '#dist/estimate/selection/learner-standing.js';
import { scaleOf } from '#dist/estimate/selection/standing.js';
import { emptyBlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { PayoffScale } from '#dist/estimate/sums/payoff-scale.js';
import { HALF_STARS } from '../helpers.js';
import { uniforms } from '../world.js';

const CLICKS: PayoffScale = { rounded: false, origin: 0, numerator: 1, denominator: 1, low: 0, high: 1 };

/** Replicas as the payoffs, in steps, of the retained events of each block. */
function stand(replicas: readonly (readonly (readonly number[])[])[], scale = CLICKS, maxSteps = 1): LearnerStanding {
  const blocks = replicas[0].length;
  const stats = emptyBlockStatistics(replicas.length, new Float64Array(blocks).fill(100), replayKinds({ maxSteps }));
  replicas.forEach((each, r) => {
    each.forEach((steps, b) => {
      const at = r * blocks + b;
      stats.matches[at] = steps.length;
      stats.columns[0][at] = steps.reduce((a, k) => a + k, 0);
      if (maxSteps > 1) stats.columns[1][at] = steps.reduce((a, k) => a + k * k, 0);
    });
  });
  return learnerStanding(stats, [...replicas.keys()], scale, 0.95);
}

describe('by hand', () => {
  it('a pair of blocks moves the mean by what its first does more than its second, on average over replicas', () => {
    // Values 1/2 and 1/4; a lone block at the end is a pair by itself.
    const standing = stand([
      [[1, 0], [1], [0]],
      [[0, 0], [1, 0], []],
    ]);
    expect(standing.value).toBe(0.375);
    expect(standing.summary).toMatchObject({ mean: 0.375, estimates: 2, empty: 0 });
    // (0 − 0.5)/4 and −0.5/4; (−0.5 − 0.5)/4 and 0.
    expect([...standing.influence]).toEqual([(-0.5 / 4 + -1 / 4) / 2, (-0.5 / 4 + 0) / 2]);
    expect(standing.scale).toBe(scaleOf(standing.influence));
    expect(standing.pairs).toBe(2);
    expect(standing.degrees).toBe(1);
    // Of one's value: 4/4 · 1/3 / 4 and 3/4 · 1/3 / 4.
    expect(standing.within).toBeCloseTo((1 / 12 + 0.75 / 12) / 2, 15);
  });

  it('payoffs of several steps are in payoffs', () => {
    const [clicks, stars] = [stand([[[1, 0], [0], [1], [0, 0]]]), stand([[[4, 0], [0], [4], [0, 0]]], HALF_STARS, 4)];
    const unit = (4 * HALF_STARS.numerator) / HALF_STARS.denominator;
    const low = (HALF_STARS.origin * HALF_STARS.numerator) / HALF_STARS.denominator;
    expect(stars.value).toBeCloseTo(low + (clicks.value ?? 0) * unit, 14);
    stars.influence.forEach((psi, b) => {
      expect(psi).toBeCloseTo(clicks.influence[b] * unit, 14);
    });
    expect(stars.within).toBeCloseTo(clicks.within * unit ** 2, 14);
  });
});

describe('the edges', () => {
  it('nothing was retained: nothing is known, and nothing moves', () => {
    const none = stand([[[], [], [], []]]);
    expect(none).toMatchObject({ value: null, scale: 0, pairs: 0, within: 0, degrees: null });
    expect(none.bounds(0.05)).toEqual([0, 1]);
    // Replicas without an estimate are left out.
    const some = stand([
      [[], []],
      [[1, 0], [0]],
    ]);
    expect(some.value).toBe(1 / 3);
    expect(some.influence).toEqual(stand([[[1, 0], [0]]]).influence);
    expect(some.summary).toMatchObject({ estimates: 1, empty: 1 });
  });

  it('all paid nothing, or all: as sure as the matches of one replica', () => {
    const blocks = Array.from({ length: 64 }, () => [0, 0]);
    const extreme = 1 - 0.025 ** (1 / 128);
    expect(stand([blocks, blocks]).bounds(0.05)[0]).toBe(0);
    expect(stand([blocks, blocks]).bounds(0.05)[1]).toBeCloseTo(extreme, 12);
    const paid = blocks.map(() => [1, 1]);
    expect(stand([paid]).bounds(0.05)).toEqual([expect.closeTo(1 - extreme, 12), 1]);
    expect(stand([paid]).scale).toBe(0);
  });

  it('all paid the same between the ends: no error is seen, and bounds are not a point', () => {
    const same = stand([Array.from({ length: 64 }, () => [2, 2])], HALF_STARS, 4);
    expect(same.scale).toBe(0);
    const [low, high] = same.bounds(0.05);
    expect(high - low).toBeGreaterThan(0.1);
  });

  it('two that paid in neighbouring blocks do not cancel out', () => {
    const paid = (...those: number[]): number[][] =>
      Array.from({ length: 64 }, (_, b) => [Number(those.includes(b)), 0, 0, ...(b % 3 === 0 ? [0] : [])]);
    const [blocks, apart] = [paid(10, 11), paid(10, 20)];
    const width = ([low, high]: readonly [number, number]): number => high - low;
    expect(stand([blocks]).scale).toBeLessThan(stand([apart]).scale / 10);
    expect(stand([blocks]).scale).toBeGreaterThan(0);
    expect(width(stand([blocks]).bounds(0.05))).toBeGreaterThan(0.9 * width(stand([apart]).bounds(0.05)));
  });
});

describe('what counts as an error', () => {
  const random = uniforms(5);
  /** [B][events] of clicks, by the rate of each block. */
  const clicks = (rates: readonly number[], events: number): number[][] =>
    rates.map((rate) => Array.from({ length: events }, () => Number(random() < rate)));
  const B = 256;

  it('getting better is none', () => {
    const learning = Array.from({ length: B }, (_, b) => 0.05 + (0.3 * b) / B);
    const standing = stand([clicks(learning, 400)]);
    const variance = learning.reduce((sum, p) => sum + p * (1 - p), 0) / 400 / B ** 2;
    // By chance the ratio of the variances is within 4.5 errors √(2/128) of 1; by distances to the mean it would be 13.
    expect(Math.abs(standing.scale ** 2 / variance - 1)).toBeLessThan(4.5 * Math.sqrt(2 / (B / 2)));
  });

  it('replicas that see other events know more, and those that see the same do not', () => {
    const flat = new Array<number>(B).fill(0.2);
    const one = clicks(flat, 40);
    const alone = stand([one]);
    expect(stand([one, one]).influence).toEqual(alone.influence);
    const apart = stand([one, ...Array.from({ length: 9 }, () => clicks(flat, 40))]);
    // Each sum of squares is within 4.5 errors √(2/128) of its mean.
    expect(apart.scale ** 2 / alone.scale ** 2).toBeLessThan(0.1 * ((1 + 0.5625) / (1 - 0.5625)));
  });
});

describe('replicas that differ', () => {
  const random = uniforms(9);
  const replica = (rate: number): number[][] =>
    Array.from({ length: 64 }, () => Array.from({ length: 20 }, () => Number(random() < rate)));
  const replicas = (rates: readonly number[]): LearnerStanding => stand(rates.map(replica));

  it('by more than chance are told, in hundreds of draws of one rate hardly ever', () => {
    const committed = Array.from({ length: 20 }, (_, r) => (r % 2 === 0 ? 0.1 : 0.2));
    expect(runsDiffer(replicas(committed), 1)).toBe(true);
    const flat = new Array<number>(20).fill(0.15);
    const alarms = Array.from({ length: 300 }, () => Number(runsDiffer(replicas(flat), 1) === true));
    // 3 are due; with a probability of 1 in 1,000 they are more than 9.
    expect(alarms.reduce((a, b) => a + b)).toBeLessThanOrEqual(9);
  });

  it('cannot be told of few, of one and the same, or where nothing varies', () => {
    expect(runsDiffer(replicas(new Array<number>(FEW_REPLICAS - 1).fill(0.1)), 1)).toBeNull();
    expect(runsDiffer(replicas(new Array<number>(FEW_REPLICAS).fill(0.1)), 1)).not.toBeNull();
    const one = replica(0.2);
    expect(runsDiffer(stand(Array.from({ length: 20 }, () => one)), 1)).toBeNull();
    expect(runsDiffer(replicas(new Array<number>(20).fill(0)), 1)).toBeNull();
  });

  it('the more learners are asked about, the less easily', () => {
    const apart = Array.from({ length: 20 }, (_, r) => (r % 2 === 0 ? 0.145 : 0.165));
    const standing = replicas(apart);
    const { std, estimates } = standing.summary;
    const statistic = ((estimates - 1) * (std ?? 0) ** 2) / standing.within;
    // 99 % and 99.9999 % of χ² with 19 degrees of freedom.
    const at = (goal: number): LearnerStanding => ({ ...standing, within: (standing.within * statistic) / goal });
    expect(runsDiffer(at(36.3), 1)).toBe(true);
    expect(runsDiffer(at(36.1), 1)).toBe(false);
    expect(runsDiffer(at(36.3), 10_000)).toBe(false);
    expect(runsDiffer(at(64), 10_000)).toBe(true);
  });
});
