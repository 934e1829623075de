import { describe, expect, it } from 'vitest';
import { FAMILIES, JSON_FAMILIES } from '#dist/policy/families.js';
import { policySetJsonSchema } from '#dist/policy/schema.js';

describe('policySetJsonSchema', () => {
  it('describes a non-empty list of entries, one shape per family, unknown keys refused', () => {
    const schema = policySetJsonSchema() as {
      type: string;
      minItems: number;
      items: {
        anyOf: { properties: { family: { const: string } }; additionalProperties: boolean; required: string[] }[];
      };
    };
    expect(schema).toMatchObject({ type: 'array', minItems: 1 });
    const shapes = schema.items.anyOf;
    expect(shapes.map((shape) => shape.properties.family.const)).toEqual(JSON_FAMILIES.map((family) => family.name));
    for (const shape of shapes) expect(shape.additionalProperties).toBe(false);
    expect(shapes.find((shape) => shape.properties.family.const === 'uniform')?.required).toEqual(['family']);
  });
});

describe('families', () => {
  it('have distinct names and say what they are', () => {
    expect(new Set(FAMILIES.map((family) => family.name)).size).toBe(FAMILIES.length);
    for (const family of FAMILIES) expect(family.summary.length).toBeGreaterThan(10);
  });
});
