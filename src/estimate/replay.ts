/**
 * The replay estimate (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 2): the mean payoff of the events at which the
 * policy chose the logged arm. Unbiased for i.i.d. events logged by a uniformly random policy.
 */

import { type BlockStatistics, type Totals, totals } from './block-statistics.js';
import { meanPayoff, type PayoffScale, totalPayoff } from './payoff-scale.js';

export interface ReplayEstimate {
  /** T */
  matches: number;
  /** Ĝ = Σ V r, in payoff units. */
  payoff: number;
  /** ĝ = Ĝ / T, in payoff units; `null` without matches, which say nothing about the policy. */
  value: number | null;
}

/** Algorithm 2: the estimate of one policy from the whole log. */
export function replayEstimate(stats: BlockStatistics, policy: number, scale: PayoffScale): ReplayEstimate {
  return estimateOf(totals(stats, policy), scale);
}

/** The estimate that totals stand for, whichever algorithm and events they come from. */
export function estimateOf({ matches, payoff }: Totals, scale: PayoffScale): ReplayEstimate {
  return { matches, payoff: totalPayoff(scale, matches, payoff), value: meanPayoff(scale, matches, payoff) };
}
