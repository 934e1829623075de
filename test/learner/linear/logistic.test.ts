/** The two logistic learners: `glm-ucb` at its fixed point, `cemp` step by step. */
import { describe, expect, it } from 'vitest';
import { cemp } from '#dist/learner/linear/cemp.js';
import { glmUcb } from '#dist/learner/linear/glm-ucb.js';
import { LogisticFit, sigmoid } from '#dist/learner/linear/logistic.js';
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

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, j) => sum + value * b[j], 0);

it('σ does not overflow', () => {
  expect([0, 800, -800].map(sigmoid)).toEqual([0.5, 1, 0]);
  expect(sigmoid(-2)).toBeCloseTo(1 - sigmoid(2), 15);
});

describe.each([
  { d: 4, lambda: 1, contexts: 'real' },
  { d: 5, lambda: 0.01, contexts: 'onehot' },
  { d: 2, lambda: 1e-8, contexts: 'real' },
] as const)('glm-ucb: d = $d, λ = $lambda', ({ d, lambda, contexts }) => {
  const arms = 3;
  const log = randomLog({ events: 900, arms, d, contexts, seed: 21 });

  it('θ̂ satisfies the score equation of the arm’s own retained payoffs', () => {
    const learner = learnerOf(glmUcb, log, { lambda });
    const retained = new Set(plainReplay(learner, log).retained);
    expect(retained.size).toBeGreaterThan(100);
    for (const [arm, theta] of thetaOf(learner).entries()) {
      const left = new Array<number>(d).fill(0);
      for (const t of retained) {
        if (log.arm[t] !== arm) continue;
        const x = contextOf(log, t);
        for (let j = 0; j < d; j++) left[j] += (payoffOf(log, t) - sigmoid(dot(theta, x))) * x[j];
      }
      expect(
        worst(
          left,
          theta.map((value) => lambda * value),
        ),
      ).toBeLessThan(1e-9);
    }
  });

  it('chooses the largest μ(θ̂ᵀx) + ρ √(ln(1 + t)) ‖x‖ in M⁻¹', () => {
    const rho = 0.4;
    const learner = learnerOf(glmUcb, log, { lambda, rho, tieTolerance: 1e-9 });
    const M = Array.from({ length: arms }, () => identity(d, lambda));
    for (let t = 0; t < 300; t++) {
      const x = column(contextOf(log, t));
      const scores = thetaOf(learner).map((theta, a) => {
        const norm = Math.sqrt(multiply(transpose(x), multiply(inverse(M[a]), x))[0][0]);
        return sigmoid(dot(theta, x.flat())) + rho * Math.sqrt(Math.log(t + 2)) * norm;
      });
      const max = Math.max(...scores);
      const least = max - 1e-9 * Math.max(1, max);
      expect(learner.choose(t, candidatesOf(log, t))).toBe(scores.findIndex((score) => score >= least));
      learner.update(t, log.arm[t], payoffOf(log, t), 0);
      M[log.arm[t]] = plus(M[log.arm[t]], multiply(x, transpose(x)));
    }
  });
});

it('separable payoffs: θ̂ is finite, and found from far away', () => {
  const fit = new LogisticFit(1, 1e-6);
  for (let n = 0; n < 50; n++) {
    fit.add(Float64Array.of(-30), 0);
    fit.add(Float64Array.of(1000), 1);
  }
  const [theta] = fit.estimate();
  const score = 50 * (1 - sigmoid(1000 * theta)) * 1000 - 50 * sigmoid(-30 * theta) * -30;
  expect(Math.abs(score - 1e-6 * theta)).toBeLessThan(1e-9);
  expect(theta).toBeGreaterThan(0.1);
});

describe('cemp', () => {
  it('by hand: one payoff, x = 1, λ = 1', () => {
    const log = logFromColumns({ armIndex: [0, 1], arms: 2, payoff: [1, 0], context: [[1], [1]] });
    const learner = learnerOf(cemp, log);
    // p = 1/2, A = 1 + 1/4, θ = (1/2) / (5/4) = 2/5; then −2/5 for the other arm.
    learner.update(0, 0, 1, 1);
    learner.update(1, 1, 0, 0);
    expect(thetaOf(learner)[0][0]).toBeCloseTo(0.4, 15);
    expect(thetaOf(learner)[1][0]).toBeCloseTo(-0.4, 15);
    expect(learner.choose(1, candidatesOf(log, 1))).toBe(0);
  });

  it('each step is the documented Newton step', () => {
    const [arms, d, lambda, prior] = [2, 4, 0.7, 0.2];
    const log = randomLog({ events: 1200, arms, d, seed: 4 });
    const learner = learnerOf(cemp, log, { lambda, prior });
    const A = [0, 1].map(() => identity(d, lambda));
    const theta = [0, 1].map(() => new Array<number>(d).fill(0));
    for (let t = 0; t < log.events; t++) {
      const a = log.arm[t];
      const x = column(contextOf(log, t));
      const p = sigmoid(Math.log(prior / (1 - prior)) + dot(theta[a], x.flat()));
      A[a] = plus(A[a], multiply(x, transpose(x)), p * (1 - p));
      const step = multiply(inverse(A[a]), x).flat();
      theta[a] = theta[a].map((value, j) => value + step[j] * (payoffOf(log, t) - p));
      learner.update(t, a, payoffOf(log, t), 0);
    }
    expect(worst(thetaOf(learner).flat(), theta.flat())).toBeLessThan(1e-11);
  });

  it('comes near the fit of everything at once', () => {
    const log = randomLog({ events: 20_000, arms: 1, d: 3, seed: 8 });
    const learner = learnerOf(cemp, log);
    const fit = new LogisticFit(3, 1);
    for (let t = 0; t < log.events; t++) {
      learner.update(t, 0, payoffOf(log, t), 0);
      fit.add(Float64Array.from(contextOf(log, t)), payoffOf(log, t));
    }
    // Standard errors are about 2/√20000 · √3 = 0.025.
    expect(worst(thetaOf(learner)[0], fit.estimate())).toBeLessThan(0.01);
  });

  it('replays, with `matches` checked at every event', () => {
    const log = randomLog({ events: 4000, arms: 5, d: 3, pools: true });
    expect(plainReplay(learnerOf(cemp, log), log).T).toBeGreaterThan(100);
  });
});
