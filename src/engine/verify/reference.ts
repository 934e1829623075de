/** Block statistics by definition: one event after the other, no shortcuts. Slow; what `--verify` compares with. */

import { type BlockPlan, blockEvents } from '../../estimate/blocks/blocks.js';
import { type BlockStatistics, emptyBlockStatistics } from '../../estimate/sums/block-statistics.js';
import { isChoiceTable, kindsOf, type Summand, tableWord } from '../../estimate/sums/summands.js';
import type { EventLog } from '../../log/event-log.js';
import { poolPlace } from '../../log/feature-rows.js';
import type { CompiledPolicies } from '../../policy/compiled.js';
import { referenceChoice } from '../../policy/reference.js';

/** Statistics of one policy, [1, B]. */
export function referenceStatistics(
  log: EventLog,
  plan: BlockPlan,
  compiled: CompiledPolicies,
  summands: readonly Summand[],
  policy: number,
): BlockStatistics {
  const choose = referenceChoice(compiled, log);
  const stats = emptyBlockStatistics(1, blockEvents(plan), kindsOf(summands));
  for (let b = 0; b < plan.blocks; b++) {
    for (let i = plan.starts[b]; i < plan.starts[b + 1]; i++) {
      const t = plan.order === null ? i : plan.order[i];
      const choice = choose(policy, t);
      const isMatch = choice === log.arm[t];
      if (isMatch) stats.matches[b]++;
      const isCandidate = poolPlace(log.pools, log.pools.pool === null ? 0 : log.pools.pool[t], choice) >= 0;
      summands.forEach((summand, c) => {
        const isTable = isChoiceTable(summand);
        if (isTable ? !isCandidate : !isMatch) return;
        const word = isTable ? tableWord(summand, t, choice) : summand.words[t];
        const column = stats.columns[c];
        column[b] = summand.reduce === 'sum' ? column[b] + word : Math.max(column[b], word);
      });
    }
  }
  return stats;
}
