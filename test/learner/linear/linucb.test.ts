/** LinUCB: a history worked out by hand, direct solves, drift, ties, and `matches` against `choose`. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linucb } from '#dist/learner/linear/linucb.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import {
  candidatesOf,
  column,
  contextOf,
  identity,
  inverse,
  learnerOf,
  multiply,
  payoffOf,
  plainReplay,
  plus,
  randomLog,
  thetaOf,
  transpose,
  worst,
} from './helpers.js';

describe('by hand', () => {
  // Two arms, d = 1, x = 1: A_a = 1 + n_a, b_a = payoffs, score = b/A + α/√A.
  const log = logFromColumns({ armIndex: [0, 1, 1, 0], arms: 2, payoff: [0, 1, 0, 0], context: [[1], [1], [1], [1]] });

  it('α = 1: 0 → arm 1 is wider → its payoff keeps it ahead', () => {
    // t=0: 1, 1 → tie, arm 0, r = 0. t=1: 1/√2, 1 → arm 1, r = 1. t=2: 1/√2, 1/2 + 1/√2 → arm 1, r = 0.
    // t=3: 0.707, 1/3 + 1/√3 = 0.911 → arm 1, logged 0: not retained.
    const learner = learnerOf(linucb, log);
    expect(plainReplay(learner, log)).toEqual({
      T: 3,
      G: 1,
      perArmT: [1, 2],
      perArmG: [0, 1],
      retained: [0, 1, 2],
    });
    const [first, second] = thetaOf(learner);
    expect(first[0]).toBe(0);
    expect(second[0]).toBeCloseTo(1 / 3, 15);
  });

  it('λ = 4 halves the first width and shrinks θ', () => {
    const learner = learnerOf(linucb, log, { lambda: 4 });
    learner.update(1, 1, 1, 1);
    expect(thetaOf(learner)[1][0]).toBeCloseTo(1 / 5, 15);
    // Scores: arm 0: 1/2, arm 1: 1/5 + 1/√5 = 0.647.
    expect(learner.choose(2, candidatesOf(log, 2))).toBe(1);
  });

  it('a fresh learner ties everywhere: the lowest candidate', () => {
    const pools = logFromColumns({
      armIndex: [2, 1],
      arms: 3,
      payoff: [0, 1],
      context: [[1], [2]],
      candidates: [
        [1, 2],
        [0, 1, 2],
      ],
    });
    const learner = learnerOf(linucb, pools);
    expect([0, 1].map((t) => learner.choose(t, candidatesOf(pools, t)))).toEqual([1, 0]);
  });
});

describe.each([
  { d: 1, arms: 3, contexts: 'real' },
  { d: 6, arms: 4, contexts: 'real' },
  { d: 13, arms: 2, contexts: 'real' },
  { d: 7, arms: 3, contexts: 'onehot' },
] as const)('against direct solves: d = $d, $contexts', ({ d, arms, contexts }) => {
  it('θ and choices', () => {
    const log = randomLog({ events: 1500, arms, d, contexts, seed: d });
    const alpha = 0.7;
    const learner = learnerOf(linucb, log, { alpha, lambda: 0.5, tieTolerance: 0 });
    const A = Array.from({ length: arms }, () => identity(d, 0.5));
    const b = Array.from({ length: arms }, () => column(new Float64Array(d)));
    for (let t = 0; t < log.events; t++) {
      const a = log.arm[t];
      const x = column(contextOf(log, t));
      if (t % 100 === 99) {
        const scores = A.map((matrix, arm) => {
          const inverted = inverse(matrix);
          const mean = multiply(transpose(multiply(inverted, b[arm])), x)[0][0];
          return mean + alpha * Math.sqrt(multiply(transpose(x), multiply(inverted, x))[0][0]);
        });
        const best = scores.indexOf(Math.max(...scores));
        const second = Math.max(...scores.filter((_, arm) => arm !== best));
        if (scores[best] - second > 1e-9) expect(learner.choose(t, candidatesOf(log, t))).toBe(best);
        for (const [arm, theta] of thetaOf(learner).entries()) {
          expect(worst(theta, multiply(inverse(A[arm]), b[arm]).flat())).toBeLessThan(1e-12);
        }
      }
      learner.update(t, a, payoffOf(log, t), 0);
      A[a] = plus(A[a], multiply(x, transpose(x)));
      b[a] = plus(b[a], x, payoffOf(log, t));
    }
  });
});

it.each([
  { lambda: 1, contexts: 'real' },
  { lambda: 1e-6, contexts: 'real' },
  { lambda: 1, contexts: 'onehot' },
] as const)('drift of θ after 10⁶ updates of one arm: λ = $lambda, $contexts', ({ lambda, contexts }) => {
  const d = 6;
  const log = randomLog({ events: 4096, arms: 1, d, contexts });
  const learner = learnerOf(linucb, log, { lambda });
  const updates = 1_000_000;
  let A = identity(d, lambda);
  let b = column(new Float64Array(d));
  for (let n = 0; n < updates; n++) learner.update(n % 4096, 0, payoffOf(log, n % 4096), 0);
  for (let t = 0; t < log.events; t++) {
    const x = column(contextOf(log, t));
    const times = Math.floor(updates / 4096) + Number(t < updates % 4096);
    A = plus(A, multiply(x, transpose(x)), times);
    b = plus(b, x, times * payoffOf(log, t));
  }
  const exact = multiply(inverse(A), b).flat();
  const [theta] = thetaOf(learner);
  const error = Math.sqrt(theta.reduce((sum, value, j) => sum + (value - exact[j]) ** 2, 0)) / Math.hypot(...exact);
  expect(error).toBeLessThan(1e-11);
});

it('exact ties of one-hot contexts do not depend on the order of updates', () => {
  // Arms 0 and 1 see the same contexts in opposite orders: their scores differ by rounding alone.
  const d = 5;
  const rows = Array.from({ length: 40 }, (_, n) => identity(d)[(n * 7 + (n >> 2)) % d].map((v) => v + 0.1));
  const log = logFromColumns({
    armIndex: rows.map(() => 0),
    arms: 2,
    payoff: rows.map((_, n) => n % 2),
    context: rows,
  });
  const learner = learnerOf(linucb, log);
  for (let n = 0; n < 40; n++) {
    learner.update(n, 1, payoffOf(log, n), 0);
    learner.update(39 - n, 0, payoffOf(log, 39 - n), 0);
  }
  for (let t = 0; t < 40; t++) expect(learner.choose(t, candidatesOf(log, t))).toBe(0);
});

it('matches is choose === arm for every arm, with and without ties, whatever the tolerance', () => {
  fc.assert(
    fc.property(
      fc.record({
        arms: fc.integer({ min: 1, max: 9 }),
        d: fc.integer({ min: 1, max: 4 }),
        seed: fc.integer({ min: 0, max: 1e9 }),
        contexts: fc.constantFrom('real', 'onehot'),
        pools: fc.boolean(),
      }),
      fc.constantFrom(0, 1e-6, 0.05, 0.5),
      fc.constantFrom(0, 0.3, 2),
      (options, tieTolerance, alpha) => {
        const log = randomLog({ events: 120, ...options });
        const learner = learnerOf(linucb, log, { alpha, tieTolerance });
        for (let t = 0; t < log.events; t++) {
          const candidates = candidatesOf(log, t);
          const chosen = learner.choose(t, candidates);
          for (let i = candidates.from; i < candidates.to; i++) {
            const arm = candidates.arms[i];
            expect(learner.matches?.(t, candidates, arm)).toBe(arm === chosen);
          }
          if (chosen === log.arm[t]) learner.update(t, chosen, payoffOf(log, t), 0);
        }
      },
    ),
    { numRuns: 150 },
  );
});
