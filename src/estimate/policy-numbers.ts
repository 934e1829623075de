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
  /** Σ c w, c w y, where c is what an event counts and has its part in each sum: c in those of w, c² in those of w². */
  readonly cw: bigint;
  readonly cwy: bigint;
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
  /** Σ c Q */
  readonly cq: bigint;
  /** Σ w q̂, w q̂ e over the matches. */
  readonly wq: bigint;
  readonly wqe: bigint;
}

/** Of all events, or of some blocks. */
export interface PolicyNumbers {
  /** L */
  readonly logged: bigint;
  /** Σ c and Σ c²: L, where events count once. */
  readonly events: bigint;
  readonly squares: bigint;
  /** Steps of c = 1. */
  readonly steps: bigint;
  /** T */
  readonly matches: bigint;
  /** Payoffs of matches without weights, in steps, of whatever steps of c. */
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

type Summed = Omit<WeightedSums & ModelSums, 'one' | 'inPayoffs'>;

/** How often c is a factor. */
const POWERS: Readonly<Record<keyof Summed, 0n | 1n | 2n>> = {
  ...{ w: 1n, wy: 1n, wyy: 1n, q: 1n },
  ...{ ww: 2n, wwy: 2n, wwyy: 2n, qq: 2n, wq: 2n, wqe: 2n, cw: 2n, cwy: 2n, cq: 2n },
  chosen: 0n,
};

/** Sums over events that count differently. @param parts of those that count alike. @param counts c of each part. */
export function countedSums<Sums extends WeightedSums>(parts: readonly Sums[], counts: readonly bigint[]): Sums {
  // They all count alike, and once.
  if (parts.length === 1) return parts[0];
  const powers = Object.entries(POWERS).filter(([name]) => name in parts[0]) as [keyof Sums, bigint][];
  const sums = powers.map(([name, power]) => [
    name,
    parts.reduce((sum, part, v) => sum + counts[v] ** power * (part[name] as bigint), 0n),
  ]);
  const { one, inPayoffs } = parts[0];
  return { ...{ one, inPayoffs }, ...Object.fromEntries(sums) } as Sums;
}
