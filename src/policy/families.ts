/** The table of policy families. Adding one = a folder and a line here. */

import type { z } from 'zod';
import { choices } from './choices/pack.js';
import { constant } from './constant/pack.js';
import type { PolicyFamily } from './family.js';
import { functions } from './function/pack.js';
import { joint } from './joint/pack.js';
import { linear } from './linear/pack.js';
import { probabilities } from './probabilities/pack.js';
import { table } from './table/pack.js';
import { uniform } from './uniform/pack.js';
import type { UniformSpec, uniformSchema } from './uniform/spec.js';

/** Families that a JSON file can name. */
export const JSON_FAMILIES = [constant, uniform, linear, joint, table, choices, probabilities] as const;

/** All families: those of JSON, and those that only code can make. */
export const FAMILIES = [...JSON_FAMILIES, functions] as const;

/** A validated entry of a policy set. */
export type PolicySpec = z.output<(typeof FAMILIES)[number]['schema']>;

/** An entry as one writes it in code: what has a default may be left out. */
export type PolicyInput = Exclude<PolicySpec, UniformSpec> | z.input<typeof uniformSchema>;

/** A family whose kind of spec does not matter to the holder. */
export type AnyFamily = PolicyFamily<{ family: string }>;

/** The family of a name; `undefined` where there is none. */
export function familyNamed(name: string): AnyFamily | undefined {
  return (FAMILIES as readonly AnyFamily[]).find((family) => family.name === name);
}
