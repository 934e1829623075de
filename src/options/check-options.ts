/** Options from code, which may have no types: every key is known, and every value of the right type. */

import { z } from 'zod';
import { InputError } from '../errors.js';
import { nearestName } from '../names/order.js';
import { checkKeys, type Misspelt, misspeltKey, unknownKey } from './misspelt.js';
import { pathText } from './path-text.js';

/** A schema for every option of `Options`: one that is added there and not here does not compile. */
export type OptionShape<Options> = { readonly [Key in keyof Required<Options>]: z.ZodType };

/** The message of such a schema says what is needed. Ranges that an option's own reader checks are left to it. */
export const option = {
  text: z.string({ error: 'text' }),
  flag: z.boolean({ error: 'true or false' }),
  number: z.number({ error: 'a finite number' }),
  whole: (low: number, high = Number.MAX_SAFE_INTEGER) => {
    const error = `a whole number ${high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `from ${low} to ${high}`}`;
    return z.int({ error }).min(low, { error }).max(high, { error });
  },
  names: z.array(z.string(), { error: 'a list of names' }),
  oneOf: (...names: readonly string[]) => z.enum(names, { error: `one of ${names.join(', ')}` }),
  /** So many of something, or a period. */
  every: (what: string) =>
    z.union([option.number, z.strictObject({ period: z.number() })], {
      error: `a whole number of ${what}, at least 1, or { period } in milliseconds`,
    }),
  call: z.custom((value) => typeof value === 'function', { error: 'a function' }),
  signal: z.custom((value) => value instanceof AbortSignal, { error: 'an AbortSignal' }),
  object: (needed: string) =>
    z.custom((value) => typeof value === 'object' && value !== null && !Array.isArray(value), { error: needed }),
  /** Checked elsewhere, and there in full. */
  elsewhere: z.any(),
} as const;

/**
 * Checks options against their shape. What is `undefined` counts as left out.
 *
 * @param path of the options in the call, for messages; absent: they are all of it.
 * @throws InputError for the first unknown key, with the nearest known one; then for the first wrong value.
 */
export function checkOptions<Options extends object>(
  options: Options,
  shape: OptionShape<Options>,
  path?: string,
): void {
  const known = Object.keys(shape);
  const prefix = path === undefined ? '' : `${path}.`;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InputError({
      path,
      problem: 'not an object with options',
      got: shown(options),
      needed: `one of ${known.join(', ')}`,
    });
  }
  checkKeys(options, known, prefix);
  for (const [key, schema] of Object.entries<z.ZodType>(shape)) {
    const value = (options as Readonly<Record<string, unknown>>)[key];
    if (value === undefined) continue;
    const result = schema.safeParse(value);
    if (result.success) continue;
    const misspelt = misspeltKey(schema, value, [key]);
    if (misspelt !== null) throw noSuchOption(misspelt, prefix);
    const [issue] = result.error.issues;
    throw new InputError({
      path: path === undefined ? undefined : `${prefix}${key}`,
      problem: `option ${key} is not usable`,
      got: shown(value),
      needed: issue.message,
      hint: nearValue(value, issue),
    });
  }
}

function noSuchOption({ path, known }: Misspelt, prefix: string): InputError {
  const place = { path: `${prefix}${pathText('', path)}`, problem: 'there is no such option' };
  return unknownKey(String(path.at(-1)), known, place);
}

function nearValue(value: unknown, issue: z.core.$ZodIssue): string | undefined {
  if (typeof value !== 'string' || issue.code !== 'invalid_value') return undefined;
  const near = nearestName(value, issue.values.map(String));
  return near === null ? undefined : `did you mean ${JSON.stringify(near)}?`;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value.length > 80 ? `${value.slice(0, 79)}…` : value;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const text = ArrayBuffer.isView(value) ? Object.prototype.toString.call(value) : (JSON.stringify(value) ?? '');
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
