/** How integer payoff steps map back to payoffs (docs/architecture.md, rule 7). */

/**
 * Payoff of k steps. Exact scales (`rounded: false`): r = (origin + k) · numerator / denominator, one rounding.
 * Rounded scales: r = base + k · span · 2⁻³².
 */
export interface PayoffScale {
  /** False: every payoff in the log is reproduced to the last bit. True: rounded once to span · 2⁻³². */
  readonly rounded: boolean;
  /** Steps below the first one in use; an integer, negative for negative payoffs. 0 when rounded. */
  readonly origin: number;
  readonly numerator: number;
  readonly denominator: number;
  /** Declared payoff range, or the observed one widened to hold [0, 1] when every payoff lies in it. */
  readonly low: number;
  readonly high: number;
  /** Payoff of step 0 where rounded: the smallest payoff, so that a constant payoff stays itself. Absent: `low`. */
  readonly base?: number;
  /** Where rounded: from the smallest payoff to the largest, however wide the declared range is. Absent: high − low. */
  readonly span?: number;
}

const STEPS_OF_RANGE = 4294967296;

/** Size of one step, in payoff units. */
export function stepSize(scale: PayoffScale): number {
  return scale.rounded ? spanOf(scale) / STEPS_OF_RANGE : scale.numerator / scale.denominator;
}

/** What the steps of a rounded scale divide, in payoff units. */
export function spanOf({ span, low, high }: PayoffScale): number {
  return span ?? high - low;
}

/** Payoff of step 0. */
export function basePayoff(scale: PayoffScale): number {
  return scale.rounded ? (scale.base ?? scale.low) : (scale.origin * scale.numerator) / scale.denominator;
}

/** Total payoff of `matches` events whose steps sum to `steps`. */
export function totalPayoff(scale: PayoffScale, matches: number, steps: number): number {
  if (scale.rounded) return matches * basePayoff(scale) + steps * stepSize(scale);
  return ((scale.origin * matches + steps) * scale.numerator) / scale.denominator;
}

/** Mean payoff; `null` without matches. A constant payoff c gives exactly c. */
export function meanPayoff(scale: PayoffScale, matches: number, steps: number): number | null {
  if (matches === 0) return null;
  if (scale.rounded) return basePayoff(scale) + (steps / matches) * stepSize(scale);
  // One step at every match: its payoff itself, where the sums below might be too large for 53 bits.
  if (steps % matches === 0) return ((scale.origin + steps / matches) * scale.numerator) / scale.denominator;
  return ((scale.origin * matches + steps) * scale.numerator) / (scale.denominator * matches);
}

/** True where the only payoffs are 0 and 1 (the scale of clicks). */
export function isBinary(scale: PayoffScale, maxSteps: number): boolean {
  return (
    !scale.rounded &&
    scale.origin === 0 &&
    scale.numerator === scale.denominator &&
    maxSteps <= 1 &&
    scale.low === 0 &&
    scale.high === 1
  );
}
