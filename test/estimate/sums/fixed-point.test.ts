import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedColumns, fixedPoint, fixedSum, NumberRange } from '#dist/estimate/sums/fixed-point.js';

/** The range of numbers, and their words. */
function fixed(values: readonly number[]) {
  const range = new NumberRange();
  for (const value of values) range.add(value);
  const point = fixedPoint(range);
  const columns = fixedColumns('x', point, values.length, (t) => values[t]);
  const sums = columns.map(({ words }) => words.reduce((sum, word) => sum + BigInt(word), 0n));
  return { point, columns, total: Number(fixedSum(point, values.length, sums)) * 2 ** point.exponent };
}

const size = fc.double({ min: 1e-12, max: 1e12, noNaN: true });
const signed = fc.oneof(
  size,
  size.map((value) => -value),
  fc.constant(0),
);

describe('numbers in fixed point', () => {
  it('are rounded by no more than it says, each of them', () => {
    fc.assert(
      fc.property(fc.array(signed, { minLength: 1, maxLength: 20 }), (values) => {
        const { point, columns } = fixed(values);
        values.forEach((value, t) => {
          const whole = fixedSum(
            point,
            1,
            columns.map(({ words }) => BigInt(words[t])),
          );
          // Both are multiples of powers of two with at most 53 bits, so that this difference is exact but for its last bit.
          const off = Math.abs(Number(whole) * 2 ** point.exponent - value);
          expect(off).toBeLessThanOrEqual(2 ** (point.exponent - 1));
          expect(off).toBeLessThanOrEqual(point.rounding * Math.abs(value));
        });
      }),
    );
  });

  it('stay themselves where they are whole or binary fractions', () => {
    expect(fixed([20, 0, 3, 20]).total).toBe(43);
    expect(fixed([0.25, 1000, 0.5]).total).toBe(1000.75);
    expect(fixed([-3, 5, -0.5]).total).toBe(1.5);
    expect(fixed([2 ** 40, 1]).total).toBe(2 ** 40 + 1);
  });

  it('take one word where that is fine enough', () => {
    expect(fixed([1, 1000]).columns.map(({ name }) => name)).toEqual(['x']);
    expect(fixed([1, 2048]).columns).toHaveLength(2);
    expect(fixed([1, 1e6]).columns.map(({ name }) => name)).toEqual(['x, low word', 'x, high word']);
    expect(fixed([-1, 1e6]).total).toBe(1e6 - 1);
  });

  it('may be all the same, zeros, or none', () => {
    expect(fixed([0.1, 0.1, 0.1]).point.rounding).toBeLessThan(2 ** -22);
    expect(fixed([0, 0]).total).toBe(0);
    expect(fixed([]).columns[0].words).toHaveLength(0);
  });
});
