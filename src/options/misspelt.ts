/** Keys that a schema does not know, wherever they lie in a value. */

import { z } from 'zod';
import { type Fault, InputError } from '../errors.js';
import { nearestName } from '../names/order.js';

/** A key that none of the objects that could stand at its place has. */
export interface Misspelt {
  /** Where the key lies, itself at the end. */
  readonly path: readonly PropertyKey[];
  /** The keys that may stand there. */
  readonly known: readonly string[];
}

/** The first such key of a value; `null`: there is none. Keys of the user's own (`recordOf`) are none of its business. */
export function misspeltKey(schema: z.ZodType, value: unknown, path: readonly PropertyKey[] = []): Misspelt | null {
  const forms = alternatives(schema);
  if (Array.isArray(value)) {
    const elements = forms.flatMap((form) => (form instanceof z.ZodArray ? [form.element as z.ZodType] : []));
    return first(elements.length === 0 ? [] : value.entries(), (i, one) =>
      misspeltKey(z.union(elements), one, [...path, i]),
    );
  }
  const objects = forms.filter((form) => form instanceof z.ZodObject);
  if (typeof value !== 'object' || value === null || objects.length === 0) return null;
  const known = [...new Set(objects.flatMap(({ shape }) => Object.keys(shape)))];
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) return { path: [...path, unknown], known };
  return first(Object.entries(value), (key, one) => {
    const parts = objects.flatMap(({ shape }) => (Object.hasOwn(shape, key) ? [shape[key] as z.ZodType] : []));
    return misspeltKey(z.union(parts), one, [...path, key]);
  });
}

/** @param prefix of the keys in messages. @throws InputError for the first key that is not known, with the nearest that is. */
export function checkKeys(options: object, known: readonly string[], prefix = ''): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw unknownKey(unknown, known, { path: `${prefix}${unknown}`, problem: 'there is no such option' });
}

/** The error for such a key. @param spelt how messages write a key: as in code, or as in JSON. */
export function unknownKey(
  key: string,
  known: readonly string[],
  fault: Fault,
  spelt: (key: string) => string = String,
): InputError {
  const near = nearestName(key, known);
  return new InputError({
    ...fault,
    needed: `one of ${known.join(', ')}`,
    hint: near === null ? undefined : `did you mean ${spelt(near)}?`,
  });
}

/** What a value may be, each by itself. */
function alternatives(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return alternatives(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((form) => alternatives(form as z.ZodType));
  return [schema];
}

function first<Key, Value>(
  entries: Iterable<readonly [Key, Value]>,
  find: (key: Key, value: Value) => Misspelt | null,
): Misspelt | null {
  for (const [key, value] of entries) {
    const found = find(key, value);
    if (found !== null) return found;
  }
  return null;
}
