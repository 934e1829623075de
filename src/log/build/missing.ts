/** Missing values, and what they count as where the caller says it. A value is missing where there is none, or NaN. */

import { InputError } from '../../errors.js';
import { listNames, nearestName } from '../../names/order.js';
import { plural } from '../../words.js';
import type { MissingValues } from '../event-log.js';

/** What missing numbers are filled with. */
export type Impute = 'mean' | 'zero';

export const IMPUTE: readonly [Impute, Impute] = ['mean', 'zero'];

/** The level of missing values. A column that has this very level as well is refused. */
export const MISSING_LEVEL = '(missing)';

/** What stands in the place of missing numbers of a column. */
export interface Fill {
  readonly value: number;
  /** The mean of the other values: 0 as long as that is not known. */
  readonly isMean: boolean;
}

/** What to do about a missing value, by what its column is. */
export const MISSING_HINT = {
  payoff: () =>
    '--missing-payoff 0 (in code: missingPayoff) if it means that nothing was earned, or drop such rows with --skip-bad-rows, which counts them',
  number: (column: string) =>
    `--impute ${quoted(`${column}=mean`)} or =zero (in code: impute) fills it in, or drop such rows with --skip-bad-rows, which counts them`,
  list: () =>
    '--impute fills numbers in, not lists: write a list of that length into such rows, or each number to a column of its own, or drop the rows with --skip-bad-rows, which counts them',
  level: () =>
    `--missing-level (in code: missingLevel) makes it a level of its own, ${MISSING_LEVEL}, or drop such rows with --skip-bad-rows, which counts them`,
} as const;

function quoted(text: string): string {
  return /^[\w.=+-]+$/.test(text) ? text : `'${text}'`;
}

/** Columns by what a mapping makes of them. */
export interface ImputedColumns {
  readonly numeric: readonly string[];
  /** One-hot columns and keys. */
  readonly levels: readonly string[];
  readonly roles: ReadonlyMap<string, string>;
}

/**
 * What missing values of each numeric context column are filled with. A name with `*` stands for all of them that match it; a
 * column's own name goes before, then what comes last.
 *
 * @param asked the mapping's, then those of options.
 * @throws InputError for a name that is no such column's.
 */
export function planImpute(
  asked: readonly (Readonly<Record<string, Impute>> | undefined)[],
  { numeric, levels, roles }: ImputedColumns,
  patternOf: (name: string) => RegExp,
): ReadonlyMap<string, Impute> {
  const entries = asked.flatMap((some) => Object.entries(some ?? {}));
  const plan = new Map<string, Impute>();
  const isPattern = (name: string): boolean => name.includes('*') && !numeric.includes(name);
  for (const [name, impute] of [...entries].sort(([a], [b]) => Number(isPattern(b)) - Number(isPattern(a)))) {
    if (!IMPUTE.includes(impute)) throw notUsable(name, impute);
    const pattern = isPattern(name) ? patternOf(name) : null;
    const columns = numeric.filter((column) => (pattern === null ? column === name : pattern.test(column)));
    if (columns.length === 0) throw notNumeric(name, { numeric, levels, roles });
    for (const column of columns) plan.set(column, impute);
  }
  return plan;
}

function notUsable(column: string, got: unknown): InputError {
  return new InputError({
    column,
    problem: 'missing values cannot be filled in so',
    got: String(got),
    needed: `one of ${IMPUTE.join(', ')}`,
  });
}

function notNumeric(column: string, { numeric, levels, roles }: ImputedColumns): InputError {
  const near = nearestName(column, numeric);
  const role = roles.get(column);
  return new InputError({
    column,
    problem: 'missing values are filled in only where the column is a number of the context',
    got:
      role !== undefined
        ? `the ${role}`
        : levels.includes(column)
          ? 'a one-hot column or a key'
          : 'no column of the context',
    needed: numeric.length === 0 ? 'numeric context columns, of which there are none' : `one of ${listNames(numeric)}`,
    hint:
      role === 'payoff'
        ? '--missing-payoff (in code: missingPayoff) says what such payoffs count as'
        : levels.includes(column)
          ? `--missing-level (in code: missingLevel) makes a level of its own of missing values`
          : near === null
            ? 'leave it out'
            : `did you mean ${JSON.stringify(near)}?`,
  });
}

/** @throws InputError for a payoff that none can be. */
export function checkedMissingPayoff(
  value: number | undefined,
  range: readonly [number, number] | undefined,
): number | null {
  if (value === undefined) return null;
  const needed = range === undefined ? 'a finite number' : `${range[0]} to ${range[1]}, the declared range of payoffs`;
  if (Number.isFinite(value) && (range === undefined || (value >= range[0] && value <= range[1]))) return value;
  throw new InputError({
    problem: 'missing payoffs cannot count as this',
    got: String(value),
    needed,
    hint: '--missing-payoff 0 (in code: missingPayoff), or declare another range',
  });
}

/** A sum that loses no more than the last rounding: Neumaier's, of values in a fixed order. */
export class MeanSum {
  private count = 0;
  private sum = 0;
  private rest = 0;

  add(value: number): void {
    const sum = this.sum + value;
    this.rest += Math.abs(this.sum) >= Math.abs(value) ? this.sum - sum + value : value - sum + this.sum;
    this.sum = sum;
    this.count++;
  }

  /** @throws InputError where there is nothing to take the mean of, or its sum overflows. */
  mean(column: string): number {
    const mean = (this.sum + this.rest) / this.count;
    if (Number.isFinite(mean)) return mean;
    const none = this.count === 0;
    throw new InputError({
      column,
      problem: none ? 'there is no value to take the mean of' : 'the mean is too large to compute',
      got: none
        ? 'missing values only, in the rows that are read'
        : `the sum of ${plural(this.count, 'value')} overflows`,
      needed: 'values, of which missing ones get the mean',
      hint: `--impute ${quoted(`${column}=zero`)}, or leave the column out`,
    });
  }
}

/** Columns that a warning spells out. */
const SPELT_OUT = 3;

/**
 * What results say of values that were filled in.
 *
 * @param events of the log.
 * @param payoff column of the payoff.
 */
export function filledWarnings(missing: readonly MissingValues[], events: number, payoff: string): string[] {
  const filled = missing.filter(({ filled }) => filled > 0);
  const of = (count: number, what: string): string => `${count.toLocaleString('en')} of ${plural(events, what)}`;
  const warnings: string[] = [];
  for (const { filled: count, with: what, first } of filled.filter(({ column }) => column === payoff)) {
    warnings.push(
      `${of(count, 'payoff')} ${count === 1 ? 'is' : 'are'} missing (the first: ${first}) and ${count === 1 ? 'counts' : 'count'} as ${what?.value} (--missing-payoff): that is right only if nothing written means a payoff of ${what?.value}; where payoffs are missing for another reason, every value is biased`,
    );
  }
  const others = filled.filter(({ column }) => column !== payoff);
  if (others.length > 0) {
    const texts = others
      .slice(0, SPELT_OUT)
      .map(
        ({ column, filled: count, with: what, first }) =>
          `${JSON.stringify(column)} at ${of(count, 'event')} (the first: ${first}) ${filledWith(what)}`,
      );
    const more =
      others.length > SPELT_OUT
        ? `; and ${others.length - SPELT_OUT} more ${others.length === SPELT_OUT + 1 ? 'column' : 'columns'}`
        : '';
    warnings.push(
      `missing values were filled in: ${texts.join('; ')}${more}; policies in service must see such events filled in alike`,
    );
  }
  return warnings;
}

/** `with the mean, 4.5`. */
export function filledWith(what: MissingValues['with']): string {
  if (what === null) return 'with nothing';
  if (what.level !== undefined) return `with the level ${JSON.stringify(what.level)}`;
  return what.isMean === true ? `with the mean of the others, ${what.value}` : `with ${what.value}`;
}
