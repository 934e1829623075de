/** JSON Schema of learner sets, from the same zod schemas that validate them. */

import { policySetJsonSchema } from '../../policy/schema.js';
import type { Algorithm } from '../learner.js';
import { ALGORITHMS } from './algorithms.js';
import { isListParameter, parameterSchema } from './grid.js';

/** JSON Schema (draft 2020-12) of a learner set file, for editors and other programs. */
export function learnerSetJsonSchema(): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'hindcast learner set',
    description: 'Learning algorithms to replay; a list in a parameter spans a grid of settings',
    type: 'array',
    minItems: 1,
    items: { anyOf: ALGORITHMS.map(entrySchema) },
  };
}

function entrySchema(algorithm: Algorithm): Record<string, unknown> {
  const { properties, required } = parameterSchema(algorithm);
  const parameters = Object.entries(properties).map(([key, schema]) => {
    if (key === 'experts') return [key, expertsSchema(schema)];
    if (isListParameter(algorithm, key)) return [key, schema];
    const { description, default: standard, ...one } = schema;
    const either = { anyOf: [one, { type: 'array', minItems: 1, items: one }] };
    return [key, { ...either, ...(description !== undefined && { description }), default: standard }];
  });
  return {
    title: algorithm.name,
    description: `${algorithm.summary} (${algorithm.source})`,
    type: 'object',
    properties: { algorithm: { const: algorithm.name }, ...Object.fromEntries(parameters) },
    required: ['algorithm', ...required],
    additionalProperties: false,
  };
}

function expertsSchema({ description }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { $schema: _, ...set } = policySetJsonSchema();
  return { ...set, description };
}
