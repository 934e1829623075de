/**
 * Result → JSON that people can read and diff: keys in a fixed order, two-space indent, lists of numbers or texts on
 * one line, and one policy per line, so that a file of 10,000 policies has about 10,000 lines.
 */

import { EngineError } from '../errors.js';
import type { EvaluationResult } from './result.js';

/** Order of keys in a result file; keys that are not listed follow, sorted. */
const RESULT_KEYS: readonly (keyof EvaluationResult)[] = [
  'hindcast',
  'version',
  'command',
  'log',
  'inputs',
  'uniformity',
  'estimator',
  'estimators',
  'rewardModel',
  'interval',
  'sequence',
  'blocks',
  'engine',
  'seeds',
  'warnings',
  'logged',
  'selection',
  'segments',
  'holdOut',
  'omitted',
  'policies',
];

const POLICY_KEYS = [
  'index',
  'name',
  'family',
  'matches',
  'payoff',
  'value',
  'standardError',
  'interval',
  'sequence',
  'band',
  'mayBeBest',
  'difference',
  'estimates',
  'weights',
  'largestPayoffShare',
  'withoutChoice',
  'consumed',
  'complete',
  'segments',
  'blocks',
];

/** The whole result, newline at the end. Parsing it gives the object back. */
export function toJson(result: EvaluationResult): string {
  return resultJson(result, RESULT_KEYS, 'policies', (policy) => flat(policy, POLICY_KEYS));
}

/**
 * A result with one list of rows, each on a line of its own (or as `row` writes it).
 *
 * @param keys order of the result's keys.
 * @param list name of the list.
 * @throws EngineError where it is longer than a text can be.
 */
export function resultJson<Result extends object, Key extends keyof Result & string>(
  result: Result,
  keys: readonly string[],
  list: Key,
  row: (item: Result[Key] extends readonly (infer Item)[] ? Item : never) => string,
): string {
  try {
    return `{\n${membersOf(result, keys, list, row).join(',\n')}\n}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EngineError(
      'the result is too large for JSON, a text of more than 512 MB\n  try:    --format parquet or csv, without --block-statistics or --state, or fewer policies at a time',
      { cause: error },
    );
  }
}

function membersOf<Result extends object, Key extends keyof Result & string>(
  result: Result,
  keys: readonly string[],
  list: Key,
  row: (item: Result[Key] extends readonly (infer Item)[] ? Item : never) => string,
): string[] {
  return ordered(result, keys).map(([key, value]) => {
    if (key !== list) return `  ${JSON.stringify(key)}: ${pretty(value, '  ')}`;
    const rows = (value as Parameters<typeof row>[0][]).map((item) => `    ${row(item)}`);
    return `  ${JSON.stringify(key)}: ${rows.length === 0 ? '[]' : `[\n${rows.join(',\n')}\n  ]`}`;
  });
}

/** Any plain object in the same layout: what `inspect`, `plan` and `devices` write. Keys keep their order. */
export function toPrettyJson(value: unknown): string {
  return `${pretty(value, '')}\n`;
}

function pretty(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== 'object')) return flat(value);
    return `[\n${value.map((item) => inner + flat(item)).join(',\n')}\n${indent}]`;
  }
  if (value === null || typeof value !== 'object') return scalar(value);
  const members = ordered(value, Object.keys(value));
  if (members.length === 0) return '{}';
  const lines = members.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pretty(item, inner)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

/** On one line, with blanks after `:` and `,`. */
export function flat(value: unknown, keys?: readonly string[]): string {
  if (Array.isArray(value)) return `[${value.map((item) => flat(item)).join(', ')}]`;
  if (value === null || typeof value !== 'object') return scalar(value);
  const members = ordered(value, keys ?? Object.keys(value));
  if (members.length === 0) return '{}';
  return `{ ${members.map(([key, item]) => `${JSON.stringify(key)}: ${flat(item)}`).join(', ')} }`;
}

/** Members that are present: listed keys first, in order, then the others, sorted. */
function ordered(value: object, keys: readonly string[]): [string, unknown][] {
  const rest = Object.keys(value).filter((key) => !keys.includes(key));
  const all = Object.entries(value) as [string, unknown][];
  const byKey = new Map(all.filter(([, item]) => item !== undefined));
  return [...keys, ...rest.sort()].filter((key) => byKey.has(key)).map((key) => [key, byKey.get(key)]);
}

function scalar(value: unknown): string {
  // JSON.stringify would turn NaN into null, and null means "no estimate" here.
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new EngineError(`a result holds ${value}, which JSON cannot; please report this as a bug in hindcast`);
  }
  return JSON.stringify(value) ?? 'null';
}
