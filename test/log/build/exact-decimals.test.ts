/** payoff = offset + scale · cost of decimals as they are written. */
import { expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { linearOf } from '#dist/log/build/exact-decimals.js';
import { payoffs, write } from '../files.js';

it('rounds once: every cent of cost is a payoff in cents', () => {
  for (const [scale, offset, places] of [
    [-2, 1, 2],
    [-0.1, 0.3, 3],
    [1.1, -0.07, 3],
    [-1, 1, 2],
    [3, 1e6, 2],
  ] as const) {
    const payoff = linearOf(scale, offset);
    for (let cents = -300; cents <= 300; cents++) {
      // Whole numbers of the smallest place, far below 2^53.
      const unit = 10 ** places;
      const exact = Math.round(offset * unit) + (Math.round(scale * unit) * cents) / 100;
      expect(payoff(cents / 100)).toBe(exact / unit);
    }
  }
});

it('takes numbers of any size, and keeps what is not finite', () => {
  expect(linearOf(-1, 0)(0.07)).toBe(-0.07);
  expect(linearOf(-2, 1)(1e-300)).toBe(1);
  expect(linearOf(1, 1e-320)(0)).toBe(1e-320);
  expect(linearOf(1e300, 0)(1e300)).toBe(Number.POSITIVE_INFINITY);
  expect(linearOf(1, 2)(Number.NaN)).toBeNaN();
  expect(linearOf(1 / 3, 0)(0.3)).toBeCloseTo(0.1, 15);
});

const COSTS = [0.07, 0.29, 0.57, 0.58, 1.1, 0.01, 0.14];

it.each([
  ['vw', COSTS.map((cost, i) => `${1 + (i % 2)}:${cost}:0.5 | a\n`).join('')],
  [
    'dsjson',
    COSTS.map((cost, i) =>
      JSON.stringify({
        _label_cost: cost,
        _label_probability: 0.5,
        _label_Action: 1 + (i % 2),
        _labelIndex: i % 2,
        a: [1 + (i % 2), 2 - (i % 2)],
        p: [0.5, 0.5],
        c: { _multi: [{ x: 1 }, { x: 2 }] },
      }),
    ).join('\n'),
  ],
])('%s: costs in cents are exact with --payoff-from-cost=-2,1', async (ending, text) => {
  const log = await readLog([write(`cents.${ending}`, text)], { payoffFromCost: { scale: -2, offset: 1 } });
  expect(log.payoff.scale).toMatchObject({ rounded: false, denominator: 50 });
  expect(payoffs(log)).toEqual([0.86, 0.42, -0.14, -0.16, -1.2, 0.98, 0.72]);
});
