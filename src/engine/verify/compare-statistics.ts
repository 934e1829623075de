/** Where block statistics differ from what they must be, to the last bit. */

import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';

export interface Difference {
  readonly block: number;
  /** `matches`, or a column's name. */
  readonly field: string;
  readonly got: number;
  readonly needed: number;
}

/**
 * The first difference of a policy's (or replica's) blocks from a reference, or `null`.
 *
 * @param needed statistics of one policy, [1, B], with the same columns.
 */
export function firstDifference(stats: BlockStatistics, policy: number, needed: BlockStatistics): Difference | null {
  const names = ['matches', ...needed.kinds.map(({ name }) => name)];
  for (const [c, one] of [needed.matches, ...needed.columns].entries()) {
    const all = c === 0 ? stats.matches : stats.columns[c - 1];
    for (let block = 0; block < needed.blocks; block++) {
      const got = all[policy * stats.blocks + block];
      if (got !== one[block]) return { block, field: names[c], got, needed: one[block] };
    }
  }
  return null;
}
