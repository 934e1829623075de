/**
 * Sums of payoff steps and of their squares, exact for any 32-bit step and up to 2³² matches, so that totals and
 * variances do not depend on how a log was cut. Numbers are kept in limbs of 32 bits; each f64 holds whole numbers only.
 */

/** 2³²: the weight of a limb. */
export const LIMB = 4294967296;

/** Totals of one policy over some events, steps k as in {@link ExactSums}. */
export interface Totals {
  /** L: events seen. */
  events: number;
  /** T: events retained. */
  matches: number;
  /** G = Σ k; exact below 2⁵³, else the nearest f64. */
  payoff: number;
  /** Q = Σ k²; exact below 2⁵³, else the nearest f64. */
  square: number;
  /**
   * Σ (k − k̄)² = (T·Q − G²) / T, from the exact integers with two roundings: no cancellation, 0 exactly where all
   * payoffs are equal. 0 where T = 0.
   */
  centred: number;
}

/** An accumulator of Σ k and Σ k², exact whatever the order and grouping of what is added. */
export class ExactSums {
  events = 0;
  matches = 0;
  // G = g1·2³² + g0 and Q = q2·2⁶⁴ + q1·2³² + q0, carries pending. Each stays below 2⁵³ for 2²¹ additions of one limb.
  private g0 = 0;
  private g1 = 0;
  private q0 = 0;
  private q1 = 0;
  private q2 = 0;

  /** Adds one match with payoff `steps`, a whole number in 0..2³²−1. */
  add(steps: number): void {
    this.matches++;
    const high = Math.floor(steps / 65536);
    const low = steps % 65536;
    // k² = high²·2³² + 2·high·low·2¹⁶ + low²: every term below 2⁵³.
    const cross = 2 * high * low;
    const crossHigh = Math.floor(cross / 65536);
    this.addLimbs(steps, high * high + crossHigh, (cross - crossHigh * 65536) * 65536 + low * low);
  }

  /**
   * Adds a block's statistics: Σ k = `payoff` below 2⁵³ and Σ k² = `squareHigh`·2³² + `squareLow`, each below 2⁵³.
   */
  addBlock(events: number, matches: number, payoff: number, squareHigh: number, squareLow: number): void {
    this.events += events;
    this.matches += matches;
    this.addLimbs(payoff, squareHigh, squareLow);
  }

  private addLimbs(payoff: number, squareHigh: number, squareLow: number): void {
    const g = Math.floor(payoff / LIMB);
    this.g1 += g;
    this.g0 += payoff - g * LIMB;
    if (this.g0 >= LIMB) {
      this.g0 -= LIMB;
      this.g1++;
    }
    const low = Math.floor(squareLow / LIMB);
    this.q0 += squareLow - low * LIMB;
    if (this.q0 >= LIMB) {
      this.q0 -= LIMB;
      this.q1++;
    }
    const high = Math.floor(squareHigh / LIMB);
    this.q2 += high;
    this.q1 += squareHigh - high * LIMB + low;
    if (this.q1 >= LIMB) {
      const carry = Math.floor(this.q1 / LIMB);
      this.q1 -= carry * LIMB;
      this.q2 += carry;
    }
  }

  /** The sums so far. */
  totals(): Totals {
    const { events, matches, q0, q1, q2 } = this;
    // g1·2³² is exact, so the sum is rounded once.
    const payoff = this.g1 * LIMB + this.g0;
    const small = q2 === 0 && q1 * LIMB + q0 <= Number.MAX_SAFE_INTEGER;
    const square = small ? q1 * LIMB + q0 : Number(this.squareInteger());
    return { events, matches, payoff, square, centred: this.centred(payoff, small ? square : null) };
  }

  private squareInteger(): bigint {
    return (BigInt(this.q2) << 64n) + (BigInt(this.q1) << 32n) + BigInt(this.q0);
  }

  private centred(payoff: number, square: number | null): number {
    const T = this.matches;
    if (T === 0) return 0;
    if (square !== null) {
      // Whole k ≥ 0 with Σ k² = Σ k are all 0 or 1: T·Q − G² = G·(T − G), rounded once.
      if (square === payoff) return (payoff * (T - payoff)) / T;
      // G² ≤ T·Q (Cauchy and Schwarz), so both products are exact.
      if (T * square <= Number.MAX_SAFE_INTEGER) return (T * square - payoff * payoff) / T;
    }
    const G = (BigInt(this.g1) << 32n) + BigInt(this.g0);
    return Number(BigInt(T) * this.squareInteger() - G * G) / T;
  }
}
