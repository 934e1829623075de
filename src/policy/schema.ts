/** JSON Schema of policy sets, from the same zod schemas that validate them. */

import { z } from 'zod';
import { JSON_FAMILIES } from './families.js';

/** JSON Schema (draft 2020-12) of a policy set file, for editors and other programs. */
export function policySetJsonSchema(): Record<string, unknown> {
  const entry = z.union(JSON_FAMILIES.map((family) => family.schema as z.ZodType));
  const set = z.array(entry).min(1).meta({
    title: 'hindcast policy set',
    description: 'Fixed policies; their index is their running number over all entries',
  });
  // `input`: what a file may say, defaults left out. Checks that JSON Schema cannot express are left out too.
  return z.toJSONSchema(set, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>;
}
