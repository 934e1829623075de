/** Entries made by `policyFunctions`; they exist in code only. */

import { z } from 'zod';
import { recordOf } from '../../options/record-of.js';
import { epsilon } from '../drawn/entry.js';
import type { FunctionSpec, PolicyFunction } from '../functions.js';
import { strict } from '../spec-faults.js';

const choose = z.custom<PolicyFunction>((value) => typeof value === 'function', {
  error: 'not a function; the function family can be used from code only, through policyFunctions(…)',
});

export const functionSchema: z.ZodType<FunctionSpec> = strict({
  family: z.literal('function'),
  functions: recordOf(choose).refine((functions) => Object.keys(functions).length > 0, {
    error: 'policyFunctions needs at least one function',
  }),
  epsilon,
});
