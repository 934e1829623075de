/**
 * Whole numbers of several 32-bit words, low word first: columns of them, one number per event, their products, and quotients of
 * their sums. Engines add each word by itself, so that sums are exact however many words a number has.
 */

const WORD = 2 ** 32;
const HALF = 2 ** 16;

/** One number per event, [words][L]. */
export type WholeColumn = readonly Uint32Array[];

/** Columns from this size on are made where threads read them; smaller ones cost more there than their copies do. Numbers. */
const SHARED_FROM = 2 ** 14;

/** Zeroed numbers, [length]; many on shared memory where the platform has it, so that worker threads read them without a copy. */
export function newWords(length: number): Uint32Array {
  if (length < SHARED_FROM || typeof SharedArrayBuffer === 'undefined') return new Uint32Array(length);
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

/** Words that hold every number up to `most`. */
export function wordsOf(most: bigint): number {
  return Math.max(1, Math.ceil(most.toString(16).length / 8));
}

/** The product of two columns of numbers ≥ 0, event by event. @param words that hold the largest product. */
export function multiply(a: WholeColumn, b: WholeColumn, words: number): Uint32Array[] {
  const events = a[0].length;
  const product = Array.from({ length: words }, () => newWords(events));
  const sums = new Float64Array(words + 2);
  for (let t = 0; t < events; t++) {
    for (let w = 0; w < words; w++) sums[w] = 0;
    for (let i = 0; i < a.length; i++) {
      const x = a[i][t];
      if (x === 0) continue;
      for (let j = 0; j < b.length && i + j < words; j++) {
        const y = b[j][t];
        if (y === 0) continue;
        sums[i + j] += Math.imul(x, y) >>> 0;
        sums[i + j + 1] += highWord(x, y);
      }
    }
    let carry = 0;
    for (let w = 0; w < words; w++) {
      const sum = sums[w] + carry;
      const word = sum >>> 0;
      product[w][t] = word;
      carry = (sum - word) / WORD;
    }
  }
  return product;
}

/** ⌊x·y / 2³²⌋ of two words. */
function highWord(x: number, y: number): number {
  // Each product with half a word is below 2⁴⁸.
  return Math.floor((x * (y >>> 16) + Math.floor((x * (y & 0xffff)) / HALF)) / HALF);
}

/** Σ over `values[from..to)`, whole numbers below 2⁵³ each, in at most 2²¹ terms. */
export function exactSum(values: Float64Array, from: number, to: number): bigint {
  let [low, high] = [0, 0];
  for (let i = from; i < to; i++) {
    const upper = Math.floor(values[i] / WORD);
    high += upper;
    low += values[i] - upper * WORD;
  }
  return (BigInt(high) << 32n) + BigInt(low);
}

/** Bits of a number > 0, give or take one, or a few where it is beyond what an f64 holds. */
function bits(n: bigint): number {
  const near = Number(n);
  return Number.isFinite(near) ? Math.ceil(Math.log2(near)) : n.toString(16).length * 4;
}
/** Bits of a quotient before it is rounded: more than an f64 has by enough that what is cut off can be told by one more. */
const QUOTIENT_BITS = 72;

/** n / d, rounded once. @param d not 0. */
export function quotient(n: bigint, d: bigint): number {
  if (n === 0n) return 0;
  const [dividend, divider] = [Number(n), Number(d)];
  // Both exact: f64 division rounds once by itself. It is most of what is asked.
  if (Number.isSafeInteger(dividend) && Number.isSafeInteger(divider)) return dividend / divider;
  const isNegative = n < 0n !== d < 0n;
  const [top, bottom] = [n < 0n ? -n : n, d < 0n ? -d : d];
  const shift = QUOTIENT_BITS - (bits(top) - bits(bottom));
  const [scaled, divisor] = shift >= 0 ? [top << BigInt(shift), bottom] : [top, bottom << BigInt(-shift)];
  const whole = scaled / divisor;
  // Where something is cut off the last bit is set, so that a tie is no tie.
  const value = scaled % divisor === 0n ? Number(whole) : Number(whole | 1n);
  // 2^-shift itself may be too small for an f64.
  const half = Math.trunc(shift / 2);
  const result = value * 2 ** -half * 2 ** -(shift - half);
  return isNegative ? -result : result;
}
