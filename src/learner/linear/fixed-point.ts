/** Arithmetic in fixed point of as many bits as a task takes: integers that stand for multiples of 2⁻ᶠ. */

import { plural } from '../../words.js';
import type { DoubleDouble } from './double-double.js';
import { packedSize } from './packed.js';

export class FixedPoint {
  private readonly shift: bigint;
  readonly one: bigint;

  /** @param bits F */
  constructor(private readonly bits: number) {
    this.shift = BigInt(bits);
    this.one = 1n << this.shift;
  }

  /** @param x finite. */
  of(x: number): bigint {
    if (x === 0) return 0n;
    // x is a whole multiple of 2^exponent.
    const exponent = Math.max(-1074, Math.floor(Math.log2(Math.abs(x))) - 53);
    const whole = BigInt(x / 2 ** exponent);
    const up = this.bits + exponent;
    return up >= 0 ? whole << BigInt(up) : whole >> BigInt(-up);
  }

  times(a: bigint, b: bigint): bigint {
    return (a * b) >> this.shift;
  }

  over(a: bigint, b: bigint): bigint {
    return (a << this.shift) / b;
  }

  /** Σ a[from + j] b[at + j], j < n */
  dot(a: readonly bigint[], from: number, b: readonly bigint[], at: number, n: number): bigint {
    let sum = 0n;
    for (let j = 0; j < n; j++) sum += a[from + j] * b[at + j];
    return sum >> this.shift;
  }

  /** The nearest f64. */
  number(a: bigint): number {
    return this.split(a)[0];
  }

  /** The nearest double-double. */
  round(a: bigint, out: DoubleDouble): void {
    const [hi, lo] = this.split(a);
    out.set(hi, lo);
  }

  private split(a: bigint): [number, number] {
    let bits = this.bits;
    let whole = a;
    let first = Number(whole);
    // More than f64's range: bits far behind the first 106 go.
    while (!Number.isFinite(first)) {
      whole >>= 512n;
      bits -= 512;
      first = Number(whole);
    }
    const rest = Number(whole - BigInt(first));
    // In two steps, since 2⁻ᶠ itself may be below f64's range.
    const [half, other] = [2 ** -Math.floor(bits / 2), 2 ** -Math.ceil(bits / 2)];
    return [first * half * other, rest * half * other];
  }

  /**
   * A = L D Lᵀ, L lower triangular with a diagonal of ones.
   *
   * @param matrix packed lower triangle, positive definite.
   */
  factor(matrix: readonly bigint[], n: number): { lower: bigint[]; pivots: bigint[] } {
    const lower = matrix.slice();
    const pivots: bigint[] = [];
    for (let i = 0; i < n; i++) {
      const row = packedSize(i);
      // Of row i, first L D, then L.
      const scaled: bigint[] = [];
      let pivot = matrix[row + i];
      for (let j = 0; j < i; j++) {
        let sum = matrix[row + j];
        for (let k = 0; k < j; k++) {
          if (scaled[k] !== 0n) sum -= this.times(scaled[k], lower[packedSize(j) + k]);
        }
        scaled.push(sum);
        lower[row + j] = sum === 0n ? 0n : this.over(sum, pivots[j]);
        pivot -= this.times(sum, lower[row + j]);
      }
      if (pivot <= 0n) throw new RangeError(`${plural(this.bits, 'bit')} do not suffice for a matrix of order ${n}`);
      pivots.push(pivot);
      lower[row + i] = this.one;
    }
    return { lower, pivots };
  }

  /** L⁻¹ of such an L, packed. */
  invert(lower: readonly bigint[], n: number): bigint[] {
    const inverse = lower.slice();
    for (let i = 0; i < n; i++) {
      const row = packedSize(i);
      for (let j = 0; j < i; j++) {
        let sum = lower[row + j];
        for (let k = j + 1; k < i; k++) {
          const entry = inverse[packedSize(k) + j];
          if (entry !== 0n) sum += this.times(lower[row + k], entry);
        }
        inverse[row + j] = -sum;
      }
    }
    return inverse;
  }
}
