/** Regressions solved afresh, which verify those in double-doubles. */
import { afterEach, expect, it, vi } from 'vitest';
import { FreshFactors } from '#dist/learner/linear/fresh-factors.js';
import { WideFactors } from '#dist/learner/linear/wide-factors.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { replay } from '#dist/replay.js';
import { mulberry } from './helpers.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Two columns that follow from one another, and one of another size. */
function collinear(events: number) {
  const random = mulberry(5);
  const euros = Array.from({ length: events }, () => Math.floor(1e6 + 1e5 * random()));
  return {
    context: euros.map((e) => [e, 100 * e, 1e-3 * random()]),
    armIndex: euros.map(() => Math.floor(3 * random())),
    payoff: euros.map(() => Math.floor(2 * random())),
  };
}

it.each([
  { k: 0, weight: 1 },
  { k: 0, weight: 0.21 },
  { k: 3, weight: 1 },
])('scores are those of double-doubles to 15 digits: shared columns $k, weight $weight', ({ k, weight }) => {
  const { context, armIndex, payoff } = collinear(120);
  const shape = { arms: 3, d: 3, k };
  const both = [new WideFactors(shape, 0.5), new FreshFactors(shape, 0.5, { largest: 2e8, rows: 120 })];
  for (const [t, x] of context.entries()) {
    const [wide, fresh] = both.map((factors) => {
      factors.row.set(x);
      // z: the context times a feature of the arm.
      for (let j = 0; j < k; j++) factors.row[3 + j] = x[j] * (armIndex[t] + 1);
      factors.load();
      return { mean: factors.mean(armIndex[t]), variance: factors.variance(armIndex[t]) };
    });
    // Both are wrong by 2⁻¹⁰⁰ times a condition number of some 10¹⁰; f64 by all.
    expect(Math.abs(wide.mean - fresh.mean)).toBeLessThanOrEqual(1e-15 * Math.max(1, Math.abs(wide.mean)));
    expect(Math.abs(wide.variance - fresh.variance)).toBeLessThanOrEqual(1e-15 * wide.variance);
    for (const factors of both) {
      if (weight === 1) factors.regress(armIndex[t], payoff[t]);
      else factors.step(armIndex[t], weight, payoff[t] - 0.3);
    }
  }
  const [wide, fresh] = both.map((factors) => factors.coefficients());
  fresh.theta.forEach((theta, i) => {
    expect(Math.abs(wide.theta[i] - theta)).toBeLessThanOrEqual(1e-12 * Math.abs(theta));
  });
  expect(both[1].solved().condition / both[0].solved().condition).toBeCloseTo(1, 3);
});

it('a number of 2³⁵⁰ in one column, and none in another', () => {
  const factors = new FreshFactors({ arms: 1, d: 2, k: 0 }, 1, { largest: 2 ** 350, rows: 3 });
  factors.row.set([2 ** 350, 0]);
  factors.load();
  factors.regress(0, 1);
  factors.load();
  // q/(1 + q) and 1 · q/(1 + q), q = 2⁷⁰⁰.
  expect(factors.mean(0)).toBe(1);
  expect(factors.variance(0)).toBe(1);
  factors.row.set([0, 2]);
  factors.load();
  expect([factors.mean(0), factors.variance(0)]).toEqual([0, 4]);
});

it('what double-doubles get wrong fails verification', async () => {
  const { context, armIndex, payoff } = collinear(400);
  const log = logFromColumns({ context, armIndex, payoff, arms: 3 });
  const options = { device: 'cpu', threads: 1, assumeUniform: true, verify: true } as const;
  const run = async () => (await replay(log, [{ algorithm: 'linucb' }], options)).engine.verified;
  expect(await run()).toMatchObject({ passed: true, differing: 0 });
  const mean = WideFactors.prototype.mean;
  vi.spyOn(WideFactors.prototype, 'mean').mockImplementation(function (this: WideFactors, arm) {
    return mean.call(this, arm) + 0.05 * arm;
  });
  expect(await run()).toMatchObject({ passed: false });
});
