/** What an interval method is: shared types of this folder. */

/** [lower, upper] in payoff units, within the payoff range. */
export type Interval = [lower: number, upper: number];

/** What an interval may need to know beyond totals and scale. */
export interface IntervalContext {
  /** Every payoff is 0 or 1 (`isBinary`). */
  binary: boolean;
  /**
   * K as the log has it: L / Σ 1/|A_t|, the harmonic mean of the pool sizes, so that L/K matches are expected of a policy
   * that always chooses a candidate.
   */
  effectiveArms: number;
}

/** The retained events of one policy, in payoff units; at least one match. */
export interface Sample {
  /** T ≥ 1 */
  readonly matches: number;
  /** G = Σ k in steps: the number of ones where payoffs are 0/1. */
  readonly steps: number;
  /** ĝ */
  readonly mean: number;
  /** Σ (r − ĝ)² / (T − 1); NaN where T = 1. */
  readonly variance: number;
  /** Payoff range, low < high. */
  readonly low: number;
  readonly high: number;
  /** L */
  readonly events: number;
  /** K, see {@link IntervalContext}. */
  readonly effectiveArms: number;
}

/**
 * The theory of one interval. May return bounds beyond the payoff range, infinite ones included: the caller clips them.
 *
 * @param delta δ = 1 − confidence, in (0, 1).
 */
export type Bounds = (sample: Sample, delta: number) => Interval;

/** Where nothing can be said: clipped to the whole payoff range by the caller. */
export const EVERYTHING: Readonly<Interval> = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
