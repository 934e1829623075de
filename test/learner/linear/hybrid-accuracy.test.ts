/**
 * Hybrid LinUCB after 30,000 updates against exact rational arithmetic, where the paper's A₀ = λI + Σ z zᵀ − Σ BᵀA⁻¹B cancels:
 * small λ, contexts that say all of z.
 */
import { expect, it } from 'vitest';
import { linucbHybrid } from '#dist/learner/linear/linucb-hybrid.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { generator } from '../../cases/draws.js';
import { learnerOf, thetaOf, worst } from './helpers.js';

/** Features are whole multiples of 1/8. */
const SCALE = 8;
/** λ · 2⁶⁰ is whole for the λ tried. */
const BITS = 60;

/** Solves (λI + Σ n v vᵀ/64) y = Σ n r v/8 by fraction-free elimination (Bareiss 1968). */
function exactRidge(rows: readonly { v: number[]; payoff: number; times: number }[], lambda: number): number[] {
  const size = rows[0].v.length;
  const a = Array.from({ length: size }, () => new Array<bigint>(size + 1).fill(0n));
  for (const { v, payoff, times } of rows) {
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) a[i][j] += BigInt(v[i] * v[j] * times);
      a[i][size] += BigInt(SCALE * v[i] * payoff * times);
    }
  }
  const whole = BigInt(lambda * 2 ** BITS) * BigInt(SCALE ** 2);
  a.forEach((row, i) => {
    row.forEach((value, j) => {
      row[j] = (value << BigInt(BITS)) + (i === j ? whole : 0n);
    });
  });
  let previous = 1n;
  for (let c = 0; c < size; c++) {
    const pivot = a[c][c];
    for (let i = 0; i < size; i++) {
      if (i === c) continue;
      const factor = a[i][c];
      for (let j = 0; j <= size; j++) a[i][j] = (a[i][j] * pivot - factor * a[c][j]) / previous;
    }
    previous = pivot;
  }
  return a.map((row, i) => Number(((row[size] << 200n) / row[i]) >> 100n) / 2 ** 100);
}

const ARMS = 3;
const CATEGORIES = 3;
const EVENTS = 256;
const UPDATES = 30_000;

// What remains where the intercept repeats the categories: A_a itself holds λ = 0.01 beside 10⁴, to 12 digits.
it.each([
  { shared: 'product', lambda: 0.01, intercept: true, versions: 1, tolerance: 2e-8 },
  { shared: 'features', lambda: 0.01, intercept: true, versions: 1, tolerance: 2e-8 },
  { shared: 'product', lambda: 0.01, intercept: false, versions: 1, tolerance: 1e-12 },
  { shared: 'features', lambda: 0.01, intercept: false, versions: 1, tolerance: 1e-12 },
  { shared: 'product', lambda: 0.01, intercept: true, versions: 3, tolerance: 2e-8 },
  { shared: 'features', lambda: 0.01, intercept: false, versions: 256, tolerance: 1e-12 },
  { shared: 'product', lambda: 1, intercept: true, versions: 1, tolerance: 2e-12 },
] as const)('$shared, λ = $lambda, intercept: $intercept, $versions version(s)', (one) => {
  const { shared, lambda, intercept, versions, tolerance } = one;
  const draw = generator(17);
  const index = (n: number): number => Math.floor(draw() * n);
  const hot = Array.from({ length: EVENTS }, () => index(CATEGORIES));
  const x = hot.map((h) => [
    ...(intercept ? [1] : []),
    ...Array.from({ length: CATEGORIES }, (_, j) => Number(j === h)),
  ]);
  const known = Array.from({ length: ARMS }, () =>
    Array.from({ length: versions }, () => [(index(17) - 8) / SCALE, (index(17) - 8) / SCALE]),
  );
  const shown = x.map(() => known.map((rows) => rows[index(versions)]));
  const arm = x.map(() => index(ARMS));
  const payoff = x.map(() => index(2));
  const log = logFromColumns({
    armIndex: arm,
    arms: ARMS,
    payoff,
    payoffRange: [0, 1],
    context: x,
    candidates: x.map(() => [0, 1, 2]),
    candidateFeatures: shown,
  });
  const learner = learnerOf(linucbHybrid, log, { lambda, shared });
  for (let n = 0; n < UPDATES; n++) {
    const t = n % EVENTS;
    learner.update(t, arm[t], payoff[t], payoff[t]);
  }
  const d = x[0].length;
  const rows = x.map((context, t) => {
    const z = shown[t][arm[t]].flatMap((f) => (shared === 'product' ? context.map((value) => f * value) : [f]));
    const own = Array.from({ length: ARMS * d }, (_, i) => (Math.floor(i / d) === arm[t] ? context[i % d] : 0));
    const times = Math.floor(UPDATES / EVENTS) + Number(t < UPDATES % EVENTS);
    return { v: [...z, ...own].map((value) => SCALE * value), payoff: payoff[t], times };
  });
  const exact = exactRidge(rows, lambda);
  const got = [...(learner.state().beta as number[]), ...thetaOf(learner).flat()];
  expect(worst(got, exact)).toBeLessThan(tolerance);
});
