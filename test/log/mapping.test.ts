import { describe, expect, it } from 'vitest';
import { mappingJsonSchema, parseMapping } from '#dist/log/mapping.js';

describe('mapping', () => {
  it('accepts every form', () => {
    for (const mapping of [
      { arm: 'a', payoff: 'r' },
      { arm: 'a', payoff: 'r', context: ['x', { column: 'y', encode: 'onehot' }], intercept: true },
      {
        arm: 'a',
        payoff: 'r',
        context: { onehot: ['y'] },
        candidates: 'c',
        payoffRange: [0, 5],
        arms: [1, 'b'],
        keys: ['k'],
      },
      {
        arm: 'a',
        payoff: 'r',
        candidates: { column: 'c', separator: ' ' },
        time: { column: 't', unit: 's' },
        user: 'u',
        propensity: 'p',
      },
      { arm: 'a', payoff: 'r', candidates: { id: 's', sets: { one: [1, 2] } } },
    ]) {
      expect(parseMapping(mapping)).toEqual(mapping);
    }
  });

  const bad: [unknown, RegExp][] = [
    [{ arm: 'a', payof: 'r' }, /^m\.json, payof: unknown key in the mapping\n[\s\S]*did you mean "payoff"\?/],
    [{ arm: 'a' }, /^m\.json, payoff: the mapping lacks a key/],
    [
      { arm: 3, payoff: 'r' },
      /^m\.json, arm: the mapping has a wrong value\n {2}got: {4}3\n {2}needed: expected string/,
    ],
    [{ arm: 'a', payoff: 'r', context: { onhot: ['x'] } }, /context\.onhot: unknown key[\s\S]*did you mean "onehot"\?/],
    // The misspelling is told of, and not the right spelling as missing.
    [
      { arm: 'a', payoff: 'r', candidates: { colum: 'c', separator: '|' } },
      /candidates\.colum: unknown key.*\n.*one of column, separator, id, sets\n.*"column"\?/,
    ],
    [{ arm: 'a', payoff: 'r', candidates: { id: 's', set: {} } }, /candidates\.set: unknown key[\s\S]*"sets"\?/],
    [
      { arm: 'a', payoff: 'r', context: ['x', { column: 'y', encod: 'onehot' }] },
      /context\[1\]\.encod: unknown key.*\n.*one of column, encode\n.*"encode"\?/,
    ],
    [{ arm: 'a', payoff: 'r', time: { column: 't', unti: 's' } }, /time\.unti: unknown key[\s\S]*"unit"\?/],
    // Keys of two forms at once.
    [
      { arm: 'a', payoff: 'r', candidates: { column: 'c', sets: {} } },
      /candidates\.separator: the mapping lacks a key/,
    ],
    [
      { arm: 'a', payoff: 'r', context: ['x', { column: 'y', encode: 'hot' }] },
      /context\[1\]\.encode: the mapping has a wrong value\n {2}got: {4}"hot"/,
    ],
    [{ arm: 'a', payoff: 'r', payoffRange: [0] }, /payoffRange/],
    [
      { arm: 'a', payoff: 'r', time: { column: 't', unit: 'min' } },
      /time\.unit: the mapping has a wrong value\n {2}got: {4}"min"/,
    ],
    [{ arm: 'a', payoff: 'r', arms: [] }, /arms: the mapping has a wrong value/],
    [
      [],
      /^m\.json: the mapping has a wrong value\n {2}got: {4}\[\]\n {2}needed: an object such as \{ "arm": "COLUMN", "payoff": "COLUMN" \}/,
    ],
    [null, /^m\.json: the mapping has a wrong value\n {2}got: {4}null/],
    [
      '{"arm": "a"}',
      /the mapping has a wrong value\n {2}got: .*\n {2}needed: .*\n {2}try: {4}text is parsed first: parseMapping\(JSON\.parse\(text\)\)/,
    ],
  ];
  it.each(bad)('refuses %j', (mapping, message) => {
    expect(() => parseMapping(mapping, 'm.json')).toThrowError(message);
  });

  it('publishes a JSON Schema with a description of every key', () => {
    const schema = mappingJsonSchema() as {
      properties: Record<string, { description?: string }>;
      additionalProperties: boolean;
    };
    expect(schema.additionalProperties).toBe(false);
    for (const property of Object.values(schema.properties)) expect(property.description).toBeTruthy();
  });
});
