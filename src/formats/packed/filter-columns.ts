/** The columns of a packed log as a filter sees them: a row per event, of numbers, or of codes and the texts that these stand for. */

import type { EventLog, LogSource, MissingValues } from '../../log/event-log.js';

/** A column of numbers or of codes. */
export interface FilterColumn {
  readonly name: string;
  /** What codes stand for (`null`: a missing value); absent: it has numbers. */
  readonly levels?: readonly (string | null)[];
  /** Its numbers are milliseconds since 1970. */
  readonly isTime?: boolean;
  /** Why it is no longer what it was in the original log. */
  readonly lost?: string;
  /** Its value at each event of a batch. */
  values(log: EventLog): (i: number) => number;
}

/**
 * Keys and contexts by their names, the arm and the payoff by those that they had, and all that has a meaning by what it means, where
 * no other column is called so.
 */
export function filterColumns({
  arms,
  payoff,
  contexts,
  propensity,
  time,
  user,
  keys,
  source,
}: EventLog): FilterColumn[] {
  const filled = new Map((source.missing ?? []).filter((one) => one.filled > 0).map((one) => [one.column, one]));
  const columns: FilterColumn[] = [...keys].map(([name, key]) => {
    // Missing values are a level of their own.
    const missing = filled.get(name)?.with?.level;
    const levels = key.levels.map((level) => (level === missing ? null : level));
    return { name, levels, ...number((log) => log.keys.get(name)?.code ?? null) };
  });
  for (const [j, name] of contexts.columns.entries()) {
    const values = ({ contexts: { row, values, dimension } }: EventLog) =>
      row === null ? (i: number) => values[i * dimension + j] : (i: number) => values[row[i] * dimension + j];
    columns.push({ name, values, ...lostIn(filled.get(name)) });
  }
  const { rounded, origin, numerator, denominator } = payoff.scale;
  const meanings: { readonly [role in keyof Required<LogSource>['columns']]-?: Omit<FilterColumn, 'name'> | null } = {
    arm: { levels: arms.ids, ...number((log) => log.arm) },
    payoff: {
      values:
        ({ payoff: { steps } }) =>
        (i) =>
          ((origin + steps[i]) * numerator) / denominator,
      ...lostIn(filled.get(source.columns?.payoff ?? '')),
      ...(rounded ? { lost: 'its values were rounded when the log was converted' } : {}),
    },
    propensity: propensity && number((log) => log.propensity),
    time: time && { isTime: true, ...number((log) => log.time) },
    user: user && { levels: user.levels, ...number((log) => log.user?.code ?? null) },
  };
  const roles = Object.entries(meanings) as [keyof typeof meanings, Omit<FilterColumn, 'name'> | null][];
  const add = (name: string | undefined, column: Omit<FilterColumn, 'name'> | null) => {
    if (name !== undefined && column !== null) columns.push({ name, ...column });
  };
  for (const [role, column] of roles) add(source.columns?.[role], column);
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  for (const [role, column] of roles) add(names.has(role) ? undefined : role, column);
  // A key that is a context, or the arm, as well.
  return [...new Map(columns.reverse().map((column) => [column.name, column])).values()].reverse();
}

function number(of: (log: EventLog) => ArrayLike<number> | null): Pick<FilterColumn, 'values'> {
  return {
    values(log) {
      const values = of(log) ?? [];
      return (i) => values[i];
    },
  };
}

function lostIn(filled: MissingValues | undefined): Pick<FilterColumn, 'lost'> {
  if (filled === undefined) return {};
  const values =
    filled.filled === 1 ? '1 missing value was' : `${filled.filled.toLocaleString('en')} missing values were`;
  return { lost: `${values} filled in with ${filled.with?.value ?? 'others'} when the log was converted` };
}
