/** Whether the sums of every policy in every block fit the memory, told before they are made. */

import { InputError } from '../../errors.js';
import type { ColumnKind } from '../../estimate/sums/summands.js';
import { checkRoom } from '../../log/build/memory.js';

/** No array of JavaScript is longer. */
const MOST_ENTRIES = 2 ** 32;

/** Bytes of block statistics. @param kinds of the match columns beside the matches. */
export function statisticsBytes(rows: number, blocks: number, kinds: readonly ColumnKind[]): number {
  return 8 * (1 + kinds.length) * rows * blocks;
}

/**
 * @param what the rows are. @param blocks of all levels. @param levels 0: there are none.
 * @throws InputError with the sum, where statistics do not fit the memory.
 */
export function checkStatistics(
  what: string,
  rows: number,
  blocks: number,
  kinds: readonly ColumnKind[],
  levels = 0,
): void {
  const each = levels === 0 ? `${blocks} blocks` : `${levels} levels × ${blocks / levels} blocks`;
  const product = `${rows} ${what} × ${each}`;
  const hint = `fewer --blocks (in code: blocks), ${levels > 2 ? 'fewer segments, ' : ''}or fewer ${what} at a time`;
  if (rows * blocks > MOST_ENTRIES) {
    throw new InputError({
      problem: `the sums of ${what} in blocks do not fit an array`,
      got: `${product} = ${(rows * blocks).toPrecision(3)}`,
      needed: 'at most 2³²',
      hint,
    });
  }
  const bytes = statisticsBytes(rows, blocks, kinds);
  checkRoom(`the sums of ${what} in blocks`, `${product} × ${1 + kinds.length} numbers × 8 bytes`, bytes, hint);
}
