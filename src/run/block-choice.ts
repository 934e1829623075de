/** What a caller may ask of blocks. */

import { InputError } from '../errors.js';
import { type BlockMaker, PeriodMaker, RunMaker, UserMaker } from '../estimate/blocks/block-makers.js';
import { eventBlocks, runBlocks } from '../estimate/blocks/blocks.js';
import { userHashes } from '../estimate/blocks/user-hash.js';
import type { EventLog } from '../log/event-log.js';

/** A number of runs of consecutive events; runs of so many events each; a period in milliseconds; a number of groups of users. */
export type BlockChoice =
  | number
  | {
      /** Events of each run, 1..2²¹: borders stay where they are when the log grows. */
      readonly events: number;
    }
  | {
      /** Milliseconds, above 0. */
      readonly period: number;
    }
  | {
      /** Groups of users, at least 1. */
      readonly users: number;
    };

/**
 * How the blocks of a log are made.
 *
 * @param events L
 * @throws InputError where the log lacks the column that the blocks need.
 */
export function blockMaker(head: EventLog, events: number, choice: BlockChoice): BlockMaker {
  if (typeof choice === 'number') return new RunMaker(runBlocks(events, choice));
  if ('events' in choice) return new RunMaker(eventBlocks(events, choice.events));
  if ('period' in choice) {
    if (head.time === null) throw missing('time', 'blocks by period', '--time COLUMN, or "time" in the mapping');
    return new PeriodMaker(choice.period);
  }
  if (head.user === null) throw missing('user', 'blocks by user', '--user COLUMN, or "user" in the mapping');
  return new UserMaker(choice.users, userHashes(head.user.levels));
}

function missing(column: string, what: string, hint: string): InputError {
  return new InputError({ problem: `${what} need the ${column} of each event, and the log has none`, hint });
}
