/** Linear Thompson sampling: the law of its draws, and what it shares with LinUCB. */
import { describe, expect, it } from 'vitest';
import { Draws } from '#dist/learner/draws.js';
import { linThompson } from '#dist/learner/linear/lin-thompson.js';
import { linucb } from '#dist/learner/linear/linucb.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { STREAM } from '#dist/random/threefry.js';
import {
  column,
  contextOf,
  identity,
  inverse,
  learnerOf,
  mulberry,
  multiply,
  payoffOf,
  plainReplay,
  plus,
  randomLog,
  thetaOf,
  transpose,
} from './helpers.js';

/** The protected score, which is what the law is about. */
interface Scores {
  prepare(event: number): void;
  score(arm: number): number;
}

describe('scores are θ̃ᵀx with θ̃ ~ N(θ, v² A⁻¹)', () => {
  const [arms, d, v, N] = [2, 3, 0.6, 40_000];
  const random = mulberry(3);
  const history = Array.from({ length: 12 }, () => Array.from({ length: d }, () => random() * 2 - 1));
  // Variances at e_i and e_i + e_j determine the whole covariance matrix.
  const probes = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
  ];
  // Events 0..11 teach, the rest ask: a draw per event, as in a replay.
  const context = [...history, ...Array.from({ length: N }, (_, n) => probes[n % probes.length])];
  const log = logFromColumns({
    armIndex: context.map((_, t) => t % 2),
    arms,
    payoff: context.map((_, t) => Number(t % 3 === 0)),
    context,
  });
  const learner = learnerOf(linThompson, log, { v, lambda: 0.5 });
  for (let t = 0; t < 12; t++) learner.update(t, log.arm[t], payoffOf(log, t), 0);
  const A = [0, 1].map((arm) => {
    const mine = history.filter((_, t) => t % 2 === arm).map(column);
    return mine.reduce((sum, x) => plus(sum, multiply(x, transpose(x))), identity(d, 0.5));
  });
  const draws = learner as unknown as Scores;
  const scores = context.slice(12).map((_, n) => {
    draws.prepare(12 + n);
    return [draws.score(0), draws.score(1)];
  });

  it.each(probes.flatMap((x, p) => [0, 1].map((arm) => ({ x, p, arm }))))('x = $x, arm $arm', ({ x, p, arm }) => {
    const sample = scores.filter((_, n) => n % probes.length === p).map((both) => both[arm]);
    const n = sample.length;
    const mean = sample.reduce((sum, value) => sum + value, 0) / n;
    const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
    const theta = thetaOf(learner)[arm];
    const expectedMean = x.reduce((sum, value, j) => sum + value * theta[j], 0);
    const expected = v * v * multiply(transpose(column(x)), multiply(inverse(A[arm]), column(x)))[0][0];
    expect(Math.abs(mean - expectedMean)).toBeLessThan(4 * Math.sqrt(expected / n));
    // The variance of a normal sample's variance is 2σ⁴/(n − 1).
    expect(Math.abs(variance - expected)).toBeLessThan(4 * expected * Math.sqrt(2 / (n - 1)));
  });

  it('arms and events draw independently', () => {
    const z = scores.map((both, n) => {
      const x = column(probes[n % probes.length]);
      return both.map((score, arm) => {
        const mean = multiply([thetaOf(learner)[arm]], x)[0][0];
        return (score - mean) / (v * Math.sqrt(multiply(transpose(x), multiply(inverse(A[arm]), x))[0][0]));
      });
    });
    const bound = 4 / Math.sqrt(N);
    expect(Math.abs(z.reduce((sum, [a, b]) => sum + a * b, 0) / N)).toBeLessThan(bound);
    expect(Math.abs(z.slice(1).reduce((sum, [a], n) => sum + a * z[n][0], 0) / N)).toBeLessThan(bound);
    // Draw a of the event, as documented: a GPU kernel must use the same.
    const normals = new Draws(7, 0, STREAM.exploration);
    for (let n = 0; n < 20; n++) expect(z[n][1]).toBeCloseTo(normals.normal(12 + n, 1), 9);
  });
});

const log = randomLog({ events: 3000, arms: 4, d: 3, pools: true });

it('asked twice it answers the same, replicas differ, v = 0 is greedy LinUCB', () => {
  const run = (replica: number) => plainReplay(learnerOf(linThompson, log, {}, replica), log);
  expect(run(0)).toEqual(run(0));
  expect(run(1).retained).not.toEqual(run(0).retained);
  expect(plainReplay(learnerOf(linThompson, log, { v: 0 }), log)).toEqual(
    plainReplay(learnerOf(linucb, log, { alpha: 0 }), log),
  );
});

it('contexts of the log are what is sampled about', () => {
  // Arm 1 pays where x = 1 and arm 0 elsewhere; after some hundred matches the right arm is usual.
  const rows = Array.from({ length: 6000 }, (_, t) => [t % 2, 1 - (t % 2)]);
  const armIndex = rows.map((_, t) => (t >> 1) % 2);
  const world = logFromColumns({
    armIndex,
    arms: 2,
    payoff: rows.map(([x], t) => Number(x === armIndex[t])),
    context: rows,
  });
  const { T, G } = plainReplay(learnerOf(linThompson, world), world);
  expect(contextOf(world, 1)).toEqual([1, 0]);
  expect(G / T).toBeGreaterThan(0.95);
});
