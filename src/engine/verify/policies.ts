/** `--verify`: some policies once more, by the reference, every block compared to the last bit. */

import { EngineError } from '../../errors.js';
import type { BlockPlan } from '../../estimate/blocks/blocks.js';
import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { Summand } from '../../estimate/sums/summands.js';
import type { EventLog } from '../../log/event-log.js';
import type { CompiledPolicies } from '../../policy/compiled.js';
import { firstDifference } from './compare-statistics.js';
import { evenly } from './evenly.js';
import { referenceStatistics } from './reference.js';

/** Policies with their results. */
export interface Evaluated {
  readonly compiled: CompiledPolicies;
  readonly stats: BlockStatistics;
}

/**
 * Compares `count` policies, spread evenly over all, with the reference.
 *
 * @param blockOf what to call a block of the plan, where the log is a batch of another.
 * @returns How many were compared. @throws EngineError that names policy, block and both numbers.
 */
export async function verify(
  log: EventLog,
  plan: BlockPlan,
  summands: readonly Summand[],
  evaluated: readonly Evaluated[],
  count: number,
  signal?: AbortSignal,
  blockOf: (block: number) => number = (block) => block,
): Promise<number> {
  const total = evaluated.reduce((sum, { compiled }) => sum + compiled.policies, 0);
  const checked = evenly(count, total);
  for (const index of checked) {
    signal?.throwIfAborted();
    const { compiled, stats, policy } = locate(evaluated, index);
    compare(
      index,
      compiled.names[policy],
      stats,
      policy,
      referenceStatistics(log, plan, compiled, summands, policy),
      blockOf,
    );
    // Let signals and progress through between two policies.
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return checked.length;
}

function locate(evaluated: readonly Evaluated[], index: number): Evaluated & { policy: number } {
  let policy = index;
  for (const one of evaluated) {
    if (policy < one.compiled.policies) return { ...one, policy };
    policy -= one.compiled.policies;
  }
  throw new RangeError(`there is no policy ${index}`);
}

function compare(
  index: number,
  name: string,
  stats: BlockStatistics,
  policy: number,
  reference: BlockStatistics,
  blockOf: (block: number) => number,
): void {
  const different = firstDifference(stats, policy, reference);
  if (different === null) return;
  const { block, field, got, needed } = different;
  throw new EngineError(
    `verification failed: policy ${index} (${name}), block ${blockOf(block)}, ${field}\n  got:    ${got}\n  needed: ${needed} (CPU reference)\n  try:    --device cpu, and report this with the output of hindcast devices`,
  );
}
