/** Seeded operands for the tests of pairs: ordinary ones, and those that break careless arithmetic. */
import { threefry2x32 } from '#dist/random/threefry.js';

export type Pair = readonly [high: number, low: number];

/** The pair nearest to an f64. */
export function pairOf(x: number): Pair {
  const high = Math.fround(x);
  return [high, Math.fround(x - high)];
}

export const f64Of = ([high, low]: Pair): number => high + low;

export class Operands {
  private readonly words = new Uint32Array(2);
  private next = 0;

  constructor(private readonly seed: number) {}

  word(): number {
    threefry2x32(this.seed, 0, this.next++, 0, this.words);
    return this.words[0]!;
  }

  private unit(): number {
    return (this.word() * 2 ** 21 + (this.word() >>> 11)) / 2 ** 53;
  }

  uniform(from: number, to: number): Pair {
    return pairOf(from + (to - from) * this.unit());
  }

  /** 2^k with |k| ≤ limit. */
  private power(limit: number): number {
    return 2 ** ((this.word() % (2 * limit + 1)) - limit);
  }

  /** 1 ≤ m < 2: random, all ones, a power of two or few bits, so that ties and empty low words occur. */
  private mantissa(): number {
    switch (this.word() % 6) {
      case 0:
        return 1;
      case 1:
        return 2 - 2 ** -23;
      case 2:
        return 1 + (this.word() >>> 20) / 2 ** 12;
      default:
        return 1 + (this.word() >>> 9) / 2 ** 23;
    }
  }

  private sign(): number {
    return this.word() % 2 === 0 ? 1 : -1;
  }

  /** An f32 with magnitude within 2^±limit. */
  scalar(limit: number): Pair {
    return [this.sign() * this.mantissa() * this.power(limit - 1), 0];
  }

  /** A pair whose low word is zero, close to half an ulp of the high one, or far below, with either sign. */
  pair(limit: number, kind: 'any' | 'nonzero' | 'positive' = 'any'): Pair {
    if (kind === 'any' && this.word() % 50 === 0) return [0, 0];
    const [scalar] = this.scalar(limit);
    const high = kind === 'positive' ? Math.abs(scalar) : scalar;
    const halfUlp = 2 ** (Math.floor(Math.log2(Math.abs(high))) - 24);
    switch (this.word() % 5) {
      case 0:
        return [high, 0];
      case 1:
        return this.normalized(high, this.sign() * halfUlp * (1 - 2 ** -24));
      case 2:
        return this.normalized(high, this.sign() * halfUlp * this.unit() * 2 ** -(this.word() % 20));
      default:
        return this.normalized(high, this.sign() * halfUlp * this.unit());
    }
  }

  /** A low word too large for the lower neighbour of a power of two is halved. */
  private normalized(high: number, low: number): Pair {
    const word = Math.fround(low);
    return Math.fround(high + word) === high ? [high, word] : [high, word / 2];
  }

  /** Two pairs for a sum: independent, cancelling exactly, cancelling but for the low words, or of neighbouring high words. */
  near(limit: number, i: number): [Pair, Pair] {
    const a = this.pair(limit);
    switch (i % 6) {
      case 0:
        return [a, [-a[0], -a[1]]];
      case 1:
        return [a, this.normalized(-a[0], a[1])];
      case 2:
        return [a, this.normalized(-a[0], a[1] * (this.unit() - 0.5))];
      case 3:
        return [a, pairOf(Math.fround(-a[0] * (1 + this.sign() * 2 ** -23)) - a[1])];
      case 4:
        return [a, pairOf(f64Of(a) * (this.unit() - 0.5) * 2 ** -(this.word() % 30))];
      default:
        return [a, this.pair(limit)];
    }
  }

  /** a, b and c, where c is often close to −a · b. */
  cancelling(limit: number, b: Pair, i: number): [Pair, Pair, Pair] {
    const a = this.pair(limit);
    const product = f64Of(a) * f64Of(b);
    switch (i % 4) {
      case 0:
        return [a, b, pairOf(-product)];
      case 1:
        return [a, b, [-Math.fround(product), 0]];
      case 2:
        return [a, b, pairOf(-product * (1 + (this.unit() - 0.5) * 2 ** -(this.word() % 40)))];
      default:
        return [a, b, this.pair(limit)];
    }
  }

  /** 1 ± something down to 2^-48. */
  nearOne(i: number): Pair {
    return pairOf(1 + this.sign() * (1 + this.unit()) * 2 ** -(2 + (i % 47)));
  }

  /** Two f32: as `near`, or with halfway ties, or far apart. */
  scalars(limit: number, i: number): [Pair, Pair] {
    const [a] = this.scalar(limit);
    const ulp = 2 ** (Math.floor(Math.log2(Math.abs(a))) - 23);
    switch (i % 6) {
      case 0:
        return [
          [a, 0],
          [this.sign() * ulp * 0.5, 0],
        ];
      case 1:
        return [
          [a, 0],
          [this.sign() * ulp * 0.5 * (1 + this.sign() * 2 ** -23), 0],
        ];
      case 2:
        return [
          [a, 0],
          [Math.fround(-a * (1 + this.sign() * 2 ** -23)), 0],
        ];
      case 3:
        return i % 12 === 3
          ? [
              [a, 0],
              [0, 0],
            ]
          : [
              [a, 0],
              [-a, 0],
            ];
      default:
        return [[a, 0], this.scalar(limit)];
    }
  }
}
