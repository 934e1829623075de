/** What a caller may ask of blocks, and the plan it means for a log. */

import { InputError } from '../errors.js';
import { type BlockMaker, PeriodMaker, RunMaker, UserMaker } from '../estimate/blocks/block-stretches.js';
import { type BlockPlan, periodBlocks, runBlocks, userBlocks } from '../estimate/blocks/blocks.js';
import { userHashes } from '../estimate/blocks/user-hash.js';
import type { EventLog } from '../log/event-log.js';

/** A number of runs of consecutive events; a period in milliseconds; a number of groups of users. */
export type BlockChoice =
  | number
  | {
      /** Milliseconds, above 0. */
      readonly period: number;
    }
  | {
      /** Groups of users, at least 1. */
      readonly users: number;
    };

/** @throws InputError where the log lacks the column that the blocks need. */
export function planBlocks(log: EventLog, choice: BlockChoice): BlockPlan {
  if (typeof choice === 'number') return runBlocks(log.events, choice);
  if ('period' in choice) return periodBlocks(timesOf(log), choice.period);
  const { code, levels } = usersOf(log);
  return userBlocks(code, choice.users, userHashes(levels));
}

/**
 * The same for a log that is gone through stretch by stretch.
 *
 * @param events L
 * @throws InputError where the log lacks the column that the blocks need.
 */
export function blockMaker(head: EventLog, events: number, choice: BlockChoice): BlockMaker {
  if (typeof choice === 'number') return new RunMaker(events, choice);
  if ('period' in choice) {
    timesOf(head);
    return new PeriodMaker(choice.period);
  }
  return new UserMaker(choice.users, userHashes(usersOf(head).levels));
}

function timesOf({ time }: EventLog) {
  if (time === null) throw missing('time', 'blocks by period', '--time COLUMN, or "time" in the mapping');
  return time;
}

function usersOf({ user }: EventLog) {
  if (user === null) throw missing('user', 'blocks by user', '--user COLUMN, or "user" in the mapping');
  return user;
}

function missing(column: string, what: string, hint: string): InputError {
  return new InputError({ problem: `${what} need the ${column} of each event, and the log has none`, hint });
}
