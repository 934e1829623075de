/** The mapping: which column of a file is what. A small JSON file, or the same object in code. */

import { z } from 'zod';
import { InputError } from '../errors.js';
import { misspeltKey, unknownKey } from '../options/misspelt.js';
import { pathText } from '../options/path-text.js';
import { recordOf } from '../options/record-of.js';
import { IMPUTE } from './build/missing.js';
import { TIME_UNITS } from './build/time-units.js';

const name = z.string().min(1);
const id = z.union([z.string(), z.number()]);

const column = name.describe('Column of the file.');

const contextEntry = z.union([
  name,
  z.strictObject({
    column,
    encode: z.enum(['onehot', 'numeric']).describe('onehot: a feature for each of its values; numeric: its number.'),
  }),
]);

/** The least that a mapping says. */
export const MAPPING_EXAMPLE = '{ "arm": "COLUMN", "payoff": "COLUMN" }';

/** The schema. Unknown keys are rejected. */
export const mappingSchema = z.strictObject({
  $schema: z.string().optional().describe('Path of this JSON Schema, for editors; not read.'),
  arm: name.describe('Column of the logged arm.'),
  payoff: name.describe('Column of the payoff: a number.'),
  propensity: name.optional().describe('Column of the probability with which the logged arm was chosen.'),
  context: z
    .union([
      z.array(contextEntry),
      z.strictObject({
        onehot: z.array(name).optional().describe('Columns with a feature for each of their values.'),
        numeric: z.array(name).optional().describe('Columns of numbers.'),
      }),
    ])
    .optional()
    .describe(
      'Context columns. A list, in the order of the features: names of numeric columns, or { column, encode: "onehot" | "numeric" }. Or { onehot: [...], numeric: [...] }: one-hot columns first. A name may hold * for any text: all such columns, in the order of the first file. The levels of a one-hot column are those of all rows of all files, before any filter, sorted by code point.',
    ),
  intercept: z.boolean().optional().describe('Put a constant 1 last in the context.'),
  candidates: z
    .union([
      name,
      z.strictObject({ column, separator: z.string().min(1).describe('What stands between two ids.') }),
      z.strictObject({
        id: name.describe('Column with the id of a set.'),
        sets: recordOf(z.array(id)).describe('Arm ids of each set, by its id.'),
      }),
    ])
    .optional()
    .describe(
      'Arms that could be shown. A list column (in text: a JSON array, or ids separated by |); { column, separator } for another separator; or { id, sets }: a column with the id of a set, and the sets. Default: every arm at every event.',
    ),
  time: z
    .union([
      name,
      z.strictObject({ column, unit: z.enum(TIME_UNITS).describe('Unit of its numbers since 1970, or their form.') }),
    ])
    .optional()
    .describe(
      'Column of the time: ISO 8601 or a timestamp (UTC where it names no zone), or a number of milliseconds since 1970, in the years 1990 to 2099 ({ column, unit } for another unit or clock; yyyymmdd: digits such as 20200301 or 20200301153000).',
    ),
  user: name.optional().describe('Column of the user id.'),
  eventId: name
    .optional()
    .describe('Column of an id that each event has to itself: events whose id was there before are told of.'),
  keys: z.array(name).optional().describe('Further columns kept by value, for table policies.'),
  payoffRange: z
    .tuple([z.number(), z.number()])
    .optional()
    .describe(
      'Lowest and highest payoff that can occur. Default: 0 to 1 if every payoff lies there, else as observed.',
    ),
  arms: z
    .array(id)
    .min(1)
    .optional()
    .describe(
      'Every arm, in the order of their indices. Default: numeric order if every id is an integer, else code-point order.',
    ),
  missingPayoff: z.number().optional().describe('What a missing payoff counts as. Default: it is an error.'),
  missingLevel: z
    .boolean()
    .optional()
    .describe(
      'Whether missing values of one-hot columns and keys are a level of their own, "(missing)". Default: they are errors.',
    ),
  impute: recordOf(z.enum(IMPUTE))
    .optional()
    .describe(
      'What missing numbers of the context are filled in with, by column: "mean" (of the other values, in the rows that are read) or "zero". A name may hold * for any text. Default: they are errors.',
    ),
});

/** A mapping as people write it. */
export interface Mapping extends z.infer<typeof mappingSchema> {}

/** The JSON Schema of a mapping file. */
export function mappingJsonSchema(): Record<string, unknown> {
  return {
    title: 'hindcast mapping of log columns',
    ...z.toJSONSchema(mappingSchema, { io: 'input', unrepresentable: 'any' }),
  };
}

/**
 * Checks a mapping.
 *
 * @param file where it was read from, for messages.
 * @throws InputError that names the key, what was found and what was needed.
 */
export function parseMapping(value: unknown, file?: string): Mapping {
  const result = mappingSchema.safeParse(value);
  if (result.success) return result.data;
  throw mappingError(value, result.error.issues, file);
}

type Issue = z.core.$ZodIssue;

function mappingError(value: unknown, issues: readonly Issue[], file?: string): InputError {
  // A misspelt key also leaves its right spelling missing: the misspelling is the one to report.
  const misspelt = misspeltKey(mappingSchema, value);
  if (misspelt !== null) {
    const fault = { file, path: pathText('', misspelt.path), problem: 'unknown key in the mapping' };
    return unknownKey(String(misspelt.path.at(-1)), misspelt.known, fault, JSON.stringify);
  }
  const issue = deepest(issues[0]);
  const path = [...issue.path];
  const got = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
  const missing = got === undefined && path.length > 0;
  return new InputError({
    file,
    path: path.length === 0 ? undefined : pathText('', path),
    problem: missing ? 'the mapping lacks a key' : 'the mapping has a wrong value',
    got: missing ? undefined : (JSON.stringify(got) ?? String(got)).slice(0, 120),
    needed:
      path.length === 0
        ? `an object such as ${MAPPING_EXAMPLE}`
        : issue.message.replace(/^Invalid input: /, '').replace(/, received .*$/, ''),
    hint: missing
      ? 'name the column of the file that holds it'
      : typeof value === 'string'
        ? 'text is parsed first: parseMapping(JSON.parse(text))'
        : undefined,
  });
}

/** Of a union's issues, those of the alternative that came closest: it failed deepest inside the value. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  let best: Issue | null = null;
  for (const branch of issue.errors) {
    for (const inner of branch) {
      const candidate = deepest({ ...inner, path: [...issue.path, ...inner.path] } as Issue);
      if (best === null || candidate.path.length > best.path.length) best = candidate;
    }
  }
  return best !== null && best.path.length > issue.path.length
    ? best
    : ({ ...issue, message: `Invalid input: expected ${expected(issue)}` } as Issue);
}

function expected(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const texts = issue.errors.flatMap((branch) =>
    branch
      .slice(0, 1)
      .map(({ message }) => message.replace(/^Invalid input: expected /, '').replace(/, received .*$/, '')),
  );
  return [...new Set(texts)].join(' or ');
}
