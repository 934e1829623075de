/** What is read: a mapping resolved against the columns of the first file. */

import { InputError } from '../../../errors.js';
import { idText } from '../../../log/build/arms.js';
import { checkedMissingPayoff, type Impute, planImpute } from '../../../log/build/missing.js';
import { checkedRange } from '../../../log/build/rules.js';
import type { TimeUnit } from '../../../log/build/time-units.js';
import type { Mapping } from '../../../log/mapping.js';
import type { SourceFile } from '../../format.js';
import { checkLeaks, roleColumns } from './leaks.js';

/** A context column of the source. */
export interface PlannedContext {
  readonly column: string;
  readonly encode: 'onehot' | 'numeric';
  /** Numbers of each list, where the column holds lists. */
  readonly length?: number;
}

/** Where candidates come from. */
export type PlannedCandidates =
  | { readonly kind: 'list'; readonly column: string; readonly separator: string | null }
  | { readonly kind: 'id'; readonly column: string; readonly sets: ReadonlyMap<string, readonly string[]> };

/** The columns to read, by what they are. */
export interface Plan {
  readonly arm: string;
  readonly payoff: string;
  readonly payoffRange: readonly [number, number] | undefined;
  readonly propensity: string | null;
  readonly context: readonly PlannedContext[];
  readonly intercept: boolean;
  readonly candidates: PlannedCandidates | null;
  readonly time: { readonly column: string; readonly unit: TimeUnit | null } | null;
  readonly user: string | null;
  /** Column of an id that each event has to itself. */
  readonly eventId: string | null;
  readonly keys: readonly string[];
  /** Further columns that the second pass reads. */
  readonly more: readonly string[];
  readonly arms: readonly (string | number)[] | undefined;
  /** What missing payoffs count as; `null`: they are faults. */
  readonly missingPayoff: number | null;
  /** Missing values of one-hot columns and keys are a level of their own. */
  readonly missingLevel: boolean;
  /** What missing numbers of the context are filled in with, by column; they are faults in others. */
  readonly impute: ReadonlyMap<string, Impute>;
  /** What results say of columns that policies see though they have another role. */
  readonly warnings: readonly string[];
}

/** Options that add to a mapping or override it. */
export interface PlanOptions {
  readonly keys?: readonly string[];
  readonly arms?: readonly (string | number)[];
  readonly payoffRange?: readonly [number, number];
  readonly more?: readonly string[];
  readonly allowLeak?: readonly string[];
  readonly missingPayoff?: number;
  readonly missingLevel?: boolean;
  readonly impute?: Readonly<Record<string, Impute>>;
}

/** The column names a mapping spells out, without patterns. */
function wantedColumns(mapping: Mapping, options: PlanOptions): string[] {
  const context = contextEntries(mapping).map(({ column }) => column);
  return [
    mapping.arm,
    mapping.payoff,
    ...context.filter((name) => !name.includes('*')),
    ...[
      mapping.propensity,
      mapping.user,
      mapping.eventId,
      columnOf(mapping.time),
      candidateColumn(mapping.candidates),
    ].filter((name) => name !== undefined),
    ...(mapping.keys ?? []),
    ...(options.keys ?? []),
  ];
}

/** Whether a column may be read: it is wanted by name, matches a pattern, or has a field that is or does. */
export function readsColumn(mapping: Mapping, options: PlanOptions): (name: string) => boolean {
  const entries = contextEntries(mapping).map(({ column }) => column);
  const wanted = [...wantedColumns(mapping, options), ...(options.more ?? []), ...entries].flatMap(withParents);
  const names = new Set(wanted);
  const patterns = [...names].filter((name) => name.includes('*')).map(patternOf);
  return (name) => names.has(name) || patterns.some((pattern) => pattern.test(name));
}

/** A name, and those of what it may be a field of. */
function withParents(name: string): string[] {
  const parts = name.split('.');
  return parts.map((_, i) => parts.slice(0, i + 1).join('.'));
}

/** Resolves a mapping: expands patterns, merges options. Missing columns are found when each file is bound. */
export function makePlan(mapping: Mapping, options: PlanOptions, first: SourceFile): Plan {
  const { candidates, time } = mapping;
  const roles = roleColumns(mapping);
  const context = contextEntries(mapping).flatMap((entry) => expand(entry, first, (name) => roles.has(name)));
  const keys = [...new Set([...(mapping.keys ?? []), ...(options.keys ?? [])])];
  const payoffRange = checkedRange(options.payoffRange ?? mapping.payoffRange);
  const encoded = (encode: PlannedContext['encode']) =>
    context.filter((entry) => entry.encode === encode).map(({ column }) => column);
  return {
    arm: mapping.arm,
    payoff: mapping.payoff,
    payoffRange,
    propensity: mapping.propensity ?? null,
    context,
    intercept: mapping.intercept ?? false,
    candidates: candidates === undefined ? null : planCandidates(candidates),
    time: time === undefined ? null : typeof time === 'string' ? { column: time, unit: null } : time,
    user: mapping.user ?? null,
    eventId: mapping.eventId ?? null,
    keys,
    more: options.more ?? [],
    arms: options.arms ?? mapping.arms,
    missingPayoff: checkedMissingPayoff(options.missingPayoff ?? mapping.missingPayoff, payoffRange),
    missingLevel: options.missingLevel ?? mapping.missingLevel ?? false,
    impute: planImpute(
      [mapping.impute, options.impute],
      { numeric: encoded('numeric'), levels: [...encoded('onehot'), ...keys], roles },
      patternOf,
    ),
    warnings: checkLeaks(
      roles,
      context.map(({ column }) => column),
      keys,
      options.allowLeak ?? [],
    ),
  };
}

function contextEntries({ context }: Mapping): PlannedContext[] {
  if (context === undefined) return [];
  if (Array.isArray(context))
    return context.map((entry) => (typeof entry === 'string' ? { column: entry, encode: 'numeric' } : entry));
  const { onehot = [], numeric = [] } = context;
  return [
    ...onehot.map((column) => ({ column, encode: 'onehot' as const })),
    ...numeric.map((column) => ({ column, encode: 'numeric' as const })),
  ];
}

/**
 * A name with * stands for all columns that match it and are not hidden, unless a column has that very name; for fields of columns
 * where it has a dot.
 */
function expand(
  entry: PlannedContext,
  { file, columns }: SourceFile,
  isHidden: (name: string) => boolean,
): PlannedContext[] {
  const names = new Set(columns.map(({ name }) => name));
  if (!entry.column.includes('*') || names.has(entry.column)) return [entry];
  const pattern = patternOf(entry.column);
  const fields = entry.column.includes('.');
  const matches = columns.filter(({ name, isNested }) => pattern.test(name) && (fields || isNested !== true));
  const all = [...new Set(matches.map(({ name }) => name))];
  const matching = all.filter((name) => !isHidden(name));
  if (matching.length === 0) {
    throw new InputError({
      file,
      problem:
        all.length > 0
          ? 'no column matches a context pattern but those that the mapping gives a role'
          : 'no column matches a context pattern',
      got: JSON.stringify(entry.column),
      needed: `a pattern for columns such as ${[...names].slice(0, 5).join(', ')}`,
    });
  }
  return matching.map((column) => ({ column, encode: entry.encode }));
}

function patternOf(column: string): RegExp {
  const parts = column.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

function columnOf(entry: string | { column: string } | undefined): string | undefined {
  return typeof entry === 'object' ? entry.column : entry;
}

function candidateColumn(candidates: Mapping['candidates']): string | undefined {
  return typeof candidates === 'object' && 'id' in candidates ? candidates.id : columnOf(candidates);
}

function planCandidates(candidates: NonNullable<Mapping['candidates']>): PlannedCandidates {
  if (typeof candidates === 'string') return { kind: 'list', column: candidates, separator: null };
  if ('column' in candidates) return { kind: 'list', ...candidates };
  const sets = Object.entries(candidates.sets).map(([id, arms]) => [id, arms.map(idText)] as const);
  return { kind: 'id', column: candidates.id, sets: new Map(sets) };
}

/**
 * A candidate list written as text: a JSON-like array, or ids with a separator (`|` unless another is given). Entries that are
 * no identifier (nothing, null) are empty texts.
 */
export function parseList(text: string, separator: string | null): string[] {
  const trimmed = text.trim();
  if (separator !== null) return trimmed === '' ? [] : trimmed.split(separator).map((part) => part.trim());
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']'))
    return trimmed === '' ? [] : trimmed.split('|').map((part) => part.trim());
  if (trimmed.includes('"')) {
    try {
      const values: unknown = JSON.parse(trimmed);
      if (Array.isArray(values))
        return values.map((value) =>
          typeof value === 'number' ? idText(value) : typeof value === 'object' ? '' : String(value),
        );
    } catch {
      // Not JSON: as data frames print lists, below.
    }
  }
  const inside = trimmed.slice(1, -1).trim();
  return inside === ''
    ? []
    : inside
        .split(',')
        .map((part) => part.trim())
        .map((part) => (/^(?:null|None|NaN|nan)$/.test(part) ? '' : part.replace(/^(['"])(.*)\1$/s, '$2')));
}
