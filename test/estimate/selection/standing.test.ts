/** ψ of each block, for every estimator: what its formula says of the block, and nothing where blocks tell of no error. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EstimatorSummands } from '#dist/estimate/estimator-summands.js';
import { chooseEstimators } from '#dist/estimate/estimators/choose.js';
import { gathered, MOST_BLOCKS, scaleOf } from '#dist/estimate/selection/standing.js';
import { ONE_WORD_ROUNDING } from '#dist/estimate/sums/fixed-point.js';
import { exactSum } from '#dist/estimate/sums/whole-numbers.js';
import { HALF_STARS } from '../helpers.js';
import { type Event, estimate, numbersOf, predictionsOf, uniforms } from '../world.js';

const NAMES = [
  ...['replay', 'snips', 'ips', 'ips-clip', 'snips-clip', 'dm', 'dr', 'dr-clip', 'switch-dr', 'dros', 'sndr'],
  'cressie-read',
];
const TOLD = {
  'ips-clip': { clip: 4 },
  'snips-clip': { clip: 4 },
  'dr-clip': { clip: 4 },
  'switch-dr': { switch: 6 },
  dros: { shrinkage: 30 },
};
const told = (name: string) => ({ names: [name], ...TOLD[name as keyof typeof TOLD] });

const arm = fc.nat({ max: 2 });
const log = fc.array(
  fc.record({
    k: fc.nat({ max: 8 }),
    p: fc.double({ min: 0.02, max: 1, noNaN: true }),
    arm,
    choice: arm,
    q: fc.array(fc.double({ min: -2, max: 9, noNaN: true }), { minLength: 3, maxLength: 3 }),
  }),
  { minLength: 7, maxLength: 40 },
);

describe.each(NAMES.filter((name) => name !== 'cressie-read'))('%s', (name) => {
  it('is what the formula says of each block alone, and adds up to nothing', () => {
    fc.assert(
      fc.property(log, (events: Event[]) => {
        const asked = { ...told(name), scale: HALF_STARS };
        const { stats, row, standing } = estimate(events, asked);
        const { value, influence, scale } = standing();
        expect(value).toBe(row.value);
        const weighs = events.some(({ arm, choice, p }) => arm === choice && (name !== 'switch-dr' || 1 / p <= 6));
        // Nothing is known, or a model speaks alone.
        if (value === null || (!weighs && name !== 'dm')) {
          expect([scale, ...influence]).toEqual(new Array(influence.length + 1).fill(0));
          return;
        }
        const [chosen] = chooseEstimators([name], TOLD[name as keyof typeof TOLD] ?? {});
        const summands = new EstimatorSummands(numbersOf(events, HALF_STARS).payoff, [chosen], false);
        summands.survey(numbersOf(events, HALF_STARS));
        summands.surveyModel(numbersOf(events, HALF_STARS), predictionsOf(events));
        const numbers = (from: number, to: number) =>
          summands.numbers(
            stats,
            chosen.rule,
            (column) => exactSum(column, from, to),
            exactSum(stats.events, from, to),
          );
        const all = numbers(0, stats.blocks);
        const own = [...influence.keys()].map(
          (b) => chosen.estimator.influence?.(all, numbers(b, b + 1)) ?? Number.NaN,
        );
        // Each of some forty parts is rounded a few times, and is at most its weight (50) times a payoff or residual (14), over L or Σ w.
        const most = 50 * 14 * 200 * 2 ** -53;
        influence.forEach((value, b) => {
          expect(Math.abs(value - own[b])).toBeLessThanOrEqual(most);
        });
        expect(Math.abs(influence.reduce((a, b) => a + b, 0))).toBeLessThanOrEqual(most * stats.blocks);
        expect(scale).toBe(scaleOf(influence));
      }),
    );
  });
});

it('of what has no formula it is the jackknife: by how much the value falls without the block, about the mean of that', () => {
  const random = uniforms(4);
  // Weights are so large that their mean is above 1 whichever event is left out: the log's own mean, that of all events, has no part.
  const events = Array.from({ length: 30 }, () => ({
    ...{ k: Number(random() < 0.5), p: 0.05 + 0.1 * random() },
    ...{ arm: Math.floor(3 * random()), choice: Math.floor(3 * random()) },
  }));
  const asked = { names: ['cressie-read'], block: 1 };
  const { influence } = estimate(events, asked).standing();
  const without = events.map((_, t) => {
    const rest = events.filter((_, u) => u !== t);
    expect(rest.reduce((sum, { p, arm, choice }) => sum + (arm === choice ? 1 / p : 0), 0)).toBeGreaterThan(30);
    return estimate(rest, asked).row.value ?? Number.NaN;
  });
  const mean = without.reduce((a, b) => a + b, 0) / 30;
  // Weights of one word are rounded by a millionth at most, and no value is above 1.
  influence.forEach((value, b) => {
    expect(Math.abs(value - (29 / 30) * (mean - without[b]))).toBeLessThan(4 * ONE_WORD_ROUNDING);
  });
  expect(scaleOf(influence)).toBeGreaterThan(0.01);
});

describe('a constant payoff', () => {
  const random = uniforms(7);
  const events = Array.from({ length: 100 }, () => ({
    ...{ k: 3, p: 0.02 + 0.9 * random(), q: [0.3, 0.1, 0.7] },
    ...{ arm: Math.floor(3 * random()), choice: Math.floor(3 * random()) },
  }));
  it.each(['replay', 'snips', 'snips-clip'])('has no influence and no scale, but for rounding: %s', (name) => {
    const { influence, scale, bounds } = estimate(events, { ...told(name), scale: HALF_STARS }).standing();
    expect(scale).toBe(0);
    expect(influence).toEqual(new Float64Array(influence.length));
    const [low, high] = bounds(0.05);
    expect(low).toBeLessThan(high);
  });
});

it('without a match a model speaks alone: no block tells of an error, and all of the range is possible', () => {
  const events = Array.from({ length: 40 }, (_, t) => ({
    k: t % 2,
    p: 0.5,
    arm: 0,
    choice: 1,
    q: [0.2, 0.1 * (t % 5), 0.3],
  }));
  for (const name of ['dr', 'sndr', 'switch-dr']) {
    const { value, scale, bounds } = estimate(events, told(name)).standing();
    expect(value).toBeCloseTo(0.2, 6);
    expect([scale, ...bounds(0.05)]).toEqual([0, 0, 1]);
  }
  // The direct method goes by all events: of the model's own error it says nothing, and results warn of that.
  expect(estimate(events, told('dm')).standing().scale).toBeGreaterThan(0);
});

it('neighbours are put together where blocks are very many, and their sum is the same', () => {
  const many = Float64Array.from({ length: 5000 }, (_, b) => b % 7);
  expect(gathered(many)).toHaveLength(MOST_BLOCKS);
  expect(gathered(many).reduce((a, b) => a + b, 0)).toBe(many.reduce((a, b) => a + b, 0));
  expect(gathered(many.subarray(0, MOST_BLOCKS))).toEqual(many.subarray(0, MOST_BLOCKS));
});
