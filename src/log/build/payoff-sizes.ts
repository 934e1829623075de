/** How large the payoffs of a log are, typically: counted by powers of two, in any order. */

/** Exponents of f64, subnormal numbers as one. */
const EXPONENTS = 2048;
const BIAS = 1023;

export class PayoffSizes {
  private readonly counts = new Float64Array(EXPONENTS);
  private readonly word = new Float64Array(1);
  private readonly halves = new Uint32Array(this.word.buffer);

  /** Counts a payoff `times` times; 0 does not count, for it is never rounded away. */
  add(payoff: number, times = 1): void {
    if (payoff === 0) return;
    this.word[0] = payoff;
    // Little-endian, as every platform of WebGPU is.
    this.counts[(this.halves[1] >>> 20) & 0x7ff] += times;
  }

  /** Half of the payoffs that are not 0 are about this large or larger: the median of |payoff| to a factor of 2; 0 where all are 0. */
  typical(): number {
    const half = this.counts.reduce((sum, count) => sum + count, 0) / 2;
    let above = 0;
    for (let exponent = EXPONENTS - 1; exponent >= 0; exponent--) {
      above += this.counts[exponent];
      if (above > 0 && above >= half) return 2 ** (exponent - BIAS);
    }
    return 0;
  }
}
