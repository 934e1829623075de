import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GpuContext } from '#dist/gpu/context.js';
import { WGSL } from '#dist/gpu/wgsl.generated.js';
import { Draws } from '#dist/learner/draws.js';
import { STREAM, threefry2x32, toUnit } from '#dist/random/threefry.js';
import { ADAPTER, openTestDevice } from '../adapter.js';
import { evaluateWgsl, ROW } from './evaluate-wgsl.js';

const LIBRARY: string = `${WGSL['lib/threefry.wgsl']}${WGSL['lib/pair.wgsl']}${WGSL['lib/normal.wgsl']}`;
const RANDOM = 20_000;
/** Bounds of errors are derived in shaders/lib/normal.wgsl, in units of this. */
const U = 2 ** -24;

let context: GpuContext;
beforeAll(async () => {
  context = new GpuContext((await openTestDevice()).device);
});
afterAll(() => context.close());

/** The variate of two words, as in Draws.normal (that it is the same: below, on draws). */
function normal([first, second]: readonly [number, number]): number {
  const radius = Math.sqrt(-2 * Math.log((first + 0.5) / 4294967296));
  // By the distance from the nearest axis, which is exact: an angle near a zero of the cosine has lost its digits.
  const quarters = (second + 0.5) / 2 ** 30;
  const axis = Math.round(quarters);
  const distance = (quarters - axis) * (Math.PI / 2);
  const size = axis % 2 === 0 ? Math.cos(distance) : -Math.sin(distance);
  return axis % 4 < 2 ? radius * size : -radius * size;
}

/** Every pair of hard words (ends, middle, borders of binades, of octants and of series), then random ones. */
function wordPairs(): [number, number][] {
  const hard = [0, 1, 2, 3, 0xffff, 0x10000, 0xffffff, 0x1000001, 0xffffffff, 0xfffffffe, 0xffffff00, 0xffff0000];
  // Borders of logHalfOdd and logComplementUnit, and of the binades.
  hard.push(...[0.29, 0.71, Math.SQRT1_2].map((x) => Math.floor(x * 2 ** 32)));
  for (let octant = 1; octant < 8; octant++) {
    for (const offset of [-1000, -2, -1, 0, 1, 1000]) hard.push(octant * 0x20000000 + offset);
  }
  const pairs = hard.flatMap((a) => hard.map((b): [number, number] => [a, b]));
  const words = new Uint32Array(2);
  for (let i = 0; i < RANDOM; i++) {
    threefry2x32(3, 1, i, 0, words);
    // Shifts, for small words, and complements of those.
    const shift = i % 4 === 0 ? i % 32 : 0;
    const first = words[0]! >>> shift;
    pairs.push([i % 8 === 0 ? ~first >>> 0 : first, words[1]!]);
  }
  return pairs;
}

const toRows = (pairs: readonly (readonly number[])[]): Uint32Array => {
  const rows = new Uint32Array(pairs.length * ROW);
  pairs.forEach((words, i) => {
    rows.set(words, i * ROW);
  });
  return rows;
};

/** Largest error of values against `want`, and where. */
function worst<Input>(inputs: readonly Input[], error: (input: Input, i: number) => number): [number, string] {
  let [largest, at]: [number, string] = [0, ''];
  inputs.forEach((input, i) => {
    const one = error(input, i);
    // Written so that NaN is the worst of all.
    if (!(one <= largest)) [largest, at] = [one, String(input)];
  });
  return [largest, at];
}

function report(name: string, [error, at]: [number, string], bound: number): void {
  console.info(`${name}: worst error ${error.toExponential(1)} at ${at}, bound ${bound}`);
  expect(error, `${name} at ${at}`).toBeLessThanOrEqual(bound);
}

describe(`variates on ${ADAPTER}`, () => {
  it('normal and normalPair are Box and Muller’s of the words', async () => {
    const pairs = wordPairs();
    const got = await evaluateWgsl(
      context,
      LIBRARY,
      { single: 'vec2f(normal(words), 0.0)', pair: 'normalPair(words)' },
      toRows(pairs),
    );
    const single = worst(pairs, (words, i) => {
      const z = normal(words);
      return Math.abs(got.single[2 * i]! / z - 1);
    });
    report('normal', single, 10 * U);
    const pair = worst(pairs, (words, i) => Math.abs(got.pair[2 * i]! + got.pair[2 * i + 1]! - normal(words)));
    report('normalPair', pair, 1e-11);
  });

  it('normalPair of a draw is Draws.normal', async () => {
    const draws = new Draws(42, 9, STREAM.exploration);
    const events = Array.from({ length: 2000 }, (_, event) => [event * 977, event % 5] as const);
    const { z } = await evaluateWgsl(
      context,
      LIBRARY,
      { z: `normalPair(threefry2x32(vec2u(42u, ${STREAM.exploration}u + (words.y << 8u)), vec2u(words.x, 9u)))` },
      toRows(events),
    );
    events.forEach(([event, draw], i) => {
      expect(Math.abs(z[2 * i]! + z[2 * i + 1]! - draws.normal(event, draw)), `event ${event}`).toBeLessThan(1e-11);
    });
  });

  it('logComplementUnit is ln(1 − u) of the 53 bits that Draws.unit takes', async () => {
    const pairs = wordPairs();
    const { result } = await evaluateWgsl(
      context,
      LIBRARY,
      { result: 'vec2f(logComplementUnit(words), 0.0)' },
      toRows(pairs),
    );
    const error = worst(pairs, ([first, second], i) => {
      const u = toUnit(first, second);
      const want = u < 0.5 ? Math.log1p(-u) : Math.log(1 - u);
      const got = result[2 * i]!;
      return got === want ? 0 : Math.abs(got / want - 1);
    });
    report('logComplementUnit', error, 10 * U);
  });
});

describe(`functions in f32 on ${ADAPTER}`, () => {
  /** f32 with random mantissas and exponents from..to, and neighbours of 1 and of √½. */
  function positive(from: number, to: number): number[] {
    const words = new Uint32Array(2);
    const drawn = Array.from({ length: RANDOM }, (_, i) => {
      threefry2x32(5, 1, i, 0, words);
      return (1 + (words[0]! >>> 9) / 2 ** 23) * 2 ** (from + (words[1]! % (to - from + 1)));
    });
    const near = [1, Math.SQRT1_2, Math.SQRT2].flatMap((x) =>
      Array.from({ length: 200 }, (_, i) => Math.fround(x) + (i - 100) * 2 ** -24).map(Math.fround),
    );
    return [...drawn, ...near];
  }

  async function run(expression: string, inputs: readonly number[]): Promise<Float32Array> {
    const rows = new Float32Array(inputs.length * ROW);
    inputs.forEach((x, i) => {
      rows[i * ROW] = x;
    });
    return (await evaluateWgsl(context, LIBRARY, { x: `vec2f(${expression}, 0.0)` }, new Uint32Array(rows.buffer))).x;
  }

  it('logF32 is within 4 u', async () => {
    const inputs = [...positive(-126, 127), ...positive(-2, 1)];
    const got = await run('logF32(a.x)', inputs);
    const error = worst(inputs, (x, i) => {
      const want = Math.log(x);
      return want === got[2 * i] ? 0 : Math.abs(got[2 * i]! / want - 1);
    });
    report('logF32', error, 4 * U);
  });

  it('expF32 is within 3 u, and saturates', async () => {
    const magnitudes = positive(-30, 5);
    const inputs = [
      ...magnitudes,
      ...magnitudes.map((x) => -x),
      ...Array.from({ length: 3500 }, (_, i) => i / 20 - 87),
    ];
    const inRange = inputs.map(Math.fround).filter((x) => x >= -87 && x <= 88);
    const got = await run('expF32(a.x)', inRange);
    const error = worst(inRange, (x, i) => Math.abs(got[2 * i]! / Math.exp(x) - 1));
    report('expF32', error, 3 * U);
    const ends = await run('expF32(a.x)', [-87.5, -1000, -1e30, 88, 89, 1e30, 0]);
    expect([0, 1, 2].map((i) => ends[2 * i])).toEqual([0, 0, 0]);
    expect([4, 5].map((i) => ends[2 * i])).toEqual([ends[6], ends[6]]);
    expect(ends[12]).toBe(1);
  });
});
