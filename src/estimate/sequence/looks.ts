/**
 * When a log is looked at. A sequence holds at all looks at once, those of later runs on the longer log among them, if what it goes by
 * does not move when the log grows: n*, and the blocks of events whose λ and centre are set by the blocks before. So looks are every
 * so many events or by period, never at shares of the log's length; the last block may be one that is not full yet.
 */

import { InputError } from '../../errors.js';
import type { BlockOutline } from '../blocks/block-makers.js';
import { MAX_BLOCK_EVENTS, periodOf } from '../blocks/blocks.js';

/** Blocks before n*, where they are not asked for: 256 of a log of 4 n* events, on which bands of all policies rest too … */
const BLOCKS_BEFORE = 64;
/** … and so many for each look. */
export const BLOCKS_BETWEEN = 4;

/** Looks at a log. */
export interface Looks {
  /** Blocks up to each look, ascending. */
  readonly ends: readonly number[];
  /** n after each look. */
  readonly events: readonly number[];
  /** Of periods: the start of each, ISO 8601. */
  readonly labels?: readonly string[];
}

/** n* where it is not told: a quarter of the log, as what is wide at its end would be wider by little. */
export function defaultAt(events: number): number {
  return Math.max(1, Math.ceil(events / 4));
}

/** Events of a block, where these are not asked for. */
export function defaultEvery(at: number): number {
  return Math.min(MAX_BLOCK_EVENTS, Math.ceil(at / BLOCKS_BEFORE));
}

/** Blocks that do not follow one another in the log. */
export function unorderedLooks(): InputError {
  return new InputError({
    problem: 'a confidence sequence needs blocks that follow the log',
    got: 'blocks by period, and a log that is not in the order of time',
    needed: 'events in the order in which they happened, so that a longer log only adds to the end',
    hint: 'sort the log by time',
  });
}

/**
 * One look after each block, or after so many and the last; blocks of one period are one look, as their borders move while it is not over.
 */
export function looksOf(
  { blocks, starts, labels }: Pick<BlockOutline, 'blocks' | 'starts' | 'labels'>,
  each = 1,
): Looks {
  const all = Array.from({ length: blocks }, (_, b) => b + 1).filter((end) => end % each === 0 || end === blocks);
  if (labels === null) return { ends: all, events: all.map((end) => starts[end]) };
  const periods = labels.map(periodOf);
  const ends = all.filter((end) => periods[end] !== periods[end - 1]);
  return { ends, events: ends.map((end) => starts[end]), labels: ends.map((end) => periods[end - 1]) };
}
