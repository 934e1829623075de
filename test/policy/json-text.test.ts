import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '#dist/policy/json-text.js';
import { faultOf } from './small-log.js';

describe('parseJson', () => {
  it('parses, with or without a byte order mark', () => {
    expect(parseJson('\ufeff{"a": [1, "é"]}')).toEqual({ a: [1, 'é'] });
  });

  const faults: [text: string, line: number, column: number, more: RegExp][] = [
    ['', 1, 1, /the end of the text[\s\S]*needed: a value/],
    ['[1,\n 2,\n x]', 3, 2, /got: {4}"x\]"/],
    ['[\n  { "family": "constant" }\n  { "family": "uniform" }\n]', 3, 3, /, or a closing bracket/],
    ['[1, 2,]', 1, 7, /a comma before/],
    ['{"a": 1,}', 1, 9, /a key in double quotes/],
    ["[{'family': 'constant'}]", 1, 3, /double quotes/],
    ['[NaN]', 1, 2, /no NaN or Infinity/],
    ['[-Infinity]', 1, 2, /no NaN or Infinity/],
    ['[1] [2]', 1, 5, /the end of the text/],
    ['{"a" 1}', 1, 6, /needed: :/],
    ['[01]', 1, 3, /, or a closing bracket/],
    ['["tab\there"]', 1, 2, /a value or \]/],
    ['[1, // one\n2]', 1, 5, /no comments/],
    ['[{"a": [1, 2}]', 1, 13, /, or a closing bracket/],
    ['[[1, 2]', 1, 8, /the end of the text/],
  ];
  it.each(faults)('%j: line %i, column %i', async (text, line, column, more) => {
    const message = await faultOf(() => parseJson(text, 'set.json'));
    expect(message).toContain(`set.json, line ${line}: not valid JSON at column ${column}\n`);
    expect(message).toMatch(more);
  });

  const twice: [text: string, line: number, column: number, name: string][] = [
    ['{"arm": "a",\n "payoff": "p", "arm": "b"}', 2, 17, 'arm'],
    ['[{"tables": [{"choices": {"x": 1, "y": 2, "\\u0078": 3}}]}]', 1, 43, 'x'],
    ['{"__proto__": 1, "a": [{}, {"b": ":\\"{"}], "__proto__": 2}', 1, 44, '__proto__'],
    ['{"": 1, "": 1}', 1, 9, ''],
  ];
  it.each(twice)('refuses a name twice: %s', async (text, line, column, name) => {
    const message = await faultOf(() => parseJson(text, 'set.json'));
    expect(message).toContain(`set.json, line ${line}: JSON names a member twice, at column ${column}\n`);
    expect(message).toContain(`got:    ${JSON.stringify(name)}`);
  });

  it('takes a name once in each object, and text that looks like a name', () => {
    const text = '{"a": {"a": ["a", {"a": ":"}]}, "b": [{"a": 1}, {"a": 2}], "c": "\\"a\\": 1, \\"a\\": 2"}';
    expect(parseJson(text)).toEqual(JSON.parse(text));
    fc.assert(fc.property(fc.json(), (json) => void parseJson(json)));
  });

  it('finds a fault wherever JSON.parse does, at or after the damage', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('#', '\\', '}', ']', ',', ':', '"'), (json, where, junk) => {
        const at = where % (json.length + 1);
        const text = json.slice(0, at) + junk + json.slice(at);
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (valid) parseJson(text);
        else expect(() => parseJson(text)).toThrow(/not valid JSON at column \d+/);
      }),
      { numRuns: 2000 },
    );
  });
});
