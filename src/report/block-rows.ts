/** Statistics per block as results hold them: in payoff units. */

import { type BlockStatistics, totals } from '../estimate/block-statistics.js';
import type { BlockPlan } from '../estimate/blocks.js';
import { basePayoff, type PayoffScale, stepSize, totalPayoff } from '../estimate/payoff-scale.js';

/** T, Σ r and Σ r² of each block. */
export interface BlockRows {
  matches: number[];
  payoff: number[];
  payoffSquared: number[];
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

/** The plan as results describe it; sizes and labels only where statistics per block are there to go with them. */
export function describeBlocks(
  plan: Omit<BlockPlan, 'order'>,
  statistics: boolean,
): { count: number; kind: string; events?: number[]; labels?: string[] } {
  const { blocks: count, starts, labels } = plan;
  const { kind } = plan.description;
  if (!statistics) return { count, kind };
  const events = [...starts.subarray(1)].map((end, b) => end - starts[b]);
  return labels === null ? { count, kind, events } : { count, kind, events, labels: [...labels] };
}
