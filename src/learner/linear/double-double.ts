/**
 * Numbers of 106 bits as unevaluated sums hi + lo of two f64, |lo| ≤ ulp(hi)/2. What f64 loses in ill-conditioned regressions
 * is kept, at some thirty times the cost.
 *
 * Sources: Dekker 1971 (product), Knuth, TAOCP 2, 4.2.2 (sum), Hida, Li & Bailey 2001, "QD" (functions). Sums and products
 * are within 2⁻¹⁰², quotients and roots within 2⁻¹⁰⁰, for magnitudes between 2⁻⁴⁰⁰ and 2⁴⁰⁰: products of larger ones
 * overflow, and of smaller ones lose their lower part.
 */

/** 2⁻¹⁰⁰: relative error of one operation at most. */
export const DOUBLE_DOUBLE_UNIT = 2 ** -100;

const SPLIT = 2 ** 27 + 1;

/** A number that operations change in place: loops over arrays of pairs allocate nothing. */
export class DoubleDouble {
  hi = 0;
  lo = 0;

  set(hi: number, lo = 0): this {
    this.hi = hi;
    this.lo = lo;
    return this;
  }

  copy({ hi, lo }: DoubleDouble): this {
    return this.set(hi, lo);
  }

  add(hi: number, lo: number): this {
    const s = this.hi + hi;
    const b = s - this.hi;
    const e = this.hi - (s - b) + (hi - b);
    const t = this.lo + lo;
    const c = t - this.lo;
    const f = this.lo - (t - c) + (lo - c);
    const high = s + (e + t);
    const low = e + t - (high - s) + f;
    this.hi = high + low;
    this.lo = low - (this.hi - high);
    return this;
  }

  /** this ← (aHi + aLo)(bHi + bLo) */
  product(aHi: number, aLo: number, bHi: number, bLo: number): this {
    const p = aHi * bHi;
    const a = SPLIT * aHi;
    const aUp = a - (a - aHi);
    const aDown = aHi - aUp;
    const b = SPLIT * bHi;
    const bUp = b - (b - bHi);
    const bDown = bHi - bUp;
    const e = aUp * bUp - p + aUp * bDown + aDown * bUp + aDown * bDown + (aHi * bLo + aLo * bHi);
    this.hi = p + e;
    this.lo = e - (this.hi - p);
    return this;
  }

  times(hi: number, lo: number): this {
    return this.product(this.hi, this.lo, hi, lo);
  }

  /** this ← this + (aHi + aLo)(bHi + bLo) */
  addProduct(aHi: number, aLo: number, bHi: number, bLo: number): this {
    const p = aHi * bHi;
    const a = SPLIT * aHi;
    const aUp = a - (a - aHi);
    const aDown = aHi - aUp;
    const b = SPLIT * bHi;
    const bUp = b - (b - bHi);
    const bDown = bHi - bUp;
    const e = aUp * bUp - p + aUp * bDown + aDown * bUp + aDown * bDown + (aHi * bLo + aLo * bHi);
    return this.add(p, e);
  }

  /** this ← this / (hi + lo) */
  dividedBy(hi: number, lo: number): this {
    const first = this.hi / hi;
    const q = first;
    this.addProduct(-first, 0, hi, lo);
    const second = this.hi / hi;
    this.addProduct(-second, 0, hi, lo);
    const third = this.hi / hi;
    this.set(q).add(second, third);
    return this;
  }

  /** this ← √this, of what is at least 0. */
  root(): this {
    if (!(this.hi > 0)) return this.set(0);
    const { hi } = this;
    const y = Math.sqrt(hi);
    // Newton's step from y: y + (x − y²)/(2y), whose error is the square of y's.
    this.addProduct(-y, 0, y, 0);
    const rest = this.hi / (2 * y);
    const up = y + rest;
    return this.set(up, rest - (up - y));
  }
}
