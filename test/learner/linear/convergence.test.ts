/** Fits of logistic regressions on columns of any scale: θ̂ against optima that are known otherwise, and failures that are told. */
import { describe, expect, it } from 'vitest';
import { glmUcb } from '#dist/learner/linear/glm-ucb.js';
import { CONVERGED, LogisticFit, sigmoid } from '#dist/learner/linear/logistic.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { replay } from '#dist/replay.js';
import { numericWarnings } from '#dist/report/replay-rows.js';
import { learnerOf, randomLog } from './helpers.js';

/** z at six dates and the loss, from Newton's method with 60 digits (test/large/glm_ucb.py). */
const DATES = [
  {
    lambda: 1,
    z: [
      1.1551092356481e-7, 1.1551093786065e-7, 1.1551095215649e-7, 1.1551096645232e-7, 1.1551098074816e-7,
      1.15510995044e-7,
    ],
    loss: 4.158883083359647,
  },
  {
    lambda: 1e-8,
    z: [
      -2.02886251314864e-6, -1.17111317370712e-6, -3.13363834265601e-7, 5.44385505175918e-7, 1.40213484461744e-6,
      2.25988418405896e-6,
    ],
    loss: 4.158881582298328,
  },
];

/** arg min of n₀ cost(−θx) + n₁ cost(θx) + λθ²/2: the root of a decreasing function, by bisection. */
function oneColumn(x: number, zeros: number, ones: number, lambda: number): number {
  const slope = (theta: number) => ones * x * sigmoid(-theta * x) - zeros * x * sigmoid(theta * x) - lambda * theta;
  let [low, high] = [-1, 1];
  while (slope(low) < 0) low *= 2;
  while (slope(high) > 0) high *= 2;
  for (let n = 0; n < 200; n++) {
    const middle = (low + high) / 2;
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function fitted(lambda: number, rows: readonly { x: readonly number[]; zeros: number; ones: number }[]) {
  const fit = new LogisticFit(rows[0].x.length, lambda);
  for (const { x, zeros, ones } of rows) {
    for (let n = 0; n < zeros + ones; n++) fit.add(Float64Array.from(x), n < ones ? 1 : 0);
    // As a replay asks: after every few events, from the last estimate.
    fit.estimate();
  }
  return { theta: [...fit.estimate()], report: fit.report, loss: fit.loss() };
}

describe.each([1, 1e-4, 1e-10])('λ = %s', (lambda) => {
  it('columns from 1e-6 to 1e12 beside one another, each with contexts of its own', () => {
    const sizes = [1e-6, 1, 20_200_101, 1e9, 1e12];
    const counts = sizes.map((_, j) => ({ zeros: 3 + j, ones: 2 + 2 * j }));
    const rows = sizes.map((size, j) => ({ x: sizes.map((_, i) => (i === j ? size : 0)), ...counts[j] }));
    const { theta, report } = fitted(lambda, rows);
    sizes.forEach((size, j) => {
      const { zeros, ones } = counts[j];
      // What bisection leaves, and one part in 10⁹ of what converged fits may lack.
      expect(Math.abs((theta[j] - oneColumn(size, zeros, ones, lambda)) * size)).toBeLessThan(1e-8);
    });
    expect(report.notConverged).toBe(0);
  });

  it('a column twice shares one coefficient', () => {
    const { theta, report } = fitted(lambda, [{ x: [1e7, 1e7, 0], zeros: 3, ones: 9 }]);
    expect(report.notConverged).toBe(0);
    // z = (θ₁ + θ₂) x with θ₁ = θ₂ is one column √2 x with √2 θ₁.
    const z = oneColumn(Math.SQRT2 * 1e7, 3, 9, lambda) * Math.SQRT2 * 1e7;
    expect((theta[0] + theta[1]) * 1e7).toBeCloseTo(z, 7);
    if (lambda === 1) expect(theta[0] * 1e7).toBeCloseTo(z / 2, 0);
  });

  it('one value of each payoff: separable, and found', () => {
    const { theta, report } = fitted(lambda, [{ x: [3e8], zeros: 0, ones: 5 }]);
    const best = oneColumn(3e8, 0, 5, lambda);
    // Saturated: z may be off where σ(z) is not.
    expect(Math.abs(sigmoid(-theta[0] * 3e8) - sigmoid(-best * 3e8))).toBeLessThan(1e-8);
    expect(report.notConverged).toBe(0);
  });
});

it('a context that contradicts the estimate by far is fitted all the same', () => {
  const { theta, report } = fitted(1, [
    { x: [1, 0], zeros: 0, ones: 5 },
    { x: [1e8, 1], zeros: 5, ones: 0 },
  ]);
  expect(report.notConverged).toBe(0);
  expect(sigmoid(theta[0] * 1e8 + theta[1])).toBeLessThan(0.2);
});

it.each(DATES)('dates as numbers beside an intercept, λ = $lambda', ({ lambda, z, loss }) => {
  const clicks = [0, 0, 1, 0, 1, 1];
  const rows = clicks.map((click, day) => ({ x: [20_200_101 + day, 1], zeros: 1 - click, ones: click }));
  const fit = fitted(lambda, rows);
  expect(fit.report.notConverged).toBe(0);
  rows.forEach(({ x }, day) => {
    expect(fit.theta[0] * x[0] + fit.theta[1]).toBeCloseTo(z[day], 8);
  });
  expect(fit.loss).toBeCloseTo(loss, 10);
});

describe('in a replay', () => {
  const events = 600;
  const arm = Array.from({ length: events }, (_, t) => (t * 7 + (t >> 3)) % 2);
  const click = Array.from({ length: events }, (_, t) => (t * 13 + (t >> 2)) % 3 === 0);
  const log = (size: number) =>
    logFromColumns({
      armIndex: arm,
      arms: 2,
      payoff: click.map(Number),
      context: arm.map((_, t) => [size * (1 + (t % 5)), 1]),
    });
  const options = { device: 'cpu', assumeUniform: true, repeats: 3, subsample: 0.8 } as const;

  it('fits are counted, alike in memory, on threads and in batches', async () => {
    const inMemory = await replay(log(1), [{ algorithm: 'glm-ucb' }], { ...options, threads: 1 });
    const inBatches = await replay(log(1), [{ algorithm: 'glm-ucb' }], { ...options, stretchEvents: 100 });
    const { numerics, matches } = inMemory.learners[0];
    expect(numerics?.notConverged).toBe(0);
    // Fits wait for the next decision that asks for them: at most one per retained event, and one per arm at the end.
    expect(numerics?.fits).toBeGreaterThan(0.8 * 3 * matches);
    expect(numerics?.fits).toBeLessThanOrEqual(3 * matches);
    expect(inBatches.learners[0]).toEqual(inMemory.learners[0]);
    expect(inMemory.warnings.filter((text) => text.includes('converge'))).toEqual([]);
  });

  it('contexts beyond f64 are an error: no score is NaN in silence', async () => {
    for (const algorithm of ['glm-ucb', 'linucb', 'cemp', 'lin-thompson', 'linrel'] as const) {
      await expect(replay(log(1e200), [{ algorithm }], options)).rejects.toThrow(/finite|singular|f64/);
    }
  });
});

it('a fit whose Hessian is beyond f64 has not converged', () => {
  const { report } = fitted(1, [{ x: [1e200, 1], zeros: 2, ones: 3 }]);
  expect(report).toMatchObject({ fits: 1, notConverged: 1, decrement: Number.POSITIVE_INFINITY });
});

it('nor has one that rounding keeps from it', () => {
  const { report } = fitted(1e-10, [
    { x: [1e7, 1e7], zeros: 2, ones: 3 },
    { x: [2e7, 2e7], zeros: 3, ones: 2 },
  ]);
  expect(report.notConverged).toBeGreaterThan(0);
});

it('a context unlike all others is doubtful where columns follow from one another', () => {
  const fit = new LogisticFit(2, 1);
  for (const [v, r] of [
    [1, 1],
    [2, 0],
    [3, 1],
  ])
    fit.add(Float64Array.of(1e7 * v, 1e7 * v), r);
  fit.estimate();
  expect(fit.report.notConverged).toBe(0);
  fit.judge(Float64Array.of(2e7, 2e7));
  expect(fit.report.doubtful).toBe(0);
  fit.judge(Float64Array.of(2e7, 0));
  expect(fit.report.doubtful).toBe(1);
});

it('failures are warned of: how many, in which replicas, what to do', () => {
  const log = logFromColumns({
    armIndex: [0, 0],
    arms: 1,
    payoff: [1, 0],
    context: [
      [1e200, 1],
      [2e200, 3],
    ],
  });
  const learner = learnerOf(glmUcb, log);
  learner.update(0, 0, 1, 1);
  const numerics = learner.numerics?.() ?? null;
  const settings = [{ name: 'glm-ucb' }, { name: 'ucb1' }] as unknown as Parameters<
    typeof numericWarnings
  >[0]['settings'];
  const replicas = [0, 0, 0, 1].map((setting, number) => ({ setting, number }));
  const [warning, ...more] = numericWarnings({ settings, replicas }, [null, numerics, numerics, null]);
  expect(more).toEqual([]);
  expect(warning).toBe(
    'glm-ucb: 1 of 1 fit of logistic regressions did not converge, so its decisions are not to be relied on (the Newton decrement stayed at Infinity at worst, and 1e-8 is needed); bring context columns to similar sizes around 0 with --scale standard or max (in code: scale), leave out context columns that follow from others (x0 goes up to 1.00e+200, x1 goes up to 1.00), or take a larger lambda (in 2 of 3 replicas; this is the first of them)',
  );
});

it('cemp: steps that overshoot are counted and warned of, others are not', async () => {
  // A click rate near 1 at x, a wide posterior at 1000 x, and no click there.
  const context = [...Array.from({ length: 12 }, () => [0.01, 0]), [1, 1000], [1, 1000]];
  const payoff = context.map((_, t) => (t < 13 ? 1 : 0));
  const wild = logFromColumns({
    armIndex: payoff.map(() => 0),
    arms: 1,
    payoff,
    context: context.map(([a, b], t) => (t === 12 ? [100, 0] : [a, b])),
  });
  const run = await replay(wild, [{ algorithm: 'cemp', lambda: 1e-6 }], { device: 'cpu', assumeUniform: true });
  const [{ numerics }] = run.learners;
  expect(numerics?.steps).toBe(14);
  expect(numerics?.overshot).toBe(1);
  expect(run.warnings.join()).toMatch(/^cemp.*: 1 of 14 Newton steps overshot, the worst by moving/);
  const tame = randomLog({ events: 5000, arms: 4, d: 6, seed: 3 });
  const calm = await replay(tame, [{ algorithm: 'cemp' }], { device: 'cpu', assumeUniform: true });
  expect(calm.learners[0].numerics?.overshot).toBe(0);
  expect(calm.warnings).toEqual([]);
});

it('the criterion keeps scores within 1/100 of the default tie tolerance', () => {
  expect(CONVERGED / 2).toBeLessThanOrEqual(1e-6 / 100);
});
