import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedPoint, NumberRange, wholeNumbers } from '#dist/estimate/sums/fixed-point.js';

/** The range of numbers, and what their words stand for. */
function fixed(values: readonly number[]) {
  const range = new NumberRange();
  for (const value of values) range.add(value);
  const point = fixedPoint(range);
  const [low, high] = wholeNumbers(point, values.length, (t) => values[t]);
  const numbers = values.map((_, t) => (low[t] + (high?.[t] ?? 0) * 2 ** 32) * 2 ** point.exponent);
  return { point, numbers };
}

const number = fc.oneof(fc.double({ min: 1e-12, max: 1e12, noNaN: true }), fc.constant(0));

describe('numbers in fixed point', () => {
  it('are rounded by no more than it says, each of them', () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 20 }), (values) => {
        const { point, numbers } = fixed(values);
        values.forEach((value, t) => {
          // Both are multiples of powers of two with at most 53 bits, so that this difference is exact but for its last bit.
          const off = Math.abs(numbers[t] - value);
          expect(off).toBeLessThanOrEqual(2 ** (point.exponent - 1));
          expect(off).toBeLessThanOrEqual(point.rounding * value);
        });
      }),
    );
  });

  it.each([[[20, 0, 3, 20]], [[0.25, 1000, 0.5]], [[2 ** 40, 1]], [[1e6, 1]]])(
    'stay themselves where they are whole or binary fractions: %j',
    (values) => {
      expect(fixed(values).numbers).toEqual(values);
    },
  );

  it('take one word where that is fine enough', () => {
    expect(fixed([1, 4095]).point.words).toBe(1);
    expect(fixed([1, 4095]).point.rounding).toBeLessThanOrEqual(2 ** -20);
    expect(fixed([1, 8192]).point.words).toBe(2);
  });

  it('may be all the same, zeros, or none', () => {
    expect(fixed([0.1, 0.1, 0.1]).point.rounding).toBeLessThan(2 ** -22);
    expect(fixed([0, 0])).toEqual({ point: { exponent: 0, words: 1, rounding: 0 }, numbers: [0, 0] });
    expect(fixed([]).numbers).toEqual([]);
  });
});
