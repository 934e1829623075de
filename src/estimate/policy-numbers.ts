/**
 * What estimators know of a policy: exact sums over its matches, and for those with a reward model over all events. Weights are in
 * steps, `one` of them being a weight of 1; payoffs, residuals and predictions are whole numbers of a unit.
 */

import type { Totals } from './sums/exact-sums.js';

/** Σ over the matches of numbers y with weights w. */
export interface WeightedSums {
  readonly w: bigint;
  readonly ww: bigint;
  readonly wy: bigint;
  readonly wyy: bigint;
  readonly wwy: bigint;
  readonly wwyy: bigint;
  /** Weights of 1 are so many steps. */
  readonly one: bigint;
  /** n / d units of y, in payoffs. */
  readonly inPayoffs: (n: bigint, d: bigint) => number;
}

/** Sums of predictions, in the unit of the residuals. */
export interface ModelSums {
  /** Events at which the policy chose a candidate. */
  readonly chosen: bigint;
  /** Σ Q, Q² over all events. */
  readonly q: bigint;
  readonly qq: bigint;
  /** Σ w q̂, w q̂ e over the matches. */
  readonly wq: bigint;
  readonly wqe: bigint;
}

/** Of all events, or of some blocks. */
export interface PolicyNumbers {
  /** L */
  readonly events: bigint;
  /** T */
  readonly matches: bigint;
  /** Payoffs of matches without weights, in steps. */
  readonly plain: () => Pick<Totals, 'matches' | 'payoff' | 'centred'>;
  readonly meanPayoff: (matches: number, steps: number) => number | null;
  /** Of a step of payoffs. */
  readonly stepSize: number;
  /** Σ r over all events of the log, matched or not, over their number. */
  readonly loggedMean: number;
  /** y = r. */
  readonly payoffs: () => WeightedSums;
  /** y = e = r − q̂(x, a) */
  readonly residuals: () => WeightedSums & ModelSums;
}
