/** The JSON Schemas that the build writes and the package publishes: what is in the file, and what it lets through. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InputError } from '#dist/errors.js';
import { parseLearnerSet } from '#dist/learner/set/learner-set.js';
import { learnerSetJsonSchema } from '#dist/learner/set/schema.js';
import { mappingJsonSchema } from '#dist/log/mapping.js';
import { policySetJsonSchema } from '#dist/policy/schema.js';
import { toJson } from '#dist/report/json.js';
import { toReplayJson } from '#dist/report/replay-json.js';
import { evaluationJsonSchema, replayJsonSchema } from '#dist/report/saved/json-schema.js';
import { evaluation } from './report/html/samples.js';
import { replaySample } from './report/replay-sample.js';

async function published(name: string): Promise<Record<string, unknown>> {
  const file = fileURLToPath(new URL(`../dist/schema/${name}.schema.json`, import.meta.url));
  return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
}

it.each([
  ['learners', learnerSetJsonSchema],
  ['mapping', mappingJsonSchema],
  ['policies', policySetJsonSchema],
])('the build writes %s.schema.json', async (name, schema) => {
  expect(await published(name)).toEqual(JSON.parse(JSON.stringify(schema())));
});

describe('learners.schema.json', () => {
  const accepts = async (set: unknown): Promise<boolean> =>
    z.fromJSONSchema((await published('learners')) as z.core.JSONSchema.JSONSchema).safeParse(set).success;
  const parses = (set: unknown): boolean => {
    try {
      parseLearnerSet(set);
      return true;
    } catch (error) {
      if (error instanceof InputError) return false;
      throw error;
    }
  };

  it.each<[set: unknown]>([
    [[{ algorithm: 'random' }]],
    [[{ algorithm: 'linucb', alpha: [0.25, 1], tieTolerance: 1e-9 }, { algorithm: 'ucb1' }]],
    [[{ algorithm: 'epsilon-greedy', epsilon: 0.1 }]],
    [[{ algorithm: 'epsilon-greedy', c: [5, 50] }]],
    [[{ algorithm: 'semp', segment: 'age' }]],
    [[{ algorithm: 'exp4', experts: [{ family: 'constant' }], gamma: [0.1, 0.5] }]],
  ])('accepts %j, as parseLearnerSet does', async (set) => {
    expect([await accepts(set), parses(set)]).toEqual([true, true]);
  });

  it.each<[set: unknown]>([
    [[]],
    [{ algorithm: 'ucb1' }],
    [['ucb1']],
    [[{}]],
    [[{ algorithm: 'ucb2' }]],
    [[{ algorithm: 'ucb1', alpha: -1 }]],
    [[{ algorithm: 'ucb1', alpha: [] }]],
    [[{ algorithm: 'ucb1', alpha: [1, 'x'] }]],
    [[{ algorithm: 'ucb1', alfa: 1 }]],
    [[{ algorithm: 'epsilon-greedy', epsilon: 1.5 }]],
    [[{ algorithm: 'semp' }]],
    [[{ algorithm: 'exp4', experts: [] }]],
    [[{ algorithm: 'linucb', lambda: 0 }]],
  ])('refuses %j, as parseLearnerSet does', async (set) => {
    expect([await accepts(set), parses(set)]).toEqual([false, false]);
  });

  it('leaves conditions between parameters to parseLearnerSet', async () => {
    const set = [{ algorithm: 'epsilon-greedy', epsilon: 0.1, c: 5 }];
    expect([await accepts(set), parses(set)]).toEqual([true, false]);
  });
});

/** Whether all of a schema is in another, which may say more. */
function covers(more: unknown, less: unknown): boolean {
  if (typeof less !== 'object' || less === null) return more === less;
  if (typeof more !== 'object' || more === null) return false;
  return Object.entries(less).every(([key, part]) => covers((more as Record<string, unknown>)[key], part));
}

describe.each([
  ['evaluation', evaluationJsonSchema, () => JSON.parse(toJson(evaluation(3))), 'policies'],
  ['replay', replayJsonSchema, () => JSON.parse(toReplayJson(replaySample())), 'learners'],
])('%s.schema.json', (name, schema, result, rows) => {
  const accepts = async (value: unknown): Promise<boolean> =>
    z.fromJSONSchema((await published(name)) as z.core.JSONSchema.JSONSchema).safeParse(value).success;

  it('is what saved results are checked by, with texts', async () => {
    expect(covers(await published(name), JSON.parse(JSON.stringify(schema())))).toBe(true);
    expect(covers({ a: { type: 'string' } }, { a: { type: 'number' } })).toBe(false);
  });

  it('accepts a result, and not what is none', async () => {
    expect(await accepts(result())).toBe(true);
    expect(await accepts({ ...result(), fieldOfLater: 1 })).toBe(true);
    expect(await accepts({ ...result(), version: 99 })).toBe(false);
    expect(await accepts({ ...result(), [rows]: [{ ...result()[rows][0], index: '0' }] })).toBe(false);
    expect(await accepts({ ...result(), uniformity: undefined })).toBe(false);
  });
});

it('fields of results have the texts of their types, also those that no report needs', async () => {
  const { properties } = (await published('evaluation')) as z.core.JSONSchema.JSONSchema & { properties: Fields };
  type Fields = Record<string, z.core.JSONSchema.JSONSchema & { properties: Fields }>;
  const row = properties.policies.items as unknown as Fields[string];
  expect(row.properties.consumed.description).toMatch(/^Algorithm 1 only/);
  expect(properties.log.properties.dropRates.description).toMatch(/pdrop/);
});
