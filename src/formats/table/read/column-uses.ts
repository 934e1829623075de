/** What became of each column of files that are read under a mapping. */

import type { ColumnRole, ColumnUse } from '../../../log/inputs.js';
import type { Mapping } from '../../../log/mapping.js';
import type { SourceColumn, SourceFile } from '../../format.js';
import type { Plan } from './plan.js';

/** The columns of files that are read under a mapping, in the order of the first file. Fields of others are there where they are used. */
export function columnUses(
  plan: Plan,
  sources: readonly SourceFile[],
  filter: { readonly names: ReadonlySet<string>; readonly anyColumn: boolean } | null,
): ColumnUse[] {
  const roles = new Map<string, ColumnRole[]>();
  const add = (name: string | null | undefined, role: ColumnRole): void => {
    if (name != null) roles.set(name, [...(roles.get(name) ?? []), role]);
  };
  add(plan.arm, 'arm');
  add(plan.payoff, 'payoff');
  add(plan.propensity, 'propensity');
  add(plan.candidates?.column, 'candidates');
  add(plan.time?.column, 'time');
  add(plan.user, 'user');
  add(plan.eventId, 'event id');
  for (const { column } of plan.context) add(column, 'context');
  for (const name of plan.keys) add(name, 'key');
  for (const name of plan.more) add(name, 'arm feature');
  const encodes = new Map(plan.context.map(({ column, encode }) => [column, encode]));
  const columns = new Map<string, SourceColumn>();
  for (const source of sources)
    for (const column of source.columns) if (!columns.has(column.name)) columns.set(column.name, column);
  const uses: ColumnUse[] = [];
  for (const { name, isNested } of columns.values()) {
    const inFilter =
      filter?.names.has(name.toLowerCase()) === true || (filter?.anyColumn === true && isNested !== true);
    const all = [...new Set([...(roles.get(name) ?? []), ...(inFilter ? (['filter'] as const) : [])])];
    const encode = encodes.get(name);
    if (all.length > 0) uses.push({ name, roles: all, ...(encode === undefined ? {} : { encode }) });
    else if (isNested !== true) {
      const isRead = [...roles.keys()].some((other) => other.startsWith(`${name}.`));
      uses.push({ name, roles: [], unused: isRead ? 'fields of it are read' : 'the mapping does not name it' });
    }
  }
  return uses;
}

/** The mapping as it was used, options and what they add among it: patterns are spelt out, and keys that policies look up are there. */
export function usedMapping(plan: Plan): Mapping {
  const { candidates, time, context, keys, impute } = plan;
  const parts = {
    arm: plan.arm,
    payoff: plan.payoff,
    propensity: plan.propensity ?? undefined,
    context:
      context.length === 0
        ? undefined
        : context.map(({ column, encode }) => (encode === 'numeric' ? column : { column, encode })),
    intercept: plan.intercept || undefined,
    candidates: candidates === null ? undefined : candidatesOf(candidates),
    time: time === null ? undefined : time.unit === null ? time.column : { column: time.column, unit: time.unit },
    user: plan.user ?? undefined,
    eventId: plan.eventId ?? undefined,
    keys: keys.length === 0 ? undefined : [...keys],
    payoffRange: plan.payoffRange === undefined ? undefined : ([...plan.payoffRange] as [number, number]),
    arms: plan.arms === undefined ? undefined : [...plan.arms],
    missingPayoff: plan.missingPayoff ?? undefined,
    missingLevel: plan.missingLevel || undefined,
    impute: impute.size === 0 ? undefined : Object.fromEntries(impute),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)) as Mapping;
}

function candidatesOf(candidates: NonNullable<Plan['candidates']>): Mapping['candidates'] {
  const { column } = candidates;
  if (candidates.kind === 'id') {
    const sets = [...candidates.sets].map(([id, arms]): [string, string[]] => [id, [...arms]]);
    return { id: column, sets: Object.fromEntries(sets) };
  }
  return candidates.separator === null ? column : { column, separator: candidates.separator };
}
