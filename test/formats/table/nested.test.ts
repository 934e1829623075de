/** Fields of objects in JSON lines and of structs in Parquet and Arrow as columns, by names such as `user.age`. */

import { DuckDBInstance } from '@duckdb/node-api';
import { Field, Float64, Int32, Struct, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { profileFiles } from '#dist/formats/table/profile/profile.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { pathOf, write } from '../../log/files.js';

interface Row {
  arm: string;
  payoff: number;
  user: { age: number; segment: string; home: { 'zip.code': number } };
}
const ROWS: Row[] = Array.from({ length: 60 }, (_, i) => ({
  arm: 'abc'[i % 3],
  payoff: i % 2,
  user: { age: 20 + i / 8, segment: i % 5 === 0 ? 'new' : 'old', home: { 'zip.code': 1000 + i } },
}));
const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const MAPPING = { arm: 'arm', payoff: 'payoff', context: { onehot: ['user.segment'], numeric: ['user.age'] } };
const FILES: Record<string, string> = {};

beforeAll(async () => {
  FILES.jsonl = write('nested.jsonl', jsonl(ROWS));
  FILES.parquet = pathOf('nested.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT arm, payoff, struct_pack(age := CAST("user".age AS DOUBLE), segment := "user".segment, home := "user".home) AS "user" FROM read_json('${FILES.jsonl}')) TO '${FILES.parquet}'`,
  );
  connection.closeSync();
  FILES.arrow = write('nested.arrow', tableToIPC(arrowOf(ROWS), 'file'));
});

function arrowOf(rows: readonly Row[], missing: readonly number[] = []): Table {
  const home = new Struct([new Field('zip.code', new Int32(), true)]);
  const user = new Struct([
    new Field('age', new Float64(), true),
    new Field('segment', new Utf8(), true),
    new Field('home', home, true),
  ]);
  const values = rows.map((row, i) => (missing.includes(i) ? null : row.user));
  return new Table({
    arm: vectorFromArray(
      rows.map(({ arm }) => arm),
      new Utf8(),
    ),
    payoff: vectorFromArray(
      rows.map(({ payoff }) => payoff),
      new Float64(),
    ),
    user: vectorFromArray(values, user),
  });
}

const open = (format: string, options: Partial<ReadOptions> = {}) =>
  readLog([FILES[format]], { mapping: MAPPING, ...options });

describe.each(['jsonl', 'parquet', 'arrow'])('fields in %s', (format) => {
  it('are contexts, keys and times as columns are', async () => {
    const log = await open(format, { keys: ['user.home.zip.code'] });
    expect(log.contexts.columns).toEqual(['user.segment=new', 'user.segment=old', 'user.age']);
    const { dimension, values, row } = log.contexts;
    ROWS.forEach(({ user }, t) => {
      const at = (row?.[t] ?? t) * dimension;
      expect([...values.slice(at, at + 3)]).toEqual([
        Number(user.segment === 'new'),
        Number(user.segment === 'old'),
        user.age,
      ]);
    });
    const zip = log.keys.get('user.home.zip.code');
    expect(Array.from(zip?.code ?? [], (code) => zip?.levels[code])).toEqual(
      ROWS.map(({ user }) => String(user.home['zip.code'])),
    );
  });

  it.each([
    ['user.age > 24', ROWS.filter(({ user }) => user.age > 24).length],
    ['"user.age" > 24', ROWS.filter(({ user }) => user.age > 24).length],
    [
      "log.user.segment = 'new' AND payoff = 1",
      ROWS.filter(({ user, payoff }) => user.segment === 'new' && payoff === 1).length,
    ],
    ['user.home."zip.code" BETWEEN 1003 AND 1009', 7],
  ])('--where %s', async (where, events) => {
    expect((await open(format, { where })).events).toBe(events);
  });

  it('match a pattern with a dot, and none without', async () => {
    const context = (pattern: string) => ({ mapping: { arm: 'arm', payoff: 'payoff', context: [pattern] } });
    expect((await open(format, context('user.a*'))).contexts.columns).toEqual(['user.age']);
    await expect(open(format, context('*age'))).rejects.toThrow('no column matches a context pattern');
  });

  it('that are misspelt are errors with the nearest name', async () => {
    const options = { mapping: { ...MAPPING, context: ['user.agee'] } };
    await expect(open(format, options)).rejects.toThrow('did you mean "user.age"?');
    await expect(open(format, { where: 'user.agee > 3' })).rejects.toThrow(InputError);
    await expect(open(format, { where: "user.segment > '3'" })).rejects.toThrow(/segment is text here/);
  });

  it('are told of by a look at the file, without the whole', async () => {
    const { columns } = await profileFiles([FILES[format]]);
    expect(columns.map(({ name }) => name).sort()).toEqual([
      'arm',
      'payoff',
      'user.age',
      'user.home.zip.code',
      'user.segment',
    ]);
  });
});

describe('what is missing or means two things', () => {
  it('an event without the object lacks the field, with its row', async () => {
    const rows = ROWS.map((row, i) => (i === 41 ? { ...row, user: null } : row));
    const lines = write('hole.jsonl', jsonl(rows));
    const batches = write('hole.arrow', tableToIPC(arrowOf(ROWS, [41]), 'stream'));
    for (const file of [lines, batches]) {
      await expect(readLog([file], { mapping: MAPPING })).rejects.toThrow(
        /row 41.*column "user.(segment|age)": feature is (missing|not a number)/,
      );
      const log = await readLog([file], { mapping: MAPPING, skipBadRows: true });
      expect([log.events, log.source.badRows[0].count]).toEqual([59, 1]);
    }
  });

  it('a column of that very name is taken where there is no field', async () => {
    const flat = write(
      'flat.jsonl',
      jsonl(ROWS.map(({ user, ...row }) => ({ ...row, 'user.age': user.age, 'user.segment': 's' }))),
    );
    expect((await readLog([flat], { mapping: MAPPING, where: '"user.age" > 24' })).events).toBe(27);
  });

  it('a column and a field of one name are refused, and two fields', async () => {
    const both = write('both.jsonl', jsonl(ROWS.map((row) => ({ ...row, 'user.age': 1 }))));
    await expect(readLog([both], { mapping: MAPPING })).rejects.toThrow('a column, and a field of another');
    const two = write(
      'two.jsonl',
      jsonl(ROWS.map(({ user, ...row }) => ({ ...row, a: { 'b.c': user.age }, 'a.b': { c: 1 } }))),
    );
    const mapping = { arm: 'arm', payoff: 'payoff', context: ['a.b.c'] };
    await expect(readLog([two], { mapping })).rejects.toThrow('fields of two columns');
    await expect(readLog([two], { mapping: { ...mapping, context: [] }, where: '"a.b.c" > 1' })).rejects.toThrow(
      /a\.b\.c/,
    );
  });

  it('a field that only late rows have is found by its name', async () => {
    const rows = [
      ...Array.from({ length: 700 }, () => ({ arm: 'a', payoff: 0, u: { v: 1 } })),
      { arm: 'b', payoff: 1, u: { w: 2, v: 1 } },
    ];
    const file = write('late.jsonl', jsonl(rows));
    const mapping = { arm: 'arm', payoff: 'payoff', context: ['u.w'] };
    await expect(readLog([file], { mapping })).rejects.toThrow(/row 0 \(line 1\), column "u.w": feature is missing/);
    expect((await readLog([file], { mapping, where: 'u.w = 2' })).events).toBe(1);
  });

  it('a name for the whole and for its field in one filter is refused', async () => {
    await expect(open('jsonl', { where: 'user IS NOT NULL AND user.age > 3' })).rejects.toThrow('stands for the whole');
  });

  it('a payoff within an object is no context by a pattern', async () => {
    const rows = ROWS.map(({ arm, payoff, user }) => ({ arm, outcome: { click: payoff, age: user.age } }));
    const file = write('leak.jsonl', jsonl(rows));
    const log = await readLog([file], { mapping: { arm: 'arm', payoff: 'outcome.click', context: ['outcome.*'] } });
    expect(log.contexts.columns).toEqual(['outcome.age']);
  });
});

it('a member whose name begins with NUL is no field of another', async () => {
  const rows = [1, 2].map((k) => ({ arm: 'a', payoff: 0, k: { age: k }, '\0k\0age': 7 }));
  const mapping = { ...MAPPING, context: { numeric: ['k.age'] } };
  const { contexts } = await readLog([write('nul.jsonl', jsonl(rows))], { mapping });
  expect([...(contexts.values ?? [])]).toEqual([1, 2]);
});
