/** Block statistics by definition: one event after the other, no shortcuts. Slow; what `--verify` compares with. */

import { type BlockStatistics, emptyBlockStatistics } from '../estimate/block-statistics.js';
import { type BlockPlan, blockEvents } from '../estimate/blocks.js';
import type { EventLog } from '../log/event-log.js';
import type { PolicyBatch } from '../policy/batch.js';
import { referenceChoice } from '../policy/reference.js';
import { MatchSums } from './match-sums.js';

/** Statistics of one policy of a batch, [1, B]. */
export function referenceStatistics(
  log: EventLog,
  plan: BlockPlan,
  batch: PolicyBatch,
  policy: number,
): BlockStatistics {
  const choose = referenceChoice(batch, log);
  const stats = emptyBlockStatistics(1, blockEvents(plan), log.payoff.maxSteps <= 1);
  const events = {
    count: log.events,
    starts: plan.starts,
    arm: log.arm,
    cell: null,
    steps: log.payoff.steps,
    folded: null,
  };
  for (let b = 0; b < plan.blocks; b++) {
    const sums = new MatchSums(events);
    for (let i = plan.starts[b]; i < plan.starts[b + 1]; i++) {
      const t = plan.order === null ? i : plan.order[i];
      if (choose(policy, t) === log.arm[t]) sums.add(t);
    }
    sums.store(stats, b);
  }
  return stats;
}
