/**
 * What rounding of payoffs to whole steps does to values.
 *
 * Where no exact step fits, a payoff moves by at most half a step, and so does a policy's mean. A value may be near 0 because
 * payoffs cancel, or because few and small ones were met; what rounding does is then far below the value's own uncertainty.
 * So the shift is compared with the size of payoffs, the largest of |value|, the standard deviation of the policy's payoffs
 * and the median |payoff| of the log (of those that are not 0). Continuous payoffs have 2³² steps between the smallest and
 * the largest and a typical size of some 10⁹ of them; only where a few payoffs dwarf the rest is it fewer than 5 · 10⁵.
 */

import type { Totals } from './exact-sums.js';
import { meanPayoff, type PayoffScale, stepSize } from './payoff-scale.js';

/** Values may be moved by this share of the size of payoffs. */
export const MOST_ROUNDING = 1e-6;

/** What is known of payoffs that were rounded. */
export interface PayoffRounding {
  /** Median |payoff| of those that are not 0, to a factor of 2. */
  readonly typical: number;
  /** The step of which every payoff is a whole number, and how many lie between the smallest and the largest; `null`: none was found. */
  readonly exact: { readonly step: number; readonly steps: number } | null;
}

/** Share of the typical payoff that half a step is; 0 where payoffs are exact, or where it is not known. */
export function roundingOfTypical(scale: PayoffScale, rounding: PayoffRounding | undefined): number {
  if (!scale.rounded || rounding === undefined || rounding.typical === 0) return 0;
  return stepSize(scale) / 2 / rounding.typical;
}

/** By which share of the size of its payoffs rounding may move a policy's value, at most. */
export function roundingOfValue(scale: PayoffScale, rounding: PayoffRounding | undefined, sums: Totals): number {
  const { matches, payoff, centred } = sums;
  const value = meanPayoff(scale, matches, payoff);
  if (!scale.rounded || rounding === undefined || value === null) return 0;
  const step = stepSize(scale);
  const deviation = step * Math.sqrt(centred / matches);
  const size = Math.max(Math.abs(value), deviation, rounding.typical);
  return size === 0 ? 0 : step / 2 / size;
}

/** A sentence about payoffs that `evaluate` and `replay` would refuse, or may; `null`: there is nothing to say. */
export function roundingWarning({ scale, rounding }: { scale: PayoffScale; rounding?: PayoffRounding }): string | null {
  const share = roundingOfTypical(scale, rounding);
  if (share <= MOST_ROUNDING) return null;
  return `payoffs are rounded to steps of ${stepSize(scale)}, which moves half of those other than 0 by up to ${percent(share)} of themselves, because a few are so much larger; evaluate and replay refuse values that rounding moves by more than ${MOST_ROUNDING}${exactly(rounding)}`;
}

/** What exact steps would take, to end a sentence with. */
export function exactly(rounding: PayoffRounding | undefined): string {
  if (!rounding?.exact) return '';
  return `; exact steps of ${shown(rounding.exact.step)} would be ${shown(rounding.exact.steps)} in number`;
}

export function shown(value: number): string {
  return String(Number(value.toPrecision(3)));
}

export function percent(share: number): string {
  return share >= 1 ? '100 %' : `${shown(share * 100)} %`;
}
