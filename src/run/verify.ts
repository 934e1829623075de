/** `--verify`: some policies once more, by the reference, every block compared to the last bit. */

import { EngineError } from '../errors.js';
import type { BlockStatistics } from '../estimate/block-statistics.js';
import type { BlockPlan } from '../estimate/blocks.js';
import type { EventLog } from '../log/event-log.js';
import type { PolicyBatch } from '../policy/batch.js';
import { referenceStatistics } from './reference.js';

/** A batch with its results. */
export interface Evaluated {
  readonly batch: PolicyBatch;
  readonly stats: BlockStatistics;
}

/**
 * Compares `count` policies, spread evenly over all batches, with the reference.
 *
 * @returns How many were compared. @throws EngineError that names policy, block and both numbers.
 */
export async function verify(
  log: EventLog,
  plan: BlockPlan,
  evaluated: readonly Evaluated[],
  count: number,
  signal?: AbortSignal,
): Promise<number> {
  const total = evaluated.reduce((sum, { batch }) => sum + batch.policies, 0);
  const checked = Math.min(count, total);
  for (let i = 0; i < checked; i++) {
    signal?.throwIfAborted();
    const index = checked === 1 ? 0 : Math.round((i * (total - 1)) / (checked - 1));
    const { batch, stats, policy } = locate(evaluated, index);
    compare(index, batch.names[policy], stats, policy, referenceStatistics(log, plan, batch, policy));
    // Let signals and progress through between two policies.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return checked;
}

function locate(evaluated: readonly Evaluated[], index: number): Evaluated & { policy: number } {
  let policy = index;
  for (const one of evaluated) {
    if (policy < one.batch.policies) return { ...one, policy };
    policy -= one.batch.policies;
  }
  throw new RangeError(`there is no policy ${index}`);
}

function compare(
  index: number,
  name: string,
  stats: BlockStatistics,
  policy: number,
  reference: BlockStatistics,
): void {
  for (const field of ['matches', 'payoff', 'squareHigh', 'squareLow'] as const) {
    const [got, needed] = [stats[field], reference[field]];
    if (got === null || needed === null) continue;
    for (let b = 0; b < stats.blocks; b++) {
      if (got[policy * stats.blocks + b] === needed[b]) continue;
      throw new EngineError(
        `verification failed: policy ${index} (${name}), block ${b}, ${field}\n  got:    ${got[policy * stats.blocks + b]}\n  needed: ${needed[b]} (CPU reference)\n  try:    --device cpu, and report this with the output of hindcast devices`,
      );
    }
  }
}
