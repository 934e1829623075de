/** From zod's issues to messages that name the entry, the path in it, what was got and what to do. */

import { z } from 'zod';
import { type Fault, InputError } from '../errors.js';
import { nearestName } from '../names/order.js';
import { pathText } from '../options/path-text.js';
import type { SpecFiles, SpecPlace } from './family.js';

/** An object that rejects unknown keys and lists the known ones. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const [key = ''] = issue.keys;
      const near = nearestName(key, known);
      return `unknown key "${key}"; known keys: ${known.join(', ')}${near === null ? '' : ` (did you mean "${near}"?)`}`;
    },
  });
}

/** The key that tells entries of a policy set apart. */
export const family = <Name extends string>(name: Name) => z.literal(name).describe('The kind of policy');

/** An arm's id as specs give it: text, or a whole number for ids such as 7. */
export const armId = z
  .union([z.string(), z.int()], { error: 'expected an arm id (text or a whole number)' })
  .describe('Arm id, as in the log');

/** The value of a key column as specs give it. */
export const keyValue = z
  .union([z.string(), z.number(), z.boolean()], { error: 'expected text, a number, true or false' })
  .describe('Value of a key column');

/** More for a custom issue than its message; goes into `params` of zod's `addIssue`. */
export type IssueDetail = Pick<Fault, 'got' | 'needed' | 'hint'>;

/**
 * Validates one value against a schema.
 *
 * @throws InputError for the most telling issue, with its path: `set.json, [3].weights: …`.
 */
export function validate<Output>(schema: z.ZodType<Output>, value: unknown, place: SpecPlace): Output {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  // A misspelt key also makes its right spelling "missing": name the misspelling.
  const issues = result.error.issues;
  const issue = issues.find((one) => one.code === 'unrecognized_keys') ?? issues[0];
  if (issue === undefined) throw result.error;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  const detail: IssueDetail = (issue.code === 'custom' ? (issue.params as IssueDetail | undefined) : undefined) ?? {};
  const showInput = issue.code !== 'unrecognized_keys' && issue.code !== 'custom' && !missing;
  const message = issue.message.replace(/^Invalid input: /, '');
  throw new InputError({
    file: place.file,
    path: pathText(place.path, issue.path),
    problem: (missing ? `missing; ${message.replace(/, received undefined$/, '')}` : message) + more,
    got: showInput ? shown(issue.input) : detail.got,
    needed: detail.needed,
    hint: detail.hint,
  });
}

/** An error about a part of an entry that only the log or a file showed to be wrong. */
export function specFault(
  place: SpecPlace,
  path: readonly PropertyKey[],
  fault: Omit<Fault, 'file' | 'path'>,
): InputError {
  return new InputError({ file: place.file, path: pathText(place.path, path), ...fault });
}

/** Name for messages of a file that an entry names: `w.npy (set.json, [3].weights)`. */
export function namedFile(files: SpecFiles, name: string, place: SpecPlace, key: string): string {
  const from = [place.file, pathText(place.path, [key])].filter((part) => part !== undefined);
  return `${files.resolve(name)} (${from.join(', ')})`;
}

/** Bytes of a file that an entry names. @throws InputError that names the entry too. */
export async function namedBytes(files: SpecFiles, name: string, file: string): Promise<Uint8Array> {
  try {
    return await files.bytes(name);
  } catch (error) {
    throw error instanceof InputError ? new InputError({ ...error.fault, file }, { cause: error }) : error;
  }
}

/** A value as text for messages, cut to a readable length. */
export function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint' || value === undefined) return String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined; // cyclic or holding a bigint
  }
  text ??= Object.prototype.toString.call(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
