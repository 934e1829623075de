/** What the definition gives for a case, worked out once for all engines and sizes that are compared with it. */
import type { BlockStatistics } from '#dist/estimate/sums/block-statistics.js';
import type { Summand } from '#dist/estimate/sums/summands.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { CompiledPolicies } from '#dist/policy/compiled.js';
import { referenceChoice } from '#dist/policy/reference.js';
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
const chosen = new Map<string, Int32Array>();

/** A case, its summands, and their statistics. */
export function withReference(one: Case, { name, of }: (typeof SUMMANDS)[number]) {
  const { log, plan, compiled } = one.build();
  const summands = of(log);
  const needed = entry(known, `${one.name}: ${name}`, () => {
    const choices = entry(chosen, one.name, () => allChoices(log, compiled));
    return referenceStatistics(log, plan, compiled, summands, (p, t) => choices[p * log.events + t]);
  });
  return { log, plan, compiled, summands, needed };
}

/** What every policy chooses at every event, which is the same whatever is added up. */
function allChoices(log: EventLog, compiled: CompiledPolicies): Int32Array {
  const choose = referenceChoice(compiled, log);
  const choices = new Int32Array(compiled.policies * log.events);
  for (let i = 0; i < choices.length; i++) choices[i] = choose(Math.floor(i / log.events), i % log.events);
  return choices;
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
