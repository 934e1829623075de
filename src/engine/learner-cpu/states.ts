/** Whether the states of learners fit the memory, told before any is made. */

import { InputError } from '../../errors.js';
import type { PreparedLearner } from '../../learner/set/learner-set.js';
import type { StateArray } from '../../learner/state-arrays.js';
import { gigabytes } from '../../log/build/memory.js';
import type { EventLog } from '../../log/event-log.js';

/** What states must fit. */
export interface StateRoom {
  /** Replicas of each setting. */
  readonly repeats: number;
  /** Replicas that run at a time. */
  readonly running: number;
  /** All replicas' states are kept, from one batch of the log to the next. */
  readonly carried: boolean;
  /** The contexts are not yet those that learners will see, so only what does not depend on them is looked at. */
  readonly least?: boolean;
  /** Bytes there are, and which: `that is free`. */
  readonly bytes: number;
  readonly which: string;
}

export function arrayBytes(arrays: readonly StateArray[]): number {
  return arrays.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** @throws InputError with the sum, where the states of learners need more memory than there is. */
export function checkStates(head: EventLog, settings: readonly PreparedLearner[], room: StateRoom): void {
  // First what takes no look at the contexts, which takes long where they are many.
  for (const least of room.least === true ? [true] : [true, false]) {
    const sized = settings
      .map((setting) => {
        const arrays = setting.arrays?.(head, least) ?? [];
        return { setting, arrays, bytes: arrayBytes(arrays) };
      })
      .sort((a, b) => b.bytes - a.bytes);
    const { repeats, running, carried, bytes } = room;
    const kept = carried ? sized.reduce((sum, one) => sum + repeats * one.bytes, 0) : 0;
    let needed = kept;
    for (let i = 0, left = running; i < sized.length && left > 0; i++, left -= repeats)
      needed += Math.min(left, repeats) * sized[i].bytes;
    if (needed > bytes) throw tooLarge(head, sized[0], needed, room);
  }
}

function tooLarge(
  { contexts }: EventLog,
  { setting, arrays, bytes }: { setting: PreparedLearner; arrays: readonly StateArray[]; bytes: number },
  needed: number,
  room: StateRoom,
): InputError {
  const list = arrays
    .filter((one) => one.bytes >= bytes / 100)
    .map(({ what, product, bytes }) => `${what}: ${product} = ${gigabytes(bytes)}`);
  const together = needed > bytes ? `; ${gigabytes(needed)} for the replicas that are held at a time` : '';
  const alone = bytes <= room.bytes;
  const fewer = alone
    ? [`fewer --threads (in code: threads), ${room.carried ? 'fewer learners or --repeats' : ''}`]
    : [];
  const narrower =
    setting.algorithm === 'semp'
      ? 'segments that are fewer and larger'
      : `fewer context columns than these ${contexts.dimension}: groups in place of single users or items, no identifiers`;
  return new InputError({
    problem: `the state of learner "${setting.name}" does not fit the memory`,
    got: `${gigabytes(bytes)} for one replica (${list.join('; ')})${together}`,
    needed: `at most ${gigabytes(room.bytes)}, the memory ${room.which}`,
    hint: [...fewer.map((text) => text.replace(/, $/, '')), narrower].join(', or '),
  });
}
