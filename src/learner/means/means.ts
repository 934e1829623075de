/** Sample means that are compared exactly: whole steps over counts, as integer fractions: 1/2 and 2/4 tie. */

import type { Archive } from '../../archive.js';
import { meanPayoff, type PayoffScale } from '../../estimate/sums/payoff-scale.js';
import type { Candidates } from '../learner.js';

const HALF = 2 ** 52;
const EXACT = 2 ** 53;

/** n_i trials and their total payoff in steps, for each of `size` rows (an arm, or an arm of a segment). */
export class Means {
  /** n_i */
  readonly n: Float64Array;
  /** Total steps of each row below 2⁵² … */
  private readonly low: Float64Array;
  /** … and how many times 2⁵² beyond. */
  private readonly high: Float64Array;
  /** Bounds on n and totals: while their product is below 2⁵³, products of any two are exact. */
  private mostTrials = 0;
  private mostSteps = 0;

  /**
   * @param trials prior trials of every row.
   * @param steps their total in steps.
   */
  constructor(size: number, trials = 0, steps = 0) {
    this.n = new Float64Array(size).fill(trials);
    this.low = new Float64Array(size).fill(steps % HALF);
    this.high = new Float64Array(size).fill(Math.floor(steps / HALF));
    this.mostTrials = trials;
    this.mostSteps = steps;
  }

  /** Those of other counts: trials and totals of each row. */
  static of(trials: Float64Array, totals: Float64Array): Means {
    const means = new Means(trials.length);
    means.n.set(trials);
    for (let i = 0; i < totals.length; i++) {
      means.low[i] = totals[i] % HALF;
      means.high[i] = Math.floor(totals[i] / HALF);
      means.mostTrials = Math.max(means.mostTrials, trials[i]);
      means.mostSteps = Math.max(means.mostSteps, totals[i]);
    }
    return means;
  }

  /** One more trial of row i. */
  add(i: number, steps: number): void {
    this.n[i]++;
    this.low[i] += steps;
    if (this.low[i] >= HALF) {
      this.low[i] -= HALF;
      this.high[i]++;
    }
    this.mostTrials = Math.max(this.mostTrials, this.n[i]);
    this.mostSteps = Math.max(this.mostSteps, this.total(i));
  }

  /** Total steps of row i; rounded beyond 2⁵³. */
  total(i: number): number {
    return this.high[i] * HALF + this.low[i];
  }

  /** True where the mean of row i is larger than that of row j; both have trials. Exact. */
  isLarger(i: number, j: number): boolean {
    const { n, low } = this;
    if (this.mostTrials * this.mostSteps < EXACT) return low[i] * n[j] > low[j] * n[i];
    return this.bigTotal(i) * BigInt(n[j]) > this.bigTotal(j) * BigInt(n[i]);
  }

  private bigTotal(i: number): bigint {
    return BigInt(this.high[i]) * BigInt(HALF) + BigInt(this.low[i]);
  }

  /**
   * The candidate with the largest mean, the lowest index on ties.
   *
   * @param offset row of arm 0.
   * @param untried where arms without trials stand: before all others (the lowest index of them), or after.
   */
  largest({ arms, from, to }: Candidates, offset = 0, untried: 'first' | 'last' = 'first'): number {
    let best = -1;
    for (let i = from; i < to; i++) {
      const row = offset + arms[i];
      if (this.n[row] === 0) {
        if (untried === 'first') return arms[i];
      } else if (best < 0 || this.isLarger(row, offset + best)) best = arms[i];
    }
    return best < 0 ? arms[from] : best;
  }

  carry(archive: Archive): void {
    archive.array(this.n);
    archive.array(this.low);
    archive.array(this.high);
    this.mostTrials = archive.number(this.mostTrials);
    this.mostSteps = archive.number(this.mostSteps);
  }

  /** Trials and mean payoff of rows `from .. to`, for people; `null`: no trial. */
  describe(scale: PayoffScale, from = 0, to = this.n.length): { trials: number[]; mean: (number | null)[] } {
    const rows = Array.from({ length: to - from }, (_, i) => from + i);
    return {
      trials: rows.map((i) => this.n[i]),
      mean: rows.map((i) => meanPayoff(scale, this.n[i], this.total(i))),
    };
  }
}
