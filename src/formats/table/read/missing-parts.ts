/** Missing values of a reading: what they are filled in with, and how many there were. */

import { type Fill, MISSING_LEVEL } from '../../../log/build/missing.js';
import type { MissingValues } from '../../../log/event-log.js';
import type { ContextTask } from './context-task.js';
import type { Parts } from './log-tasks.js';
import type { Plan } from './plan.js';

/** Missing values of a column, of all files. */
export interface FoundGaps {
  readonly column: string;
  rows: number;
  /** Where the first one is. */
  readonly first: string;
}

/**
 * What missing numbers of the context are filled in with.
 *
 * @param read contexts of a first reading, which know the means; `null`: before it, when they are taken for 0.
 * @throws InputError where there is nothing to take a mean of.
 */
export function fillsOf({ impute }: Plan, read: ContextTask | null): ReadonlyMap<string, Fill> {
  const means = new Map<string, number>();
  for (const { name, sum, filled } of read?.numberChecks() ?? [])
    if (sum !== null && filled > 0) means.set(name, sum.mean(name));
  return new Map(
    [...impute].map(([column, how]) => [column, { value: means.get(column) ?? 0, isMean: how === 'mean' }]),
  );
}

/** What was missing, by column, and what it was filled in with. */
export function missingOf(found: readonly FoundGaps[], { payoff, context, keys }: Parts): MissingValues[] {
  const filled = new Map<string, Pick<MissingValues, 'filled' | 'with'>>();
  for (const { name, filled: count } of [...context.codeTasks(), ...keys.map(({ task }) => task)])
    if (count > 0) filled.set(name, { filled: count, with: { level: MISSING_LEVEL } });
  for (const { name, filled: count, fill } of [payoff.numbers, ...context.numberChecks()])
    if (count > 0 && fill !== null) filled.set(name, { filled: count, with: withOf(fill) });
  const byColumn = new Map<string, MissingValues>();
  for (const { column, rows, first } of found) {
    // A column that is read twice misses its values once.
    if (byColumn.has(column)) continue;
    byColumn.set(column, { column, rows, ...(filled.get(column) ?? { filled: 0, with: null }), first });
  }
  return [...byColumn.values()];
}

function withOf({ value, isMean }: Fill): MissingValues['with'] {
  return isMean ? { value, isMean } : { value };
}
