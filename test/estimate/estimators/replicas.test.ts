/** Statistics over replicas by hand, and Student's quantiles against printed tables. */
import { describe, expect, it } from 'vitest';
import { summarizeReplicas } from '#dist/estimate/estimators/replicas.js';
import { studentT } from '#dist/estimate/interval/student-t.js';

describe('studentT', () => {
  it.each([
    // δ, n, t from scipy 1.10 (t.isf(δ/2, n)).
    [0.05, 1, 12.706204736174705],
    [0.05, 9, 2.2621571627982053],
    [0.05, 99, 1.9842169515864176],
    [0.01, 299, 2.5923718841194776],
    [1e-6, 1, 636619.7723670577],
    [1e-9, 50, 7.498249052397867],
    [0.9, 5, 0.1321751752316873],
    [0.05, 1e6, 1.9599663568141072],
  ])('δ = %s, n = %s', (delta, n, t) => {
    expect(Math.abs(studentT(delta, n) / t - 1)).toBeLessThan(1e-12);
  });
});

describe('summarizeReplicas', () => {
  it('gives mean, deviation with n − 1, range and the interval of the mean', () => {
    const summary = summarizeReplicas([0.2, 0.4, 0.6], [0, 1], 0.95);
    expect(summary).toMatchObject({ estimates: 3, empty: 0, min: 0.2, max: 0.6 });
    expect(summary.mean).toBeCloseTo(0.4, 15);
    expect(summary.std).toBeCloseTo(0.2, 15);
    // t = 4.302652729911275 for n = 2; 0.2/√3 · t = 0.496827…; clipped at neither end.
    expect(summary.interval?.[0]).toBe(0);
    expect(summary.interval?.[1]).toBeCloseTo(0.8968275, 6);
  });

  it('leaves out replicas without an estimate, and counts them', () => {
    expect(summarizeReplicas([null, 0.5, null, 0.25], [0, 1], 0.9)).toMatchObject({
      estimates: 2,
      empty: 2,
      mean: 0.375,
      min: 0.25,
      max: 0.5,
    });
    expect(summarizeReplicas([null, null], [0, 1], 0.9)).toEqual({
      ...{ estimates: 0, empty: 2, mean: null, std: null, min: null, max: null, interval: null },
    });
  });

  it('has neither deviation nor interval for one', () => {
    expect(summarizeReplicas([0.3], [0, 1], 0.9)).toMatchObject({
      mean: 0.3,
      std: null,
      min: 0.3,
      max: 0.3,
      interval: null,
    });
  });

  it('keeps equal values exactly', () => {
    const summary = summarizeReplicas(new Array(10).fill(0.1), [0, 1], 0.95);
    expect(summary).toMatchObject({ mean: 0.1, std: 0, min: 0.1, max: 0.1, interval: [0.1, 0.1] });
  });

  it('clips the interval to the payoff range', () => {
    expect(summarizeReplicas([-5, 5], [-5, 5], 0.99).interval).toEqual([-5, 5]);
  });
});
