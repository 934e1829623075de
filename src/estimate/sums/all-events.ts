/** Sums of match columns over all events of a log, matched or not: what a policy that always chose the logged arm would have. */

import { type BlockPlan, blockEvents } from '../blocks/blocks.js';
import { type BlockStatistics, emptyBlockStatistics } from './block-statistics.js';
import { isChoiceTable, kindsOf, type Summand } from './summands.js';

/** Statistics of one policy, [1, B]; tables of choices, which it makes none of, stay 0. */
export function allEvents(plan: BlockPlan, summands: readonly Summand[]): BlockStatistics {
  const stats = emptyBlockStatistics(1, blockEvents(plan), kindsOf(summands));
  stats.matches.set(stats.events);
  summands.forEach((summand, c) => {
    if (isChoiceTable(summand)) return;
    const { words, reduce } = summand;
    for (let b = 0; b < plan.blocks; b++) {
      let reduced = 0;
      for (let i = plan.starts[b]; i < plan.starts[b + 1]; i++) {
        const word = words[plan.order === null ? i : plan.order[i]];
        reduced = reduce === 'sum' ? reduced + word : Math.max(reduced, word);
      }
      stats.columns[c][b] = reduced;
    }
  });
  return stats;
}
