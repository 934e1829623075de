/** Grids of parameters: a list where an algorithm takes a single value stands for each of its values. */

import { z } from 'zod';
import type { SpecPlace } from '../../policy/family.js';
import { specFault } from '../../policy/spec-faults.js';
import type { Algorithm } from '../learner.js';

/** JSON Schema of an algorithm's parameters. */
export interface ParameterSchema {
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required: readonly string[];
}

const schemas = new WeakMap<Algorithm, ParameterSchema>();

/** What an algorithm's parameters may be, defaults left out; conditions between parameters are not in it. */
export function parameterSchema(algorithm: Algorithm): ParameterSchema {
  let schema = schemas.get(algorithm);
  if (schema === undefined) {
    const json = z.toJSONSchema(algorithm.schema, { io: 'input', unrepresentable: 'any' });
    schema = {
      properties: (json.properties ?? {}) as ParameterSchema['properties'],
      required: json.required ?? [],
    };
    schemas.set(algorithm, schema);
  }
  return schema;
}

/** True for a parameter whose value is itself a list, which spans no grid. */
export function isListParameter(algorithm: Algorithm, key: string): boolean {
  return parameterSchema(algorithm).properties[key]?.type === 'array';
}

/** One point of a grid. */
export interface Combination {
  readonly values: Readonly<Record<string, unknown>>;
  /** Place of the value in its list, for the keys that have a list. */
  readonly index: ReadonlyMap<string, number>;
}

/**
 * The Cartesian product of an entry's lists, in the order of its keys, the last varying fastest.
 *
 * @throws InputError for an empty list.
 */
export function combinations(
  algorithm: Algorithm,
  given: Readonly<Record<string, unknown>>,
  place: SpecPlace,
): Combination[] {
  let grid: Combination[] = [{ values: {}, index: new Map() }];
  for (const [key, value] of Object.entries(given)) {
    if (!Array.isArray(value) || isListParameter(algorithm, key)) {
      grid = grid.map(({ values, index }) => ({ values: { ...values, [key]: value }, index }));
      continue;
    }
    if (value.length === 0) {
      throw specFault(place, [key], { problem: 'an empty list', needed: 'a value, or a list of at least one' });
    }
    grid = grid.flatMap(({ values, index }) =>
      value.map((one: unknown, i) => ({ values: { ...values, [key]: one }, index: new Map(index).set(key, i) })),
    );
  }
  return grid;
}
