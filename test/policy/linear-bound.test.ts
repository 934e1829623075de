/**
 * The error bound of the f32 kernel, against every way in which a GPU may evaluate the same dot product: fused or not,
 * in any order, subnormals kept or flushed. No adapter at hand fuses, so fused arithmetic is emulated here.
 */
import { describe, expect, it } from 'vitest';
import { errorFactor, normOf, subnormalSlack } from '#dist/policy/linear/kernel.js';
import { generator } from '../cases/cases.js';

const { fround } = Math;
const SMALLEST_NORMAL = 2 ** -126;
const keep = (x: number): number => x;
const flush = (x: number): number => (Math.abs(x) < SMALLEST_NORMAL ? 0 : x);

type Dot = (w: Float64Array, x: Float64Array, f: (x: number) => number) => number;

/** Products of f32 are exact in f64, so one rounding to f32 after the f64 sum is a fused step (up to double rounding). */
const fused: Dot = (w, x, f) => {
  let s = 0;
  for (let j = 0; j < w.length; j++) s = f(fround(f(fround(w[j])) * f(fround(x[j])) + s));
  return s;
};
const unfused: Dot = (w, x, f) => {
  let s = 0;
  for (let j = 0; j < w.length; j++) s = f(fround(s + f(fround(f(fround(w[j])) * f(fround(x[j]))))));
  return s;
};
const backwards: Dot = (w, x, f) => unfused(w.slice().reverse(), x.slice().reverse(), f);
const pairwise: Dot = (w, x, f) => {
  let terms = Array.from(w, (v, j) => f(fround(f(fround(v)) * f(fround(x[j])))));
  while (terms.length > 1) {
    const next: number[] = [];
    for (let i = 0; i < terms.length; i += 2)
      next.push(i + 1 < terms.length ? f(fround(terms[i] + terms[i + 1])) : terms[i]);
    terms = next;
  }
  return terms[0] ?? 0;
};

/** The reference score. */
function exact(w: Float64Array, x: Float64Array): number {
  let s = 0;
  for (let j = 0; j < w.length; j++) s += w[j] * x[j];
  return s;
}

const KINDS: Record<string, (draw: () => number, j: number) => number> = {
  'uniform in (−1, 1)': (draw) => draw() * 2 - 1,
  'all positive (no cancellation)': (draw) => draw() + 0.5,
  'mixed magnitudes': (draw, j) => (draw() - 0.5) * 10 ** ((j % 13) - 6),
  'one unit above a power of two (worst rounding)': (draw) => (1 + 2 ** -24) * (draw() < 0.5 ? 1 : -1),
  'around the smallest normal': (draw) => (draw() - 0.5) * 2 ** -62,
  'f32 subnormals': (draw) => (draw() - 0.5) * 2 ** -130,
  'alternating, almost cancelling': (draw, j) => (j % 2 === 0 ? 1 : -1) * (1 + draw() * 1e-6),
};

describe.each(Object.entries(KINDS))('bound on %s', (_, value) => {
  it.each([1, 2, 6, 7, 33, 257])('d = %i', (d) => {
    const draw = generator(d + 1000);
    const rounds = d > 100 ? 60 : 400;
    for (let round = 0; round < rounds; round++) {
      const vector = (): Float64Array => Float64Array.from({ length: d }, (_unused, j) => value(draw, j));
      const [x, best, second] = [vector(), vector(), vector()];
      const contextNorm = normOf(x, 0, d);
      const weightNorm = Math.max(normOf(best, 0, d), normOf(second, 0, d));
      // As the kernel computes it: f32 product, f32 sum, possibly flushed.
      const bound = fround(
        flush(fround(errorFactor(d, contextNorm) * fround(weightNorm))) + subnormalSlack(d, contextNorm, weightNorm),
      );
      const truth = exact(best, x) - exact(second, x);
      for (const dot of [fused, unfused, backwards, pairwise]) {
        for (const f of [keep, flush]) {
          const got = f(fround(dot(best, x, f) - dot(second, x, f)));
          expect(Math.abs(got - truth)).toBeLessThanOrEqual(bound);
        }
      }
    }
  });
});

it('is tight enough to be of use: within a factor of 100 of the worst error seen', () => {
  const draw = generator(77);
  let worst = 0;
  for (let round = 0; round < 3000; round++) {
    const d = 6;
    const vector = (): Float64Array => Float64Array.from({ length: d }, () => draw() + 0.5);
    const [x, w] = [vector(), vector()];
    const error = Math.abs(unfused(w, x, keep) - exact(w, x));
    worst = Math.max(worst, error / (errorFactor(d, normOf(x, 0, d)) * normOf(w, 0, d)));
  }
  expect(worst).toBeGreaterThan(0.01);
  expect(worst).toBeLessThan(1);
});
