/** Comparing block statistics, and the plainest possible way to compute them. */
import { type BlockStatistics, emptyBlockStatistics } from '#dist/estimate/block-statistics.js';
import { type BlockPlan, blockEvents } from '#dist/estimate/blocks.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { PolicyBatch } from '#dist/policy/batch.js';
import { referenceChoice } from '#dist/policy/reference.js';

/** Block statistics by definition: every policy at every event, squares in BigInt. */
export function referenceStatistics(log: EventLog, plan: BlockPlan, batch: PolicyBatch): BlockStatistics {
  const choose = referenceChoice(batch, log);
  const stats = emptyBlockStatistics(batch.policies, blockEvents(plan), log.payoff.maxSteps <= 1);
  for (let p = 0; p < batch.policies; p++) {
    for (let b = 0; b < plan.blocks; b++) {
      let square = 0n;
      const at = p * plan.blocks + b;
      for (let i = plan.starts[b]; i < plan.starts[b + 1]; i++) {
        const t = plan.order === null ? i : plan.order[i];
        if (choose(p, t) !== log.arm[t]) continue;
        stats.matches[at]++;
        stats.payoff[at] += log.payoff.steps[t];
        square += BigInt(log.payoff.steps[t]) ** 2n;
      }
      if (stats.squareHigh !== null && stats.squareLow !== null) {
        stats.squareHigh[at] = Number(square >> 32n);
        stats.squareLow[at] = Number(square & 0xffffffffn);
      }
    }
  }
  return stats;
}

/** First difference between two results as text, or `null`: names policy, block and field. */
export function statisticsDifference(got: BlockStatistics, needed: BlockStatistics): string | null {
  if (got.policies !== needed.policies || got.blocks !== needed.blocks) {
    return `shape [${got.policies}, ${got.blocks}], needed [${needed.policies}, ${needed.blocks}]`;
  }
  for (const field of ['events', 'matches', 'payoff', 'squareHigh', 'squareLow'] as const) {
    const [a, b] = [got[field], needed[field]];
    if ((a === null) !== (b === null)) return `${field}: ${a === null ? 'absent' : 'present'}`;
    if (a === null || b === null) continue;
    if (a.length !== b.length) return `${field}: length ${a.length}, needed ${b.length}`;
    for (let i = 0; i < a.length; i++) {
      if (a[i] !== b[i])
        return `${field}, policy ${Math.floor(i / got.blocks)}, block ${i % got.blocks}: got ${a[i]}, needed ${b[i]}`;
    }
  }
  return null;
}
