/** How far a decision is from flipping: `margin` of learners, against perturbed scores and perturbed acceptance tests. */
import { describe, expect, it } from 'vitest';
import type { Draws } from '#dist/learner/draws.js';
import type { Candidates } from '#dist/learner/learner.js';
import { betaCloseness, betaDraw } from '#dist/learner/means/beta.js';
import { ScoredLearner } from '#dist/learner/scored.js';
import { chooseByScore, scoreMargin } from '#dist/learner/ties.js';
import { among, exploration, feed, learner, NO_BLAME, plainLog } from './helpers.js';

/** Every vector of length n over −1, 0, 1. */
function directions(n: number): number[][] {
  return Array.from({ length: 3 ** n }, (_, k) =>
    Array.from({ length: n }, (_, i) => (Math.floor(k / 3 ** i) % 3) - 1),
  );
}

/**
 * Errors of at most `size` in favour of candidate i that no extreme direction finds: lower indices fall, i rises, and the
 * higher ones go where least(m) lies between the two.
 */
function tuned(scores: Float64Array, i: number, size: number, tolerance: number): Float64Array[] {
  const lower = Math.max(...scores.subarray(0, i));
  const between = (lower + scores[i]) / 2;
  // least(m) = between, for |m| ≤ 1, m > 1 and m < −1.
  return [between + tolerance, between / (1 - tolerance), between / (1 + tolerance)].map((m) =>
    scores.map((v, j) => {
      if (j < i) return v - size;
      return j === i ? v + size : Math.min(v + size, Math.max(v - size, m));
    }),
  );
}

const scaleOf = (scores: Float64Array): number => Math.max(1, Math.abs(Math.max(...scores)));

describe('scoreMargin', () => {
  const draws = exploration(11);

  /** Scores that are often within a few tolerances of each other. */
  function scoresAt(t: number, n: number, tolerance: number): Float64Array {
    const size = [0, 1, -1, 40, -40][draws.index(t, 5, 1)];
    const spread = draws.index(t, 2, 2) === 0 ? 4 * tolerance * Math.max(1, Math.abs(size)) : 1;
    return Float64Array.from({ length: n }, (_, i) => size + spread * (draws.unit(t, 3 + i) - 0.5));
  }

  it.each([0, 1e-6, 0.01, 0.2])(
    'is the smallest error of scores that flips the decision, by brute force; τ = %d',
    (tolerance) => {
      let chosen = 0;
      for (let t = 0; t < 400; t++) {
        const n = 2 + draws.index(t, 4);
        const set: Candidates = { arms: Uint32Array.of(9, 1, 2, 5, 6, 8).subarray(0, 1 + n), from: 1, to: 1 + n };
        const scores = scoresAt(t, n, tolerance);
        for (let i = 0; i < n; i++) {
          const arm = set.arms[1 + i];
          const chosenAt = (at: Float64Array): boolean => chooseByScore(at, set, tolerance, () => NO_BLAME) === arm;
          const is = chosenAt(scores);
          const margin = scoreMargin(scores, set, arm, tolerance);
          expect(is ? margin >= 0 : margin <= 0).toBe(true);
          const size = Math.abs(margin) * scaleOf(scores);
          // least(m) moves by (1 ± τ) of m; the last term is for rounding.
          const [less, more] = [(size / (2 + tolerance)) * 0.999999, (size / (2 - tolerance)) * 1.000001 + 1e-13];
          const all = directions(n);
          expect(all.every((by) => chosenAt(scores.map((v, j) => v + less * by[j])) === is)).toBe(true);
          const flips =
            all.some((by) => chosenAt(scores.map((v, j) => v + more * by[j])) !== is) ||
            tuned(scores, i, more, tolerance).some(chosenAt);
          expect(flips).toBe(true);
          chosen += is ? 1 : 0;
        }
      }
      expect(chosen).toBe(400);
    },
  );

  it('is infinite for the only candidate, with and without a tolerance', () => {
    for (const tolerance of [0, 1e-6])
      expect(scoreMargin(Float64Array.of(0.3), among(4), 4, tolerance)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is relative to the largest score, and to 1 where that is small', () => {
    expect(scoreMargin(Float64Array.of(200, 100), among(0, 1), 0, 0)).toBe(0.5);
    expect(scoreMargin(Float64Array.of(0.02, 0.01), among(0, 1), 1, 0)).toBe(-0.01);
  });
});

describe('margins of learners', () => {
  /** Its scores are given. */
  class Given extends ScoredLearner {
    constructor(
      private readonly given: readonly number[],
      tolerance: number,
    ) {
      super(given.length, tolerance);
    }
    protected prepare(): void {}
    protected score(arm: number): number {
      return this.given[arm];
    }
    protected blame() {
      return NO_BLAME;
    }
    update(): void {}
    carry(): void {}
    state() {
      return {};
    }
  }

  it('with scores have the margin of their scores, candidate by candidate', () => {
    const one = new Given([0.5, 0.2, 0.9, 0.89], 0.1);
    const every = among(0, 1, 2, 3);
    expect(one.choose(0, every)).toBe(2);
    expect(one.margin(0, every, 2)).toBeCloseTo(0.11, 12); // 0.89 − 0.1: arm 3 would leave it behind
    expect(one.margin(0, every, 0)).toBeCloseTo(-0.3, 12); // 0.9 − 0.1 − 0.5
    expect(one.margin(0, every, 3)).toBeCloseTo(-0.11, 12); // 0.9 must fall below 0.89 − 0.1
    expect(one.margin(0, among(1, 3), 3)).toBeCloseTo(0.59, 12);
  });

  it('of ucb are infinite where an arm was never tried', () => {
    const one = learner('ucb', { alpha: 1 }, plainLog(4));
    feed(one, [
      [0, 1],
      [3, 0],
    ]);
    const every = among(0, 1, 2, 3);
    expect([0, 1, 2, 3].map((arm) => one.margin?.(0, every, arm))).toEqual([
      ...[Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ]);
    // Scores 1 + 1 and 0 + 1, relative to 2.
    expect(one.margin?.(0, among(0, 3), 0)).toBeCloseTo(0.5, 5);
    expect(one.margin?.(0, among(0, 3), 3)).toBeCloseTo(-0.5, 5);
  });
});

/** ln Gamma(shape) as `beta.ts` draws it, with every acceptance test shifted by `shift` of its largest term. */
function shiftedLogGamma(draws: Draws, event: number, first: number, shape: number, shift: number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (let attempt = 0; attempt < 15; attempt++) {
    const x = draws.normal(event, first + 2 * attempt);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    const logU = Math.log(1 - draws.unit(event, first + 2 * attempt + 1));
    const terms = Math.max(1, (x * x) / 2, d * Math.abs(1 - v), d * Math.abs(Math.log(v)), -logU);
    if (logU < (x * x) / 2 + d - d * v + d * Math.log(v) + shift * terms) return Math.log(d) + Math.log(v);
  }
  return Math.log(d);
}

function shiftedBeta(draws: Draws, event: number, arm: number, a: number, b: number, shift: number): number {
  const logX = shiftedLogGamma(draws, event, 64 * arm, a, shift);
  const logY = shiftedLogGamma(draws, event, 64 * arm + 32, b, shift);
  return 1 / (1 + Math.exp(logY - logX));
}

describe('closeness of a Beta variate', () => {
  it.each([
    [1, 1],
    [3, 40],
    [200, 9000],
  ])('is the shift of an acceptance test that makes it another variate: Beta(%d, %d)', (a, b) => {
    const draws = exploration(12);
    let [close, other] = [0, 0];
    for (let t = 0; t < 4000; t++) {
      const theta = betaDraw(draws, t, 5, a, b);
      const closeness = betaCloseness(draws, t, 5, a, b);
      expect(Math.abs(shiftedBeta(draws, t, 5, a, b, 0) / theta - 1)).toBeLessThan(1e-9);
      const changed = [-0.01, 0.01].some((shift) => Math.abs(shiftedBeta(draws, t, 5, a, b, shift) / theta - 1) > 1e-9);
      if (closeness > 0.01) expect(changed).toBe(false);
      else close++;
      if (changed) other++;
    }
    // The distance of v from 0 counts too, and seldom matters.
    expect(other).toBeGreaterThan(10);
    expect(other).toBeGreaterThan(close * 0.95);
  });

  it('bounds the margin of thompson, which keeps its sign', () => {
    const one = learner('thompson', {}, plainLog(6, 60_000), exploration(13));
    const every = among(0, 1, 2, 3, 4, 5);
    let bounded = 0;
    for (let t = 0; t < 60_000; t++) {
      const closeness = Math.min(...[0, 1, 2, 3, 4, 5].map((arm) => betaCloseness(exploration(13), t, arm, 1, 1)));
      if (closeness > 2e-4) continue;
      const thetas = Float64Array.from([0, 1, 2, 3, 4, 5], (arm) => betaDraw(exploration(13), t, arm, 1, 1));
      for (const arm of every.arms) {
        const plain = scoreMargin(thetas, every, arm, 1e-6);
        const margin = one.margin?.(t, every, arm) ?? Number.NaN;
        expect(Math.sign(margin)).toBe(Math.sign(plain));
        const expected = closeness < 1e-4 ? Math.min(Math.abs(plain), closeness / 10) : Math.abs(plain);
        expect(Math.abs(margin) / expected).toBeCloseTo(1, 12);
        if (Math.abs(margin) < Math.abs(plain)) bounded++;
      }
      expect(one.margin?.(t, among(2), 2)).toBe(Number.POSITIVE_INFINITY);
    }
    expect(bounded).toBeGreaterThan(20);
  });
});
