import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBinary, stepSize } from '#dist/estimate/sums/payoff-scale.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { payoffs } from '../files.js';

const log = (payoff: number[], payoffRange?: [number, number]) =>
  logFromColumns({ arm: payoff.map(() => 'a'), payoff, payoffRange });

describe('payoff scale', () => {
  it('keeps clicks as 0 and 1, also where none or every event is clicked', () => {
    for (const clicks of [[0, 1, 1], [0, 0], [1, 1], []]) {
      const { payoff } = log(clicks);
      expect(Array.from(payoff.steps)).toEqual(clicks);
      expect(isBinary(payoff.scale, payoff.maxSteps)).toBe(true);
      expect(payoff.rangeBasis).toBe('unit');
    }
  });

  it('finds cents, half-stars, thirds and large steps', () => {
    expect(log([0.1, 0.25, 1.99]).payoff.scale).toMatchObject({ rounded: false, denominator: 100 });
    expect(log([3.5, 4, 0.5]).payoff.scale).toMatchObject({ denominator: 2, numerator: 1, low: 0.5, high: 4 });
    expect(log([1 / 3, 2 / 3]).payoff.scale).toMatchObject({ denominator: 3, numerator: 1 });
    expect(log([0, 100, 300]).payoff).toMatchObject({ maxSteps: 3, scale: { numerator: 100, denominator: 1 } });
    expect(log([-5, 5]).payoff).toMatchObject({
      maxSteps: 2,
      scale: { origin: -1, numerator: 5 },
      rangeBasis: 'observed',
    });
  });

  it('takes the declared range, and refuses what is outside it', () => {
    expect(log([0, 1], [0, 5]).payoff).toMatchObject({ rangeBasis: 'declared', scale: { low: 0, high: 5 } });
    expect(() => log([0, 6], [0, 5])).toThrowError(
      /row 1, column "payoff": payoff is outside the declared range\n {2}got: {4}6\n {2}needed: 0 to 5/,
    );
    expect(() => log([0], [1, 1])).toThrowError(/not a range/);
    expect(() => log([0], [0, Number.POSITIVE_INFINITY])).toThrowError(/not a range/);
  });

  it('rounds once, and says so, where no step is exact', () => {
    const values = Array.from({ length: 50 }, (_, i) => Math.sqrt(i + 2) % 1);
    const packed = log(values);
    expect(packed.payoff.scale.rounded).toBe(true);
    for (const [t, r] of payoffs(packed).entries()) expect(Math.abs(r - values[t])).toBeLessThanOrEqual(2 ** -32);
  });

  it('handles a constant that no step can hold, and a range too wide for steps', () => {
    expect(payoffs(log([Math.PI, Math.PI]))).toEqual([Math.PI, Math.PI]);
    const wide = log([1e-9, 1e15]);
    expect(wide.payoff.scale.rounded).toBe(true);
    expect(payoffs(log([2 ** 53, 2 ** 53 + 4096]))).toEqual(
      [2 ** 53, 2 ** 53 + 4096].map((r) => expect.closeTo(r, -4)),
    );
    expect(payoffs(log([1e15, 1e15 + 7]))).toEqual([1e15, 1e15 + 7]);
  });

  it('works beyond the dictionary of distinct values', () => {
    const values = Array.from({ length: 70000 }, (_, i) => i / 100);
    expect(payoffs(log(values))).toEqual(values);
  });

  it('gives back every payoff to the last bit where it says exact, and within a step where not', () => {
    const grids = fc.constantFrom(1, 2, 3, 4, 5, 8, 10, 16, 100, 1000, 1e6, 2 ** 20, 2 ** 32);
    fc.assert(
      fc.property(
        grids,
        // A span of 2³² is one step more than a word holds.
        fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { minLength: 1 }),
        (denominator, ns) => {
          const values = ns.map((n) => n / denominator + 0);
          const packed = log(values);
          expect(packed.payoff.scale.rounded).toBe(false);
          expect(payoffs(packed)).toEqual(values);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (values) => {
        const span = Math.max(...values) - Math.min(...values);
        if (span > 0 && span / 2 ** 32 < 2 ** -1022) {
          expect(() => log(values)).toThrowError(/^column "payoff": payoffs lie too close together/);
          return;
        }
        const packed = log(values);
        const { rounded, low, high } = packed.payoff.scale;
        for (const [t, r] of payoffs(packed).entries()) {
          if (rounded) expect(Math.abs(r - values[t])).toBeLessThanOrEqual((high - low) * 2 ** -31);
          else expect(r).toBe(values[t] + 0);
        }
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true, min: Math.fround(2 ** -8), max: 1 })), (values) => {
        expect(payoffs(log(values))).toEqual(values);
      }),
    );
  });

  it('steps divide what payoffs span, however wide the declared range', () => {
    const { payoff } = log([0.1, Math.PI / 10], [0, 1e9]);
    expect(payoff.scale).toMatchObject({ rounded: true, low: 0, high: 1e9, base: 0.1 });
    expect(stepSize(payoff.scale)).toBeLessThan(1e-10);
    expect(() => log([-1.7e308, 1.7e308, 0.1])).toThrowError(/too far apart/);
  });

  it('knows the typical size and the exact step of what it rounds', () => {
    expect(log([1e9, 0.02, 0.03, 0, 0, 0, 0]).payoff.rounding).toEqual({
      typical: 2 ** -6,
      exact: { step: 0.01, steps: 1e11 },
    });
    expect(log([-1e12, Math.E, Math.PI, Math.SQRT2, 5]).payoff.rounding).toEqual({ typical: 2, exact: null });
    expect(log([0.5, 1]).payoff.rounding).toBeUndefined();
  });

  it('refuses NaN and infinities, with row and value', () => {
    expect(() => log([0, Number.NaN])).toThrowError(
      /row 1, column "payoff": payoff is not a finite number\n {2}got: {4}NaN/,
    );
    expect(() => log([Number.POSITIVE_INFINITY])).toThrowError(/row 0, column "payoff"/);
    expect(() => log([0, undefined as unknown as number])).toThrowError(/row 1/);
  });
});
