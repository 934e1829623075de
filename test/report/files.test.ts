import { describe, expect, test } from 'vitest';
import { toCsv } from '#dist/report/csv.js';
import { toJson, toPrettyJson } from '#dist/report/json.js';
import type { EvaluationResult } from '#dist/report/result.js';
import { policy, sample } from './sample.js';

describe('JSON', () => {
  test('holds the result, word for word', () => {
    const result = sample({ warnings: ['a "quoted" warning\nwith a second line'], omitted: 7 });
    expect(JSON.parse(toJson(result))).toEqual(result);
  });

  test('has one line per policy and a newline at the end', () => {
    const policies = Array.from({ length: 10_000 }, (_, index) => policy({ index }));
    const text = toJson(sample({ policies }));
    expect(text.endsWith('}\n')).toBe(true);
    const lines = text.split('\n').filter((line) => line.includes('"index"'));
    expect(lines).toHaveLength(10_000);
    for (const line of lines) JSON.parse(line.replace(/,$/, ''));
  });

  test('does not depend on the order in which the object was built', () => {
    const backwards = (value: object): object => Object.fromEntries(Object.entries(value).reverse());
    const result = sample();
    const other = backwards({ ...result, policies: result.policies.map(backwards) }) as EvaluationResult;
    expect(toJson(other)).toBe(toJson(result));
  });

  test('an empty set is an empty list', () => {
    expect(JSON.parse(toJson(sample({ policies: [] }))).policies).toEqual([]);
  });

  test('NaN is refused: null means that there is no estimate', () => {
    expect(() => toJson(sample({ policies: [policy({ index: 0, value: Number.NaN })] }))).toThrow(/NaN/);
  });

  test('other objects keep their keys and their content', () => {
    const value = { b: [1, 2], a: { list: [{ x: 1 }, { x: null }], empty: {}, none: undefined } };
    expect(JSON.parse(toPrettyJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    expect(toPrettyJson({ a: [] })).toBe('{\n  "a": []\n}\n');
  });
});

describe('CSV', () => {
  test('has a header, full precision and nothing for null', () => {
    const policies = [
      policy({ index: 0, value: 0.1 + 0.2 }),
      policy({ index: 1, value: null, matches: 0, payoff: 0, interval: [0, 1] }),
    ];
    expect(toCsv(sample({ policies })).split('\n')).toEqual([
      'index,name,family,matches,payoff,value,lower,upper',
      '0,weights.npy[0],linear,500,25,0.30000000000000004,0.0341,0.0728',
      '1,weights.npy[1],linear,0,0,,0,1',
      '',
    ]);
  });

  test('a name that a spreadsheet would run is text; numbers, as texts too, are left alone', () => {
    const names = [
      '=HYPERLINK("http://x","y")',
      '+cmd|calc',
      '-2+3',
      '@SUM(A1)',
      '\t=1',
      '＝1+1',
      '-2.5',
      '+1e3',
      'a=b',
      ' =1',
    ];
    const policies = names.map((name, index) => policy({ index, name, value: -0.5 }));
    const lines = toCsv(sample({ policies })).split('\n').slice(1, -1);
    expect(lines.map((line) => line.replace(/,linear,.*$/, ''))).toEqual([
      `0,"'=HYPERLINK(""http://x"",""y"")"`,
      "1,'+cmd|calc",
      "2,'-2+3",
      "3,'@SUM(A1)",
      "4,'\t=1",
      "5,'＝1+1",
      '6,-2.5',
      '7,+1e3',
      '8,a=b',
      '9," =1"',
    ]);
    expect(lines.every((line) => line.includes(',-0.5,'))).toBe(true);
  });

  test('quotes what would not survive', () => {
    const policies = ['a,b', 'say "hi"', 'two\nlines', ' blank'].map((name, index) => policy({ index, name }));
    const text = toCsv(sample({ policies }));
    for (const quoted of ['"a,b"', '"say ""hi"""', '"two\nlines"', '" blank"']) expect(text).toContain(quoted);
  });

  test('Algorithm 1 adds what was consumed', () => {
    const policies = [
      policy({ index: 0, consumed: 812, complete: true }),
      policy({ index: 1, consumed: 9, complete: false }),
    ];
    const text = toCsv(
      sample({ policies, estimator: { name: 'replay', interval: 'wilson', algorithm: 1, validEvents: 40 } }),
    );
    expect(text.split('\n').map((line) => line.split(',').slice(-2))).toEqual([
      ['consumed', 'complete'],
      ['812', 'true'],
      ['9', 'false'],
      [''],
    ]);
  });
});
