import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Means } from '#dist/learner/means/means.js';
import { among } from '../helpers.js';

describe('Means', () => {
  it('ties 1/2 and 2/4 and takes the lower index', () => {
    const means = new Means(3);
    for (const [arm, steps] of [
      [0, 0],
      [1, 1],
      [1, 0],
      [1, 1],
      [1, 0],
      [2, 1],
      [2, 0],
    ] as const)
      means.add(arm, steps);
    expect(means.isLarger(1, 2)).toBe(false);
    expect(means.isLarger(2, 1)).toBe(false);
    expect(means.largest(among(0, 1, 2))).toBe(1);
    expect(means.largest(among(0, 2))).toBe(2);
  });

  it('takes untried rows first, in index order, or last', () => {
    const means = new Means(4);
    means.add(0, 1);
    expect(means.largest(among(0, 1, 3))).toBe(1);
    expect(means.largest(among(0, 3))).toBe(3);
    expect(means.largest(among(0, 1, 3), 0, 'last')).toBe(0);
    expect(means.largest(among(1, 3), 0, 'last')).toBe(1);
  });

  it('tells means apart that f64 cannot, and totals beyond 2⁵³', () => {
    const means = new Means(2, 3, 2 ** 53 - 2);
    // (2⁵³ − 2 + 4294967295)/4 against (2⁵³ − 2 + 4294967294)/4
    means.add(0, 4294967294);
    means.add(1, 4294967295);
    expect(means.isLarger(1, 0)).toBe(true);
    expect(means.isLarger(0, 1)).toBe(false);
    expect(means.largest(among(0, 1))).toBe(1);
  });

  it('compares as integer fractions do', () => {
    const row = fc.array(fc.nat({ max: 4294967295 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(row, row, (a, b) => {
        const means = new Means(2);
        for (const steps of a) means.add(0, steps);
        for (const steps of b) means.add(1, steps);
        const sum = (list: number[]) => list.reduce((total, x) => total + BigInt(x), 0n);
        expect(means.isLarger(0, 1)).toBe(sum(a) * BigInt(b.length) > sum(b) * BigInt(a.length));
      }),
    );
  });
});
