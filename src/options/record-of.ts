/** Objects whose keys are the user's own names. */

import { z } from 'zod';

/**
 * The schema of an object with a value per name, whatever the names: zod's own record loses the key `__proto__`. The object is
 * taken as it is, so that its keys are its own; one that inherits from another object is refused, because a literal
 * `{ __proto__: … }` sets what an object inherits from, and the entry is no key of it.
 */
export function recordOf<Value>(value: z.ZodType<Value>) {
  return z
    .custom<Readonly<Record<string, Value>>>(isObject, { error: 'Invalid input: expected an object' })
    .superRefine((record, context) => {
      if (inherits(record)) {
        const message =
          'inherits from another object, as { __proto__: … } in code does; write the key as ["__proto__"]';
        context.addIssue({ code: 'custom', path: [], message });
      }
      for (const [name, one] of Object.entries(record)) {
        const result = value.safeParse(one, { reportInput: true });
        for (const issue of result.error?.issues ?? [])
          context.addIssue({ ...issue, path: [name, ...issue.path] } as Parameters<typeof context.addIssue>[0]);
      }
    })
    .meta({ type: 'object', additionalProperties: valueSchema(value) });
}

function valueSchema(value: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(value, { io: 'input', unrepresentable: 'any' });
  return schema;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True where a prototype is more than `Object.prototype`, of this realm or of another, or none. */
function inherits(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}
