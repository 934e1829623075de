/**
 * The error bound of screened joint-linear policies, against every way in which the derived scores may be computed in f32:
 * fused or not, in any order, subnormals kept or flushed. No adapter at hand fuses, so fused arithmetic is emulated here.
 */
import { describe, expect, it } from 'vitest';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { JOINT_FEATURES, type JointFeatures, jointParts } from '#dist/log/joint-features.js';
import { jointScore } from '#dist/policy/joint/cpu.js';
import { jointScores } from '#dist/policy/joint/screen.js';
import { LARGEST_NORM, roundUp } from '#dist/policy/linear/kernel.js';
import { generator } from '../cases/draws.js';
import { jointPolicies } from '../cases/joint-cases.js';

const { fround } = Math;
const flush = (x: number): number => (Math.abs(x) < 2 ** -126 ? 0 : x);
const keep = (x: number): number => x;

type Dot = (v: ArrayLike<number>, y: ArrayLike<number>, f: (x: number) => number) => number;

/** Products of f32 are exact in f64, so one rounding to f32 after the f64 sum is a fused step (up to double rounding). */
const fused: Dot = (v, y, f) => {
  let s = 0;
  for (let j = 0; j < v.length; j++) s = f(fround(f(v[j]) * f(fround(y[j])) + s));
  return s;
};
const unfused: Dot = (v, y, f) => {
  let s = 0;
  for (let j = 0; j < v.length; j++) s = f(fround(s + f(fround(f(v[j]) * f(fround(y[j]))))));
  return s;
};
const backwards: Dot = (v, y, f) => unfused(Array.from(v).reverse(), Array.from(y).reverse(), f);

interface Kind {
  x(draw: () => number, i: number): number;
  z(draw: () => number, arm: number, j: number): number;
  w(draw: () => number, k: number): number;
}
const even = (draw: () => number): number => draw() * 2 - 1;
const KINDS: Record<string, Kind> = {
  'uniform in (−1, 1)': { x: even, z: even, w: even },
  'all positive (no cancellation)': { x: (d) => d() + 0.5, z: (d) => d() + 0.5, w: (d) => d() + 0.5 },
  'mixed magnitudes': {
    x: (d, i) => even(d) * 10 ** ((i % 9) - 4),
    z: (d, _, j) => even(d) * 10 ** ((j % 7) - 3),
    w: (d, k) => even(d) * 10 ** ((k % 13) - 6),
  },
  'a context part far above the rest': {
    x: (d) => 1 + d(),
    z: (d) => 1 + even(d) * 1e-9,
    w: (d, k) => (k < 3 ? 1e12 : 1) * even(d),
  },
  'candidates that are almost equal': { x: even, z: (d, _, j) => j + 1 + d() * 2 ** -48, w: even },
  'products that cancel': { x: (d) => 1 + d() * 1e-7, z: (d, _, j) => (j % 2 ? 1 : -1) * (1 + d() * 1e-7), w: () => 1 },
  'around the smallest normal': {
    x: (d) => even(d) * 2 ** -40,
    z: (d) => even(d) * 2 ** -40,
    w: (d) => even(d) * 2 ** -46,
  },
  'f32 subnormals': { x: (d) => even(d) * 2 ** -130, z: even, w: even },
  'features whose products underflow f64': { x: (d) => even(d) * 2 ** -600, z: (d) => even(d) * 2 ** -600, w: even },
  'large norms': { x: (d) => even(d) * 2 ** 30, z: (d) => even(d) * 2 ** 20, w: (d) => even(d) * 2 ** 25 },
};

const ARMS = 4;

function check(kind: Kind, features: JointFeatures, dx: number, dz: number, seed: number): number {
  const draw = generator(seed);
  const log = logFromColumns({
    armIndex: [0],
    arms: ARMS,
    payoff: [0],
    context: dx === 0 ? undefined : [Array.from({ length: dx }, (_, i) => kind.x(draw, i))],
    armFeatures: Array.from({ length: ARMS }, (_, a) => Array.from({ length: dz }, (_unused, j) => kind.z(draw, a, j))),
  });
  const compiled = jointPolicies(1, log, features, (_, k) => kind.w(draw, k));
  const screen = jointScores.screen(compiled, log);
  const norm = screen.norm(0);
  if (norm === 0) return 0;
  expect(norm).toBeLessThanOrEqual(LARGEST_NORM);
  const weights = screen.weights(0);
  const d = screen.dimension;
  const y = new Float64Array(d);
  screen.write(0, y, 0, 1);
  const contextNorm = screen.contextNorm(0);
  const slack = screen.slack(contextNorm, norm);
  const z = log.armFeatures?.values ?? new Float64Array(0);
  const references = Array.from({ length: ARMS }, (_, a) =>
    jointScore(jointParts(features), compiled.weights, 0, log.contexts.values, 0, dx, z, a * dz, dz),
  );
  let worst = 0;
  for (const f of [keep, flush]) {
    // As the kernel computes it: f32 product, f32 sum, possibly flushed.
    const bound = fround(flush(fround(screen.errorFactor(contextNorm) * roundUp(norm))) + slack);
    for (const dot of [fused, unfused, backwards]) {
      const scores = Array.from({ length: ARMS }, (_, a) => dot(weights.subarray(a * d, (a + 1) * d), y, f));
      for (let a = 0; a < ARMS; a++) {
        for (let b = 0; b < a; b++) {
          const got = f(fround(scores[a] - scores[b]));
          const truth = references[a] - references[b];
          const error = Math.abs(got - truth);
          // The second is what engines conclude from the first. `expect` would take most of the time here.
          if (!(error <= bound) || (got > bound && !(truth > 0))) {
            expect.fail(`seed ${seed}, [${dx}, ${dz}]: got ${got}, reference ${truth}, bound ${bound}`);
          }
          worst = Math.max(worst, error / bound);
        }
      }
    }
  }
  return worst;
}

describe.each(Object.entries(KINDS))('bound on %s', (_, kind) => {
  it.each(JOINT_FEATURES)('%s', (features) => {
    for (const [dx, dz] of [
      [1, 1],
      [3, 2],
      [6, 6],
      [0, 5],
      [2, 40],
      [33, 3],
    ]) {
      if (dx === 0 && features === 'product') continue;
      for (let seed = 0; seed < 40; seed++) check(kind, features, dx, dz, seed + 1000 * dx);
    }
  });
});

it('is tight enough to be of use: within a factor of 100 of the worst error seen', () => {
  let worst = 0;
  for (let seed = 0; seed < 1000; seed++)
    worst = Math.max(worst, check(KINDS['all positive (no cancellation)'], 'both', 6, 6, seed));
  expect(worst).toBeGreaterThan(0.01);
  expect(worst).toBeLessThan(1);
});

it('hardly depends on the length of φ: f64 adds little to what f32 alone would need', () => {
  const log = logFromColumns({
    armIndex: [0],
    arms: 1,
    payoff: [0],
    context: [[1, 1, 1, 1]],
    armFeatures: [Array.from({ length: 200 }, () => 1)],
  });
  const screen = jointScores.screen(jointPolicies(1, log, 'product'), log);
  const [n, u] = [screen.dimension + 8, 2 ** -24];
  const f32 = ((2 * n * u) / (1 - n * u)) * screen.contextNorm(0);
  expect(screen.errorFactor(screen.contextNorm(0))).toBeLessThan(1.05 * f32);
});

it.each([
  ['weights', 2 ** 61, 1],
  ['features', 1, 2 ** 61],
  ['weights that overflow with features', 1e200, 1e200],
])('policies are not screened where %s are too large', (_, w, z) => {
  const log = logFromColumns({ armIndex: [0], arms: 2, payoff: [0], context: [[1]], armFeatures: [[z], [1]] });
  expect(
    jointScores
      .screen(
        jointPolicies(1, log, 'both', () => w),
        log,
      )
      .norm(0),
  ).toBe(Number.POSITIVE_INFINITY);
});
