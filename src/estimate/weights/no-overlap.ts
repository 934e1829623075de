/** Choices of what the log never shows: candidates that are logged at no event, of which no weight can say anything. */

import type { EventNumbers } from '../event-numbers.js';
import type { ChoiceTable, ColumnKind } from '../sums/summands.js';
import { newWords } from '../sums/whole-numbers.js';

export const NO_OVERLAP_KIND: ColumnKind = { name: 'choices that were never logged', reduce: 'sum' };

/** @param unlogged 1 for each arm that is a candidate and was never logged, [K]. */
export function noOverlapTable(unlogged: Uint32Array, { events }: Pick<EventNumbers, 'events'>): ChoiceTable {
  return { ...NO_OVERLAP_KIND, words: unlogged, arms: unlogged.length, row: newWords(events) };
}
