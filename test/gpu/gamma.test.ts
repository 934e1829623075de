import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuContext } from '#dist/gpu/context.js';
import { WGSL } from '#dist/gpu/wgsl.generated.js';
import { Draws } from '#dist/learner/draws.js';
import { betaDraw } from '#dist/learner/means/beta.js';
import { STREAM } from '#dist/random/threefry.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { evaluateWgsl, ROW } from './evaluate-wgsl.js';
import { pairOf } from './pair-operands.js';

const DRAWS = new Draws(42, 9, STREAM.exploration);
const LIBRARY = `${WGSL['lib/threefry.wgsl']}${WGSL['lib/pair.wgsl']}${WGSL['lib/normal.wgsl']}${WGSL['lib/gamma.wgsl']}
fn drawWords(event: u32, draw: u32) -> vec2u {
  return threefry2x32(vec2u(42u, ${STREAM.exploration}u + (draw << 8u)), vec2u(event, 9u));
}`;
const MODEL = 'betaModel(b, c)';
const DELTA = `betaDelta(words.x, words.y, ${MODEL}, 1.0 / vec2f(b.x, c.x))`;
const SHAPES = [0.01, 0.3, 0.999, 1, 1.5, 2, 7.25, 30, 1e4, 1e7 + 1 / 3, 1e9];
const DRAWN = 300;

let context: GpuContext;
beforeAll(async () => {
  context = new GpuContext((await openTestDevice()).device);
});
afterAll(() => context.close());

interface Case {
  readonly a: number;
  readonly b: number;
  readonly event: number;
  readonly arm: number;
}

/** Every pair of shapes, at events and arms from all over. */
const CASES: readonly Case[] = SHAPES.flatMap((a, i) =>
  SHAPES.flatMap((b, j) =>
    Array.from({ length: DRAWN }, (_, k) => ({
      a,
      b,
      event: (k * 7919 + i * 131 + j) * 1009,
      arm: (k * k + 17 * i + j) % 2 ** 18,
    })),
  ),
);

function rowsOf(cases: readonly Case[]): Uint32Array {
  const rows = new Uint32Array(cases.length * ROW);
  const floats = new Float32Array(rows.buffer);
  cases.forEach(({ a, b, event, arm }, i) => {
    rows.set([event, arm], i * ROW);
    floats.set([...pairOf(a), ...pairOf(b)], i * ROW + 2);
  });
  return rows;
}

/** w of the accepted attempt, in f64: 1 + w is the cube root of X/d. */
function gammaStep({ event, arm }: Case, first: number, shape: number): number {
  const d = (shape < 1 ? shape + 1 : shape) - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (let attempt = 0; attempt < 15; attempt++) {
    const draw = 64 * arm + first + 2 * attempt;
    const w = c * DRAWS.normal(event, draw);
    if (w <= -1) continue;
    const rest =
      Math.abs(w) < 1e-2 ? -(w ** 4) * (1 / 4 - w / 5 + (w * w) / 6) : Math.log1p(w) - w + w ** 2 / 2 - w ** 3 / 3;
    if (Math.log(1 - DRAWS.unit(event, draw + 1)) < 3 * d * rest) return w;
  }
  return 0;
}

const U = 2 ** -24;
/** Errors in units of u, as shaders/lib/normal.wgsl derives them: of normal variates, of logarithms of uniform ones, of e^x. */
const [NORMAL, LOGARITHM, EXPONENTIAL] = [10, 10, 3];
/** 2.5 ulp, of 2 u each at most (WGSL, Accuracy of floating-point evaluation). */
const DIVISION = 5;
/** Of w, relative: of x, of c, of their product. */
const W = NORMAL + 1 + 1;
/** Of d and of m, relative, in units of u²: two sums of pairs; two d, a sum and a quotient (shaders/lib/pair.wgsl). */
const SIZE = 14;
const MIDDLE = 2 * (SIZE + 0.5) + 4 + 61;

/** ln U / shape of a shape below 1, in f64; 0 of others. */
function powerOf({ event, arm }: Case, first: number, shape: number): number {
  return shape < 1 ? Math.log(1 - DRAWS.unit(event, 64 * arm + first + 30)) / shape : 0;
}

/** What `betaDraw` and this file round in f64, relative to θ: it shows where θ is next to 1. */
const OWN = 2 ** -51;

/** How far θ may be off: rounding by rounding through `betaDelta` and `betaValue` of shaders/lib/gamma.wgsl. */
function boundOf(one: Case, theta: number, [x, y]: readonly [number, number]): number {
  const { a, b } = one;
  const [dx, dy] = [a, b].map((shape) => (shape < 1 ? shape + 1 : shape) - 1 / 3) as [number, number];
  const m = dx / (dx + dy);
  const spread = theta * (1 - theta);
  // m and n = 1 − m as f32; n has the absolute error of m.
  const [m32, n32] = [1 + MIDDLE * U, 2 + MIDDLE * U * (dx / dy)];
  const steps = 3 * W * (Math.abs(x) / (1 + x) + Math.abs(y) / (1 + y));
  if (a >= 1 && b >= 1) {
    // m · n · (w_X − w_Y) · (r_X² + r_X r_Y + r_Y²): three products, the difference, and of the squares r twice, 1 and two sums.
    const numerator = m32 + n32 + 3 + 1 + (2 + 1 + 2);
    // m r_X³ + n r_Y³: r three times, three products, the sum.
    const denominator = Math.max(m32, n32) + 3 + 3 + 1;
    const delta = Math.abs(theta - m) * (numerator + denominator + DIVISION);
    return U * (spread * steps * Math.exp(U * steps) + delta) + (MIDDLE * m + 4) * U * U + OWN * theta;
  }
  const [logX, logY] = [powerOf(one, 0, a), powerOf(one, 32, b)];
  // 1/shape (its high word and a quotient), and its product with the logarithm.
  const powers = (LOGARITHM + 1 + DIVISION + 1) * (Math.abs(logX) + Math.abs(logY)) + Math.abs(logX - logY);
  // Each of x and y: r three times, three products, and one with the power.
  const logit = steps + m32 + n32 + 2 * (3 + 3 + 1) + powers + EXPONENTIAL;
  // The smaller of θ and 1 − θ is a quotient, of a sum.
  const last = (1 + DIVISION) * Math.min(theta, 1 - theta);
  return U * (spread * logit * Math.exp(U * logit) + last) + OWN * theta + 1e-30;
}

describe(`beta variates on ${ADAPTER}`, () => {
  it('are those of betaDraw', async () => {
    const { theta, w } = await evaluateWgsl(
      context,
      LIBRARY,
      {
        theta: `betaValue(${MODEL}, ${DELTA})`,
        w: `gammaSteps(words.x, 64u * words.y, abs(${MODEL}.z), abs(${MODEL}.w))`,
      },
      rowsOf(CASES),
    );
    let worst = 0;
    let otherwise = 0;
    CASES.forEach((one, i) => {
      const { a, b, event, arm } = one;
      const steps = [gammaStep(one, 0, a), gammaStep(one, 32, b)] as const;
      if (steps.some((step, k) => Math.abs(step - w[2 * i + k]!) > W * U * Math.abs(step))) {
        otherwise++;
        return;
      }
      const want = betaDraw(DRAWS, event, arm, a, b);
      const error = Math.abs(theta[2 * i]! + theta[2 * i + 1]! - want);
      const bound = boundOf(one, want, steps);
      expect(error, `θ of ${JSON.stringify(one)}`).toBeLessThanOrEqual(bound);
      worst = Math.max(worst, error / bound);
    });
    console.info(
      `${otherwise} of ${CASES.length} variates have another attempt; worst error ${worst.toFixed(2)} of its bound`,
    );
    expect(otherwise).toBeLessThanOrEqual(1);
  });

  it('are m where no attempt is accepted, for whichever reason', async () => {
    // x = 6.8 and u = 1; x = −6.8, which makes v negative for shapes of about 1.
    const draws = [
      ['vec2u(0u, 0u)', 6.76, 0],
      ['vec2u(0u, 0x80000000u)', -6.76, 0],
    ] as const;
    for (const [words, x, u] of draws) {
      const library = LIBRARY.replace(/return threefry2x32\(vec2u\(42u.*;/, `return ${words};`);
      const shapes = [1, 1.25, 0.3].flatMap((a) => [1, 1.5, 0.25].map((b) => ({ a, b, event: 1, arm: 2 })));
      const { theta } = await evaluateWgsl(
        context,
        library,
        { theta: `betaValue(${MODEL}, ${DELTA})` },
        rowsOf(shapes),
      );
      const stub = { normal: () => x, unit: () => u } as unknown as Draws;
      shapes.forEach(({ a, b, event, arm }, i) => {
        expect(theta[2 * i]! + theta[2 * i + 1]!, `${words} ${a} ${b}`).toBeCloseTo(
          betaDraw(stub, event, arm, a, b),
          6,
        );
      });
    }
  });
});
