/** The reference decision of a uniform policy. */

import type { EventLog } from '../../log/event-log.js';
import { STREAM, scaleToIndex, threefry2x32 } from '../../random/threefry.js';
import type { UniformPolicies } from '../compiled.js';

const words = new Uint32Array(2);

/**
 * Arm index that a uniform policy chooses at an event: candidate number ⌊u · |A_t| / 2³²⌋, u the first Threefry word
 * of key (seed, uniformPolicy), counter (index of the event in the whole log, replica). Drawn from a counter, so it depends on nothing else.
 */
export function uniformChoice(
  compiled: UniformPolicies,
  log: Pick<EventLog, 'pools' | 'firstEvent'>,
  policy: number,
  event: number,
): number {
  const { firstEvent = 0, pools } = log;
  const { pool, offsets, arms } = pools;
  const set = pool === null ? 0 : pool[event];
  const from = offsets[set];
  const size = offsets[set + 1] - from;
  threefry2x32(compiled.seed, STREAM.uniformPolicy, firstEvent + event, compiled.replica[policy], words);
  return arms[from + scaleToIndex(words[0], size)];
}
