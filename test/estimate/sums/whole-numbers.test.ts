import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactSum, multiply, newWords, quotient, wordsOf } from '#dist/estimate/sums/whole-numbers.js';

const WORDS = 5;
const columnOf = (values: readonly bigint[], words = WORDS): Uint32Array[] =>
  Array.from({ length: words }, (_, w) => Uint32Array.from(values, (v) => Number((v >> BigInt(32 * w)) & 0xffffffffn)));
const numbersOf = (column: readonly Uint32Array[]): bigint[] =>
  [...column[0]].map((_, t) => column.reduce((all, words, w) => all + (BigInt(words[t]) << BigInt(32 * w)), 0n));

it.each([
  [0, false],
  [2 ** 14 - 1, false],
  [2 ** 14, true],
])('%d new words are zeros, and where threads read them: %s', (length, shared) => {
  const words = newWords(length);
  expect(words).toEqual(new Uint32Array(length));
  expect(words.buffer instanceof SharedArrayBuffer).toBe(shared);
});

describe('whole numbers of several words', () => {
  it('are multiplied to the last bit', () => {
    const big = (bits: bigint) => fc.oneof(fc.bigInt(0n, 2n ** bits - 1n), fc.constantFrom(0n, 1n, 2n ** bits - 1n));
    fc.assert(
      fc.property(fc.array(fc.tuple(big(96n), big(64n)), { minLength: 1, maxLength: 9 }), (pairs) => {
        const product = multiply(
          columnOf(
            pairs.map(([a]) => a),
            3,
          ),
          columnOf(
            pairs.map(([, b]) => b),
            2,
          ),
          WORDS,
        );
        expect(numbersOf(product)).toEqual(pairs.map(([a, b]) => a * b));
      }),
    );
  });

  it.each([
    [0n, 1],
    [1n, 1],
    [2n ** 32n - 1n, 1],
    [2n ** 32n, 2],
    [2n ** 64n - 1n, 2],
    [2n ** 64n, 3],
  ])('%s takes %i words', (most, words) => {
    expect(wordsOf(most)).toBe(words);
  });

  it('are added exactly beyond 2⁵³', () => {
    const values = Float64Array.of(2 ** 53 - 1, 2 ** 53 - 1, 3, 2 ** 40);
    expect(exactSum(values, 0, 4)).toBe(2n ** 54n - 2n + 3n + 2n ** 40n);
    expect(exactSum(values, 1, 3)).toBe(2n ** 53n + 2n);
    expect(exactSum(values, 2, 2)).toBe(0n);
  });
});

describe('the quotient of whole numbers', () => {
  it('is rounded once: that of numbers below 2⁵³ is the quotient of f64', () => {
    const safe = fc.maxSafeInteger();
    fc.assert(
      fc.property(safe, safe, (n, d) => {
        if (d !== 0) expect(quotient(BigInt(n), BigInt(d))).toBe(n === 0 ? 0 : n / d);
      }),
    );
  });

  it('is the same of multiples, be they whole in an f64 or beyond it', () => {
    const number = fc.oneof(
      fc.bigInt(-(2n ** 54n), 2n ** 54n),
      fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n),
    );
    const factor = fc.oneof(fc.bigInt(1n, 2n ** 60n), fc.constantFrom(2n ** 971n, 10n ** 320n));
    fc.assert(
      fc.property(number, number, factor, (n, d, by) => {
        if (d !== 0n) expect(quotient(n * by, d * by)).toBe(quotient(n, d));
      }),
    );
  });

  it.each([
    ['the last dividend that an f64 holds', 2n ** 53n - 1n, 3n, (2 ** 53 - 1) / 3],
    ['the first that it does not', 2n ** 53n + 1n, 2n ** 53n - 2n, 1 + 2 ** -51],
    ['the first divisor that it does not', 2n ** 53n - 1n, 2n ** 53n + 1n, 1 - 2 ** -52],
    ['a tie goes to the even neighbour', 2n ** 53n + 1n, 1n, 2 ** 53],
    ['the least more than a tie does not', (2n ** 53n + 1n) * 2n ** 90n + 1n, 2n ** 90n, 2 ** 53 + 2],
    ['nor the least less', (2n ** 53n + 3n) * 2n ** 90n - 1n, 2n ** 90n, 2 ** 53 + 2],
    ['many digits', 10n ** 400n, 10n ** 400n * 3n, 1 / 3],
    ['very small', 1n, 2n ** 1000n, 2 ** -1000],
    ['very large', 2n ** 1000n, 1n, 2 ** 1000],
    ['negative', -1n, 3n, -1 / 3],
    ['negative below', 1n, -3n, -1 / 3],
  ])('%s', (_, n, d, value) => {
    expect(quotient(n, d)).toBe(value);
  });
});
