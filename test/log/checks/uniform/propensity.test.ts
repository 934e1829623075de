import { expect, it } from 'vitest';
import { factorText, saysUniform } from '#dist/log/checks/uniform/propensity.js';

it('takes 1/m with the digits it was written with, rounded or cut', () => {
  for (const m of [1, 2, 3, 6, 7, 9, 11, 30, 34, 50, 97, 3000]) {
    for (let d = 3; d <= 17; d++) {
      const digits = Number((1 / m).toPrecision(d));
      if (d > Math.log10(m) * 2) expect([m, d, saysUniform(digits, m)]).toEqual([m, d, true]);
      expect([m, d, saysUniform(Math.fround(digits), m)]).toEqual([m, d, saysUniform(digits, m)]);
    }
  }
  for (const [p, m] of [
    [0.33, 3],
    [0.166666, 6],
    [0.16, 6],
    [0.02, 50],
    [0.0208, 48],
  ])
    expect(saysUniform(p, m)).toBe(true);
});

it('takes nothing else', () => {
  // One digit that several sizes share, and digits of another number.
  for (const [p, m] of [
    [0.3, 3],
    [0.1, 11],
    [0.02, 49],
    [0.34, 3],
    [0.3334, 3],
    [0.333334, 3],
    [0.25, 3],
    [1, 2],
    [0.5, 1],
  ])
    expect([p, m, saysUniform(p, m)]).toEqual([p, m, false]);
});

it('prints a factor with the digits that tell it from 1', () => {
  expect([1, 0.999999, 1.00003, 0.5, 2.4].map(factorText)).toEqual(['1', '0.999999', '1.00003', '0.5', '2.4']);
});
