/** Payoffs as exact whole numbers of a unit, so that sums of weighted payoffs can be combined without cancellation. */

import { basePayoff, type PayoffScale, stepSize } from './payoff-scale.js';
import { quotient } from './whole-numbers.js';

/** r = (origin + factor · k) · numerator / denominator · size for k steps. */
export interface PayoffUnits {
  readonly origin: bigint;
  readonly factor: bigint;
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly size: number;
}

/** Where payoffs are rounded to steps, a unit is a step over 2²⁰: the payoff of step 0 is rounded to it, far below half a step. */
const FINE = 20;

export function payoffUnits(scale: PayoffScale): PayoffUnits {
  if (!scale.rounded) {
    const { origin, numerator, denominator } = scale;
    return {
      origin: BigInt(origin),
      factor: 1n,
      numerator: BigInt(numerator),
      denominator: BigInt(denominator),
      size: 1,
    };
  }
  const [step, base] = [stepSize(scale), basePayoff(scale)];
  // A constant payoff has steps of size 0, and is its own unit.
  const size = step > 0 ? step * 2 ** -FINE : Math.abs(base) || 1;
  return {
    origin: BigInt(Math.round(base / size)),
    factor: 1n << BigInt(FINE),
    numerator: 1n,
    denominator: 1n,
    size,
  };
}

/** n / d units as a payoff, rounded once where payoffs are exact. */
export function inPayoffs({ numerator, denominator, size }: PayoffUnits, n: bigint, d: bigint): number {
  return quotient(n * numerator, d * denominator) * size;
}
