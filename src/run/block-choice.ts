/** What a caller may ask of blocks, and the plan it means for a log. */

import { InputError } from '../errors.js';
import { type BlockPlan, periodBlocks, runBlocks, userBlocks } from '../estimate/blocks.js';
import { userHashes } from '../estimate/user-hash.js';
import type { EventLog } from '../log/event-log.js';

/** A number of runs of consecutive events; a period in milliseconds; a number of groups of users. */
export type BlockChoice = number | { readonly period: number } | { readonly users: number };

/** @throws InputError where the log lacks the column that the blocks need. */
export function planBlocks(log: EventLog, choice: BlockChoice): BlockPlan {
  if (typeof choice === 'number') return runBlocks(log.events, choice);
  if ('period' in choice) {
    if (log.time === null) throw missing('time', 'blocks by period', '--time COLUMN, or "time" in the mapping');
    return periodBlocks(log.time, choice.period);
  }
  if (log.user === null) throw missing('user', 'blocks by user', '--user COLUMN, or "user" in the mapping');
  return userBlocks(log.user.code, choice.users, userHashes(log.user.levels));
}

function missing(column: string, what: string, hint: string): InputError {
  return new InputError({ problem: `${what} need the ${column} of each event, and the log has none`, hint });
}
