/** Files of many columns: what is asked of DuckDB, and of JSON.parse, does not grow with their number. */

import { DuckDBConnection } from '@duckdb/node-api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { profileFiles } from '#dist/formats/table/profile/profile.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { read, write } from '../../log/files.js';

afterEach(() => void vi.restoreAllMocks());

/** Values of a column of each kind, by row. */
const VALUES: ((t: number) => string)[] = [
  (t) => String(t / 8),
  (t) => String(t % 3),
  (t) => `level ${t % 5}`,
  (t) => (t % 7 === 0 ? '' : `2026-01-0${1 + (t % 9)}`),
  (t) => (t % 4 === 0 ? 'NA' : `${t}e2`),
  (t) => `[${t}, 1]`.replaceAll(',', ';'),
];

function csvOf(columns: number, rows = 20): string {
  const names = Array.from({ length: columns }, (_, j) => `f${j}`);
  const lines = Array.from({ length: rows }, (_, t) =>
    [`a${t % 2}`, t % 2, ...names.map((_, j) => VALUES[j % VALUES.length](t))].join(','),
  );
  return `${['arm,payoff', ...names].join(',')}\n${lines.join('\n')}\n`;
}

/** Calls of functions in what DuckDB is asked, without those that each column needs once. */
async function asked(act: () => Promise<unknown>): Promise<{ queries: number; calls: number }> {
  const texts: string[] = [];
  for (const name of ['run', 'stream'] as const) {
    const original = DuckDBConnection.prototype[name];
    vi.spyOn(DuckDBConnection.prototype, name).mockImplementation(function (this: DuckDBConnection, sql, ...rest) {
      texts.push(String(sql));
      return (original as (...all: unknown[]) => Promise<never>).call(this, sql, ...rest);
    });
  }
  await act();
  vi.restoreAllMocks();
  return { queries: texts.length, calls: texts.join('\n').match(/\w\(/g)?.length ?? 0 };
}

describe('files of many columns', () => {
  it('are profiled as narrow ones are', async () => {
    const { rows, columns } = await profileFiles([write('wide-profile.csv', csvOf(300))]);
    expect(rows).toBe(20);
    expect(columns.slice(0, 2)).toMatchObject([
      { name: 'arm', kind: 'text', missing: 0, distinct: 2, low: null, examples: ['a0', 'a1'] },
      { name: 'payoff', kind: 'integer', missing: 0, distinct: 2, low: 0, high: 1, examples: ['0', '1'] },
    ]);
    const found = columns.slice(2).map(({ name, ...rest }) => rest);
    for (const [j, one] of found.entries()) expect(one).toEqual(found[j % VALUES.length]);
    expect(found.slice(0, VALUES.length)).toMatchObject([
      { kind: 'number', missing: 0, distinct: 20, low: 0, high: 2.375 },
      { kind: 'integer', missing: 0, distinct: 3, low: 0, high: 2 },
      { kind: 'text', missing: 0, distinct: 5, low: null, high: null, examples: ['level 0', 'level 4'] },
      { kind: 'time', missing: 3, distinct: 9 },
      { kind: 'integer', missing: 5, distinct: 16, low: 100, high: 1900 },
      { kind: 'list', missing: 0, distinct: 20 },
    ]);
    const narrow = await profileFiles([write('narrow-profile.csv', csvOf(VALUES.length))]);
    expect(columns.slice(0, 2 + VALUES.length)).toEqual(narrow.columns);
  });

  it('are profiled with as many questions as narrow ones', async () => {
    const of = async (columns: number) =>
      await asked(() => profileFiles([write(`profile-${columns}.csv`, csvOf(columns, 2 * VALUES.length))]));
    const narrow = await of(12);
    expect(await of(600)).toEqual(narrow);
    expect(narrow.queries).toBeLessThan(10);
  });

  it('that are empty, or have no column, are profiled', async () => {
    const empty = await profileFiles([write('empty-profile.csv', 'arm,payoff\n')]);
    expect(empty).toMatchObject({ rows: 0, columns: [{ name: 'arm', kind: 'empty', distinct: 0, examples: [] }, {}] });
    expect(await profileFiles([write('none.jsonl', '{}\n{}\n')])).toMatchObject({ rows: 2, columns: [] });
    const infinite = await profileFiles([write('infinite.csv', 'arm,payoff\na,infinity\nb,-infinity\n')]);
    expect(infinite.columns[1]).toMatchObject({ kind: 'text', low: null });
  });

  it('are read with as many questions as narrow ones', async () => {
    const of = async (columns: number) => {
      const csv = csvOf(columns, 4).replace(/^(\w+,\d),.*$/gm, `$1${',1'.repeat(columns)}`);
      const mapping = { arm: 'arm', payoff: 'payoff', context: ['f*'] };
      return asked(() => readLog([write(`read-${columns}.csv`, csv)], { mapping }));
    };
    expect(await of(200)).toEqual(await of(100));
  });
});

describe('JSON lines', () => {
  it('of known members are not parsed one by one', async () => {
    const line = (t: number) => `{"arm":"a${t % 2}","payoff":${t % 2},"x":{"y":${t}},"list":[{"z":1}, {"z":2}]}`;
    const text = Array.from({ length: 3000 }, (_, t) => line(t)).join('\n');
    const parse = vi.spyOn(JSON, 'parse');
    const log = await read('known.jsonl', text, { mapping: { arm: 'arm', payoff: 'payoff', context: ['x.y'] } });
    // The head of a file is looked at line by line: 64 KB.
    expect(parse.mock.calls.length).toBeLessThan(1200);
    expect([log.events, log.contexts.values.at(-1)]).toEqual([3000, 2999]);
  });

  it.each([
    ['a name twice', '{"arm":"a","payoff":1,"payoff":1}', /JSON names a member twice/],
    ['a name twice within', '{"arm":"a","payoff":1,"x":{"y":1,"y":1}}', /JSON names a member twice/],
    ['a name twice in a list', '{"arm":"a","payoff":1,"x":[{"y":1,"y":1}]}', /JSON names a member twice/],
    ['a leading zero', '{"arm":"a","payoff":01}', /line is not JSON/],
    ['a point without digits', '{"arm":"a","payoff":1.}', /line is not JSON/],
    ['an exponent without digits', '{"arm":"a","payoff":1e+}', /line is not JSON/],
    ['a minus alone', '{"arm":"a","payoff":-}', /line is not JSON/],
    ['a word', '{"arm":"a","payoff":nul}', /line is not JSON/],
    ['a longer word', '{"arm":"a","payoff":nullx}', /line is not JSON/],
    ['a tab in a string', '{"arm":"a\t","payoff":1}', /line is not JSON/],
    ['a comma at the end', '{"arm":"a","payoff":1,}', /line is not JSON/],
    ['a comma at the end of a list', '{"arm":"a","payoff":1,"x":[1,]}', /line is not JSON/],
    ['text behind it', '{"arm":"a","payoff":1}}', /line is not JSON/],
    ['no end', '{"arm":"a","payoff":1', /line is not JSON/],
    ['a string without an end', '{"arm":"a","payoff":"1', /line is not JSON/],
    ['no colon', '{"arm":"a","payoff" 1}', /line is not JSON/],
    ['half of a character', '{"arm":"\\ud800","payoff":1}', /half of a character/],
  ])('behind others of its kind, %s is an error', async (_, line, message) => {
    const good = '{"arm":"a","payoff":1,"x":{"y":1}}\n{"payoff":-0.5e1,"arm":"b","x":[{"y":1}, null, true]}\n';
    await expect(read('bad.jsonl', good + line)).rejects.toThrow(message);
    await expect(read('bad.jsonl', good + line)).rejects.toThrow(/bad\.jsonl, row 2 \(line 3\)/);
  });

  it('of other order, escapes, blanks and members have the same values', async () => {
    const lines = [
      '{"arm":"a","payoff":1,"x":{"y":1,"z":2}}',
      ' { "x" : { "z" : 4 , "y" : 3e0 } , "arm" : "b\\u0061" , "payoff" : 0 } ',
      '{"payoff":1,"x":{"y":-0.5E+1,"z":[]},"other":{"arm":2},"arm":"é"}',
      '{"payoff":0,"x":{"\\u0079":7,"z":null},"arm":"\\u0061"}',
      '{"payoff":0,"x":{"y":8,"w":{}},"arm":"a\\"b"}',
    ];
    const log = await read('kinds.jsonl', lines.join('\r\n'), {
      mapping: { arm: 'arm', payoff: 'payoff', context: ['x.y'] },
    });
    expect([...log.arm].map((a) => log.arms.ids[a])).toEqual(['a', 'ba', 'é', 'a', 'a"b']);
    expect([...log.contexts.values]).toEqual([1, 3, -5, 7, 8]);
  });
});
