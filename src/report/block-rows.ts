/** Statistics per block as results hold them: in payoff units. */

import type { BlockPlan } from '../estimate/blocks/blocks.js';
import { totals } from '../estimate/estimators/replay-totals.js';
import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import { basePayoff, type PayoffScale, stepSize, totalPayoff } from '../estimate/sums/payoff-scale.js';

/** T, Σ r and Σ r² of each block. */
export interface BlockRows {
  /** T of each block, length B. */
  matches: number[];
  /** Σ r over the matches of each block. */
  payoff: number[];
  /** Σ r² over the matches of each block. */
  payoffSquared: number[];
}

/** The blocks of a result. */
export interface BlocksDescription {
  /** Number of blocks, B. */
  count: number;
  /** Runs of consecutive events, periods of time, or groups of users. */
  kind: BlockPlan['description']['kind'];
  /** With statistics per block: events of each. */
  events?: number[];
  /** With statistics per block, of periods: the start of each, ISO 8601. */
  labels?: string[];
  /** With statistics per block: Σ r over all events of each, what the log itself earned. */
  logged?: number[];
}

/** Blocks of policy (or replica) p. */
export function blockRows(scale: PayoffScale, stats: BlockStatistics, p: number): BlockRows {
  const step = stepSize(scale);
  const offset = basePayoff(scale);
  const blocks = Array.from({ length: stats.blocks }, (_, b) => totals(stats, p, b, b + 1));
  return {
    matches: blocks.map(({ matches }) => matches),
    payoff: blocks.map(({ matches, payoff }) => totalPayoff(scale, matches, payoff)),
    // Σ (offset + k·step)² from Σ k and Σ k².
    payoffSquared: blocks.map(
      ({ matches, payoff, square }) => matches * offset * offset + 2 * offset * step * payoff + step * step * square,
    ),
  };
}

/**
 * The plan as results describe it.
 *
 * @param statistics payoffs of all events, where statistics per block are in the result: sizes and labels go with them.
 */
export function describeBlocks(
  plan: Omit<BlockPlan, 'order'>,
  statistics: { readonly scale: PayoffScale; readonly logged: BlockStatistics } | null,
): BlocksDescription {
  const { blocks: count, starts, labels } = plan;
  const { kind } = plan.description;
  if (statistics === null) return { count, kind };
  const events = [...starts.subarray(1)].map((end, b) => end - starts[b]);
  const logged = blockRows(statistics.scale, statistics.logged, 0).payoff;
  return { count, kind, events, ...(labels === null ? {} : { labels: [...labels] }), logged };
}
