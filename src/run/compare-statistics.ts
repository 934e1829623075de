/** Where block statistics differ from what they must be, to the last bit. */

import type { BlockStatistics } from '../estimate/block-statistics.js';

export interface Difference {
  readonly block: number;
  readonly field: 'matches' | 'payoff' | 'squareHigh' | 'squareLow';
  readonly got: number;
  readonly needed: number;
}

/**
 * The first difference of a policy's (or replica's) blocks from a reference, or `null`.
 *
 * @param needed statistics of one policy, [1, B].
 */
export function firstDifference(stats: BlockStatistics, policy: number, needed: BlockStatistics): Difference | null {
  for (const field of ['matches', 'payoff', 'squareHigh', 'squareLow'] as const) {
    const [all, one] = [stats[field], needed[field]];
    if (all === null || one === null) continue;
    for (let block = 0; block < needed.blocks; block++) {
      const got = all[policy * stats.blocks + block];
      if (got !== one[block]) return { block, field, got, needed: one[block] };
    }
  }
  return null;
}
