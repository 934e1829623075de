/** The reference decision of a uniform policy. */

import type { EventLog } from '../../log/event-log.js';
import { STREAM, scaleToIndex, threefry2x32 } from '../../random/threefry.js';
import type { UniformBatch } from '../batch.js';

const words = new Uint32Array(2);

/**
 * Arm index that a uniform policy chooses at an event: candidate number ⌊u · |A_t| / 2³²⌋, u the first Threefry word
 * of key (seed, uniformPolicy), counter (event, replica). Drawn from a counter, so it depends on nothing else.
 */
export function uniformChoice(
  batch: UniformBatch,
  log: Pick<EventLog, 'pools'>,
  policy: number,
  event: number,
): number {
  const { pool, offsets, arms } = log.pools;
  const set = pool === null ? 0 : (pool[event] as number);
  const from = offsets[set] as number;
  const size = (offsets[set + 1] as number) - from;
  threefry2x32(batch.seed, STREAM.uniformPolicy, event, batch.replica[policy] as number, words);
  return arms[from + scaleToIndex(words[0] as number, size)] as number;
}
