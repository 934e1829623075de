/** Choices of what the log never shows: candidates that are logged at no event, of which no weight can say anything. */

import type { EventNumbers } from '../event-numbers.js';
import type { PolicyNumbers } from '../policy-numbers.js';
import type { ChoiceTable, ColumnKind, MatchColumn } from '../sums/summands.js';
import { newWords, quotient } from '../sums/whole-numbers.js';

export const NO_OVERLAP_KIND: ColumnKind = { name: 'choices that were never logged', reduce: 'sum' };

/** Of policies that draw their arm the column has the probability of such a choice, in steps of 1 / this. */
export const NO_OVERLAP_STEPS = 2 ** 31;

/** @param unlogged 1 for each arm that is a candidate and was never logged, [K]. */
export function noOverlapTable(unlogged: Uint32Array, { events }: Pick<EventNumbers, 'events'>): ChoiceTable {
  return { ...NO_OVERLAP_KIND, words: unlogged, arms: unlogged.length, row: newWords(events) };
}

/** Such candidates of each event, which is what choosing each of them once would come to. */
export function unloggedCandidates(unlogged: Uint32Array, { events, pools }: EventNumbers): MatchColumn {
  const { offsets, arms, pool } = pools;
  const inSet = Uint32Array.from({ length: offsets.length - 1 }, (_, set) =>
    arms.subarray(offsets[set], offsets[set + 1]).reduce((sum, arm) => sum + unlogged[arm], 0),
  );
  const words = newWords(events);
  for (let t = 0; t < events; t++) words[t] = inSet[pool === null ? 0 : pool[t]];
  return { ...NO_OVERLAP_KIND, words };
}

/** Share of the events at which a policy chooses, or on average draws, such a candidate; `null`: it is not known. @param sum of the column. */
export function noOverlapShare(
  sum: bigint | null,
  { events }: Pick<PolicyNumbers, 'events'>,
  drawn: boolean,
): number | null {
  if (sum === null || sum === 0n) return sum === null ? null : 0;
  return quotient(sum, events * BigInt(drawn ? NO_OVERLAP_STEPS : 1));
}
