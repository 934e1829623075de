/** The sums of a part, without blocks that have none of its events. */

import { type BlockStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { PartSums } from './plan.js';

/** @param tables [P, B] each. @param touched 1: the block has events of the part, [B]. */
export function touchedSums(tables: readonly BlockStatistics[], touched: Uint8Array): PartSums {
  const blocks = Uint32Array.from([...touched.keys()].filter((block) => touched[block] === 1));
  return { blocks, tables: tables.map((stats) => pick(stats, blocks)) };
}

function pick(stats: BlockStatistics, blocks: Uint32Array): BlockStatistics {
  const events = Float64Array.from(blocks, (block) => stats.events[block]);
  const own = emptyBlockStatistics(stats.policies, events, stats.kinds);
  const copy = (to: Float64Array, from: Float64Array): void => {
    for (let p = 0, i = 0; p < stats.policies; p++)
      for (const block of blocks) to[i++] = from[p * stats.blocks + block];
  };
  copy(own.matches, stats.matches);
  for (const [c, column] of own.columns.entries()) copy(column, stats.columns[c]);
  return own;
}
