/** What the definition gives for a case, worked out once for all engines and sizes that are compared with it. */
import type { BlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { Summand } from '#dist/estimate/sums/summands.js';
import type { EventLog } from '#dist/log/event-log.js';
import { columnsOf, referenceStatistics, summandsOf, sumsOf } from '../statistics.js';
import type { Case } from './cases.js';

/** What an engine adds up in a case. */
export const SUMMANDS: readonly { readonly name: string; readonly of: (log: EventLog) => Summand[] }[] = [
  { name: 'match columns', of: columnsOf },
  { name: 'match columns and choice tables', of: summandsOf },
];

/** What estimators with a model have it add up, which the CPU does for every engine. */
export const MODEL_SUMMANDS: typeof SUMMANDS = [4, 3].map((tables) => ({
  name: `${tables} tables that share their rows`,
  of: (log) => sumsOf(log, tables),
}));

const known = new Map<string, BlockStatistics>();

/** A case, its summands, and their statistics. */
export function withReference(one: Case, { name, of }: (typeof SUMMANDS)[number]) {
  const { log, plan, compiled } = one.build();
  const summands = of(log);
  const key = `${one.name}: ${name}`;
  const needed = known.get(key) ?? referenceStatistics(log, plan, compiled, summands);
  known.set(key, needed);
  return { log, plan, compiled, summands, needed };
}
