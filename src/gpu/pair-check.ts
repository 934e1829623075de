/**
 * Whether a device computes with pairs of f32 (shaders/lib/pair.wgsl) as it should. WGSL leaves rounding, fusing and
 * regrouping open, so the engine asks once per device before it trusts results that rest on pairs.
 */

import type { GpuContext } from './context.js';
import { defineKernel } from './kernel.js';

const ROWS = 4096;
const LANES = 64;
/** Words of a row of operands, and of results. */
const OPERANDS = 4;
const RESULTS = 10;
/** Of pairMul, pairDiv and pairSqrt, relative. */
const TOLERANCE = 2 ** -42;

export const pairCheckKernel = defineKernel({
  source: 'lib/pair-check.wgsl',
  libraries: ['lib/pair.wgsl'],
  params: { zero: 'u32', rows: 'u32' },
  bindings: {
    operands: { type: 'array<vec4f>', write: false },
    results: { type: 'array<vec2f>', write: true },
  },
});

/**
 * Runs the check: some 4,000 sums, products, quotients and roots, in a few milliseconds once it is compiled.
 *
 * @returns false where any result is wrong; learners then run on the CPU.
 * @throws EngineError where the device fails otherwise.
 */
export async function pairsHold(context: GpuContext): Promise<boolean> {
  const pipeline = await context.pipeline(pairCheckKernel, {});
  const operands = checkOperands();
  const bytes = ROWS * RESULTS * 4;
  const uniform = context.uniform(pipeline, { zero: 0, rows: ROWS });
  const buffers = {
    operands: context.upload('pair check operands', operands),
    results: context.storage('pair check results', bytes),
  };
  const staging = context.staging('pair check', bytes);
  try {
    const encoder = context.device.createCommandEncoder();
    context.dispatch(encoder, pipeline, uniform, buffers, ROWS / LANES, 1);
    encoder.copyBufferToBuffer(buffers.results, 0, staging, 0, bytes);
    context.device.queue.submit([encoder.finish()]);
    const results = new Float32Array((await context.read(staging, bytes)).buffer);
    for (let row = 0; row < ROWS; row++) {
      const a = operands.subarray(row * OPERANDS, row * OPERANDS + 2);
      const b = operands.subarray(row * OPERANDS + 2, (row + 1) * OPERANDS);
      if (!rowHolds(a, b, results.subarray(row * RESULTS, (row + 1) * RESULTS))) return false;
    }
    return true;
  } finally {
    context.free(uniform, buffers.operands, buffers.results, staging);
  }
}

/** Whether five results are right: the first two to the last bit. */
function rowHolds(a: Float32Array, b: Float32Array, results: Float32Array): boolean {
  const [sumHigh, sumLow, productHigh, productLow] = results;
  const [x, y] = [a[0] + a[1], b[0] + b[1]];
  const value = (k: number): number => results[2 * k] + results[2 * k + 1];
  // f64 holds a product of two f32. Where it does not hold their sum, the smaller is below half an ulp of the larger, so
  // that the rounded sum is the larger: either way it and its error are right.
  const sum = Math.fround(a[0] + b[0]);
  const larger = Math.abs(a[0]) >= Math.abs(b[0]) ? a[0] : b[0];
  const smaller = larger === a[0] ? b[0] : a[0];
  const product = a[0] * b[0];
  return (
    sumHigh === sum &&
    sumLow === larger - sum + smaller &&
    productHigh === Math.fround(product) &&
    productLow === product - productHigh &&
    isNear(value(2), x * y) &&
    isNear(value(3), x / y) &&
    isNear(value(4), Math.sqrt(Math.abs(x)))
  );
}

/** Written so that NaN is not near anything. */
function isNear(got: number, want: number): boolean {
  return Math.abs(got - want) <= TOLERANCE * Math.abs(want);
}

/** Rows (a, b) whose exponents stay within ±30, so that the error of a product is a normal f32. */
function checkOperands(): Float32Array {
  const next = randomWords();
  const operands = new Float32Array(ROWS * OPERANDS);
  for (let row = 0; row < ROWS; row++) {
    const [aHigh, b] = highWords(row, next);
    const bHigh = Math.fround(b);
    operands.set([aHigh, lowWord(aHigh, next()), bHigh, lowWord(bHigh, next())], row * OPERANDS);
  }
  return operands;
}

/** Two f32: in turn with independent exponents, a halfway tie, cancelling but for some ulp, and with few bits. */
function highWords(row: number, next: () => number): [number, number] {
  const a = scalar(next(), next());
  const ulp = 2 ** (exponentOf(a) - 23);
  const sign = next() & 1 ? 1 : -1;
  switch (row % 4) {
    case 0:
      return [a, (sign * ulp) / 2];
    case 1:
      return [a, -a + sign * (next() % 5) * ulp];
    case 2:
      return [a, scalar(next() & 0xf8000000, next())];
    default:
      return [a, scalar(next(), next())];
  }
}

/** ±1.f · 2^e, f from the upper bits of one word, sign and |e| ≤ 30 from another. */
function scalar(fraction: number, word: number): number {
  return (word & 1 ? 1 : -1) * (1 + (fraction >>> 9) / 2 ** 23) * 2 ** (((word >>> 1) % 61) - 30);
}

/** A low word of up to half an ulp (a quarter: the lower neighbour of a power of two is nearer), of either sign. */
function lowWord(high: number, word: number): number {
  return (word / 2 ** 32 - 0.5) * 2 ** (exponentOf(high) - 24);
}

/** The e of ±1.f · 2^e. */
function exponentOf(x: number): number {
  return Math.floor(Math.log2(Math.abs(x)));
}

/** Marsaglia's xorshift32 (2003): any fixed sequence does, and `gpu` imports no generator. */
function randomWords(): () => number {
  let word = 2463534242;
  return () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    word >>>= 0;
    return word;
  };
}
