import { describe, expect, it } from 'vitest';
import { NotUniformError } from '#dist/errors.js';
import { requireUniform, testUniformity } from '#dist/log/checks/uniformity.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM, scaleToIndex, threefry2x32 } from '#dist/random/threefry.js';
import { LONG } from '../../long.js';

/** L arms of K, from a counter-based generator; `skew` turns that share of the draws to arm 0. */
function draws(seed: number, L: number, K: number, skew = 0): Uint32Array {
  const out = new Uint32Array(2);
  return Uint32Array.from({ length: L }, (_, t) => {
    threefry2x32(seed, STREAM.simulation, t, 0, out);
    return out[1] < skew * 2 ** 32 ? 0 : scaleToIndex(out[0], K);
  });
}

const log = (arm: Uint32Array, K: number, more = {}) =>
  logFromColumns({ armIndex: arm, arms: K, payoff: new Uint8Array(arm.length), ...more });

describe('uniformity', () => {
  it('agrees with the chi-square test worked by hand', () => {
    // 10, 20, 30 of 60: (100 + 0 + 100) / 20 = 10 with 2 degrees of freedom, p = e^−5. In an order without a pattern.
    const order = Array.from(draws(3, 60, 2 ** 31), (key, t) => ({ key, t })).sort((a, b) => a.key - b.key);
    const arm = Uint32Array.from(order, ({ t }) => (t < 10 ? 0 : t < 30 ? 1 : 2));
    const { test, uniform, basis } = testUniformity(log(arm, 3));
    expect(test).toMatchObject({ statistic: 10, degrees: 2, events: 60, pools: 1, mergedPools: 0, skippedEvents: 0 });
    expect(test?.pValue).toBeCloseTo(Math.exp(-5), 14);
    expect([uniform, basis]).toEqual([true, 'chi-square']);
  });

  it('goes through a long log by windows that are drawn, four times as many for users', LONG, () => {
    const L = 2 ** 22;
    const arm = draws(11, L, 4);
    const user = Array.from({ length: L }, (_, t) => Math.imul(t, 0x9e3779b1) >>> 22);
    const keys = { level: Array.from({ length: L }, (_, t) => ['a', 'b', 'c'][t % 3]) };
    const { uniform, factors } = testUniformity(log(arm, 4, { user, keys }));
    expect(uniform).toBe(true);
    const counted = (name: RegExp) => factors?.find(({ factor }) => name.test(factor))?.events ?? 0;
    // Windows of 256 events, each drawn or not: within five standard deviations of their number.
    const near = (events: number, due: number) =>
      Math.abs(events - due) <= 5 * 256 * Math.sqrt((due / 256) * (1 - due / L)) + 2048;
    expect([counted(/^the user$/), counted(/level/)]).toSatisfy(
      ([users, levels]: number[]) => near(users, 2 ** 21) && near(levels, 2 ** 19),
    );
    // A sixty-fourth of the users are shown one arm each, all arms as often.
    for (let t = 0; t < L; t++) if (user[t] % 64 === 0) arm[t] = (user[t] / 64) % 4;
    expect(() => requireUniform(log(arm, 4, { user }))).toThrow(/the user/);
  });

  it('gives p-values that are uniform on uniform logs, with and without rare pools', LONG, () => {
    const pValues = Array.from(
      { length: 400 },
      (_, seed) => testUniformity(log(draws(seed, 2000, 10), 10)).test?.pValue ?? -1,
    );
    for (const level of [0.05, 0.5, 0.9]) {
      const share = pValues.filter((p) => p < level).length / pValues.length;
      expect(Math.abs(share - level)).toBeLessThan(4 * Math.sqrt((level * (1 - level)) / pValues.length));
    }
    // 500 pools of 4 arms with 4 events each: too rare one by one, testable together.
    const pools = Array.from({ length: 500 }, (_, s) => [4 * s, 4 * s + 1, 4 * s + 2, 4 * s + 3]);
    const small = (seed: number, skew: number) => {
      const ranks = draws(seed, 2000, 4, skew);
      const pool = ranks.map((_, t) => t >> 2);
      const arm = ranks.map((rank, t) => 4 * pool[t] + rank);
      return testUniformity(log(arm, 2000, { candidates: { pools, pool } }));
    };
    const merged = Array.from({ length: 200 }, (_, seed) => small(seed, 0).test?.pValue ?? -1);
    expect(Math.abs(merged.filter((p) => p < 0.5).length / 200 - 0.5)).toBeLessThan(0.15);
    expect(small(1, 0).test).toMatchObject({ pools: 0, mergedPools: 500, events: 2000, degrees: 3 });
    expect(small(1, 0).detail).toMatch(/rare candidate sets merged by size/);
    expect(small(1, 0.3).uniform).toBe(false);
  });

  it('refuses a skewed log, names what to use, and passes it when told to', () => {
    const skewed = log(draws(1, 5000, 5, 0.2), 5);
    expect(() => requireUniform(skewed)).toThrowError(NotUniformError);
    expect(() => requireUniform(skewed)).toThrowError(
      /chi-square .* with 4 degrees of freedom, p < 1e-12[\s\S]*--estimator snips[\s\S]*--assume-uniform/,
    );
    expect(requireUniform(skewed, { assume: true })).toMatchObject({
      description: { basis: 'assumed', assumed: true },
      warnings: [expect.stringMatching(/assumed as told/)],
    });
    expect(requireUniform(log(draws(1, 5000, 5), 5))).toMatchObject({
      description: { basis: 'chi-square', assumed: false },
      warnings: [],
    });
  });

  it('tells propensities that are not uniform, with factors that show it', () => {
    const arm = draws(2, 1000, 4);
    const even = (p: number) => testUniformity(log(arm, 4, { propensity: new Float64Array(1000).fill(p) }));
    expect(even(0.25)).toMatchObject({
      uniform: true,
      basis: 'propensities',
      warning: null,
      propensities: { nonUniform: 0, minRatio: 1, maxRatio: 1 },
    });
    expect(even(0.25 * (1 + 5e-7)).uniform).toBe(true);
    const uneven = even(0.25 * (1 + 2e-6));
    expect(uneven).toMatchObject({ uniform: false, propensities: { nonUniform: 1000 } });
    expect(uneven.detail).toMatch(/by factors of 1\.000002 to 1\.000002$/);
    // A part of a log of five arms, in which one never occurs.
    const part = log(arm, 4, { propensity: new Float64Array(1000).fill(0.2) });
    expect(() => requireUniform(part)).toThrowError(
      /every propensity is 1\/5 and the log names 4 arms: .* list all 5 with --arms-order/,
    );
    const one = new Float64Array(1000).fill(0.25);
    one[3] = 0.125;
    const error = () => requireUniform(log(arm, 4, { propensity: one }));
    expect(error).toThrowError(/1 of 1,000 events differs .* by factors of 0.5 to 1/);
    const within = log(Uint32Array.from([0, 1, 2, 1]), 3, {
      candidates: [[0, 1], [0, 1, 2], [2], [1, 2]],
      propensity: [0.5, 1 / 3, 1, 0.5],
    });
    expect(testUniformity(within).uniform).toBe(true);
  });

  it('refuses arms that contradict propensities', () => {
    const skewed = log(draws(1, 5000, 5, 0.2), 5, { propensity: new Float64Array(5000).fill(0.2) });
    expect(() => requireUniform(skewed)).toThrowError(
      /the propensities say uniform, but the logged arms are not uniform .*p < 1e-12\n +events +arm +events +shown +due\n +all +0 +5,000 +3\d\.\d % +20\.0 %/,
    );
    expect(requireUniform(skewed, { assume: true }).description.basis).toBe('assumed');
  });

  it('says so where there is nothing, or too little, to test', () => {
    expect(testUniformity(log(new Uint32Array(0), 3))).toMatchObject({ uniform: true, basis: 'empty log', test: null });
    expect(testUniformity(log(new Uint32Array(100), 1))).toMatchObject({
      uniform: true,
      test: null,
      warning: null,
      detail: 'every event has a single candidate',
    });
    const few = testUniformity(log(draws(1, 12, 3), 3));
    expect(few).toMatchObject({ uniform: true, test: null });
    expect(few.warning).toMatch(/could not be tested/);
  });
});
