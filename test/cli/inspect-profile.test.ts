/** `hindcast inspect FILE` of files that nobody has said anything about. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Profile } from '#dist/formats/table/profile/profile.js';
import { hindcast } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-profile-'));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function profile(...argv: string[]): Promise<Profile> {
  const { status, stdout, stderr } = await hindcast(['inspect', ...argv, '--format', 'json']);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const ROWS = Array.from({ length: 40 }, (_, t) => [
  t,
  `2024-05-01T00:00:${String(t).padStart(2, '0')}Z`,
  `u${t % 7}`,
  ['gift', 'sale', 'new'][t % 3],
  ['phone', 'desktop'][t % 2],
  t % 4 === 0 ? '' : (t % 5) / 2,
  t % 9,
  0.25,
  'a|b|c',
  t % 8 === 0 ? 1 : 0,
]);
const HEAD = 'row,time,user_id,banner,device,rest,visits,p,candidates,clicked';
const LOG = file('log.csv', `${HEAD}\n${ROWS.map((row) => row.join(',')).join('\n')}\n`);

describe('columns', () => {
  test('their kinds, missing values, distinct values and edges are those of all rows', async () => {
    const { rows, columns, format } = await profile(LOG);
    expect([rows, format]).toEqual([40, 'csv']);
    const by = new Map(columns.map((column) => [column.name, column]));
    expect([...by].map(([name, { kind }]) => `${name} ${kind}`)).toEqual([
      'row integer',
      'time time',
      'user_id text',
      'banner text',
      'device text',
      'rest number',
      'visits integer',
      'p number',
      'candidates text',
      'clicked integer',
    ]);
    expect(by.get('rest')).toEqual({
      name: 'rest',
      kind: 'number',
      missing: 10,
      distinct: 5,
      low: 0,
      high: 2,
      examples: ['0', '2'],
    });
    expect(by.get('banner')).toMatchObject({
      missing: 0,
      distinct: 3,
      low: null,
      high: null,
      examples: ['gift', 'sale'],
    });
  });

  test('several files are one, JSON lines have lists, and nothing is run for odd names', async () => {
    const odd = `na"me; DROP TABLE x -- v n`;
    const line = (t: number) => JSON.stringify({ [odd]: t, pool: ['a', 'b'], arm: 'a', reward: 0.5, nil: null });
    const one = file('one.jsonl', `${line(0)}\n${line(1)}\n`);
    const two = file('two.jsonl', `${line(2)}\n`);
    const { rows, columns, mapping } = await profile(one, two);
    expect(rows).toBe(3);
    expect(columns.find(({ name }) => name === odd)).toMatchObject({ kind: 'integer', distinct: 3, low: 0, high: 2 });
    expect(columns.find(({ name }) => name === 'pool')).toMatchObject({ kind: 'list', distinct: 1 });
    expect(columns.find(({ name }) => name === 'nil')).toMatchObject({ kind: 'empty', missing: 3, distinct: 0 });
    // One arm alone is no arm to choose.
    expect(mapping).toBeNull();
  });

  test('NaN among numbers is a missing one; infinity and 1e400 are texts: no feature may be one', async () => {
    const { columns } = await profile(file('nan.csv', 'a,b,c\n1,1,1\nNaN,inf,1e400\n'));
    expect(columns.map(({ kind }) => kind)).toEqual(['integer', 'text', 'text']);
    expect(columns.map(({ missing }) => missing)).toEqual([1, 0, 0]);
  });

  test('a file without rows', async () => {
    const { rows, columns, mapping } = await profile(file('empty.csv', 'arm,click\n'));
    expect([rows, columns.map(({ kind }) => kind), mapping]).toEqual([0, ['empty', 'empty'], null]);
  });

  test('a column that another file lacks is an error', async () => {
    const { status, stderr } = await hindcast(['inspect', LOG, file('other.csv', 'banner,x\na,1\n')]);
    expect(status).toBe(2);
    expect(stderr).toContain('other.csv, column "row": the file lacks a column that the first file has');
  });
});

describe('the proposal', () => {
  test('is a mapping that inspect takes, and says what it leaves out', async () => {
    const { mapping, remarks } = await profile(LOG);
    expect(mapping).toEqual({
      arm: 'banner',
      payoff: 'clicked',
      propensity: 'p',
      context: { onehot: ['device'], numeric: ['visits'] },
      intercept: true,
      candidates: 'candidates',
      time: 'time',
      user: 'user_id',
    });
    expect(remarks.join('\n')).toMatch(/"row" is left out: it differs in every row/);
    expect(remarks.join('\n')).toMatch(/"rest" is left out: 10 values are missing/);
    const { candidates: _, ...usable } = mapping!;
    const path = file('mapping.json', JSON.stringify(usable));
    expect((await hindcast(['inspect', LOG, '--mapping', path])).status).toBe(0);
  });

  test('says what it does not find', async () => {
    const { mapping, remarks } = await profile(file('plain.csv', 'x,z\n1,2\n3,4\n'));
    expect(mapping).toBeNull();
    expect(remarks).toContain('No column looks like the arm: name it with --arm COLUMN.');
    expect(remarks).toContain('No column looks like the payoff: name it with --payoff COLUMN.');
  });

  test('a time of numbers asks for its unit; a probability above 1 is no propensity', async () => {
    const { mapping, remarks } = await profile(
      file('n.csv', 'ts,action,reward,p\n1,a,0,2\n2,b,1,0.5\n3,a,1,0.5\n4,b,0,0.5\n'),
    );
    expect(mapping).toMatchObject({ time: 'ts', arm: 'action', payoff: 'reward', context: { numeric: ['p'] } });
    expect(remarks.join(' ')).toContain('"ts" holds numbers: say their unit with --time-unit.');
  });

  test.each([
    [
      'seconds',
      1_577_836_800,
      1,
      { column: 'ts', unit: 's' },
      'in s: from 2020-01-01T00:00:00.000Z to 2020-01-01T00:00:03.000Z',
    ],
    ['milliseconds', 1_577_836_800_000, 1000, 'ts', 'in ms: from 2020-01-01T00:00:00.000Z to 2020-01-01T00:00:03.000Z'],
    ['digits', 20_200_101, 1, { column: 'ts', unit: 'yyyymmdd' }, 'in yyyymmdd: from 2020-01-01T'],
  ])('a time in %s has the one unit that fits, and the mapping reads the log', async (_, first, step, time, remark) => {
    const rows = Array.from({ length: 4 }, (_, t) => `${first + t * step},${'ab'[t % 2]},${t % 2}`);
    const log = file('unit.csv', `ts,action,reward\n${rows.join('\n')}\n`);
    const { mapping, remarks } = await profile(log);
    expect(mapping).toMatchObject({ time });
    expect(remarks.join(' ')).toContain(`"ts" holds numbers, taken for a time ${remark}`);
    const path = file('unit.json', JSON.stringify(mapping));
    const { status, stderr } = await hindcast(['inspect', log, '--mapping', path]);
    expect([status, stderr]).toEqual([0, '']);
  });

  test('as a table at 80 columns', async () => {
    const { stdout } = await hindcast(['inspect', LOG]);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toContain('10 (25 %)');
    expect(stdout).toContain('"payoff": "clicked"');
  });
});

test.each([
  ['event_id', 'integer ids', (t: number) => String(t), true],
  ['ID', 'texts', (t: number) => `e-${t}`, true],
  ['eventId', 'one retry in twenty', (t: number) => `e-${t - (t % 20 === 0 ? 1 : 0)}`, true],
  ['request_id', 'ids that half of the rows share', (t: number) => `e-${t >> 1}`, false],
  ['id', 'numbers with fractions', (t: number) => String(t + 0.5), false],
  ['event_id', 'ids of which one is missing', (t: number) => (t === 7 ? '' : `e-${t}`), false],
  ['grid', 'texts', (t: number) => `e-${t}`, false],
])('%s of %s: an id of events %s', async (name, _, value, expected) => {
  const rows = ROWS.map((row, t) => [...row, value(t)].join(','));
  const path = file('ids.csv', `${HEAD},${name}\n${rows.join('\n')}\n`);
  const { mapping, remarks } = await profile(path);
  expect(mapping?.eventId).toBe(expected ? name : undefined);
  expect(remarks.some((remark) => remark.includes('id of an event'))).toBe(expected);
});
