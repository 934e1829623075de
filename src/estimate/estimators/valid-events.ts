/**
 * Replay with a fixed number of valid events (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 1 for a fixed policy): walk
 * the log until T events are retained. Block statistics say in which block the T-th match lies, so an engine decides
 * again only the events of that one block.
 */

import { EngineError, InputError } from '../../errors.js';
import type { BlockPlan } from '../blocks/blocks.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import type { ExactSums } from '../sums/exact-sums.js';
import { addBlocks } from './replay-totals.js';

/** One event at which a policy chose the logged arm. */
export interface Match {
  /** t, 0-based. */
  event: number;
  /** Payoff in steps. */
  steps: number;
}

/** Yields the matches of `policy` among events `from..to−1`, in order. Consumed no further than needed. */
type Rescan = (policy: number, from: number, to: number) => Iterable<Match>;

/**
 * Adds the first `count` matches of one policy to `sums`, whose events become the position of the last of them; all there
 * are where there are fewer.
 *
 * @returns whether there were so many. @throws EngineError where `rescan` contradicts the statistics.
 */
export function addFirst(
  sums: ExactSums,
  stats: BlockStatistics,
  plan: BlockPlan,
  policy: number,
  count: number,
  rescan: Rescan,
): boolean {
  const base = policy * stats.blocks;
  let missing = count;
  let block = 0;
  while (block < stats.blocks && stats.matches[base + block] < missing) missing -= stats.matches[base + block++];
  addBlocks(sums, stats, policy, 0, block);
  if (block === stats.blocks) return false;
  const from = plan.starts[block];
  for (const { event, steps } of rescan(policy, from, plan.starts[block + 1])) {
    sums.add(steps);
    if (--missing > 0) continue;
    sums.events = event + 1;
    return true;
  }
  throw new EngineError(
    `policy ${policy} has ${stats.matches[base + block]} matches in block ${block}, but its rescan ended ${missing} short of the match sought`,
  );
}

/** Blocks that do not follow the log. */
export function reordered({ description }: Pick<BlockPlan, 'description'>): InputError {
  return new InputError({
    problem: 'a fixed number of valid events needs blocks that follow the log',
    got: `blocks by ${description.kind}, which reorder its events`,
    needed: 'blocks that are runs of consecutive events',
    hint: 'leave out the block option, or sort the log by time',
  });
}

/** @throws InputError unless T is a whole number of at least 1. */
export function checkValidEvents(validEvents: number): void {
  if (Number.isSafeInteger(validEvents) && validEvents >= 1) return;
  throw new InputError({
    problem: 'the number of valid events is not usable',
    got: String(validEvents),
    needed: 'a whole number of at least 1',
    hint: 'hindcast plan says how many a log of a given size will yield',
  });
}
