import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { Mapping } from '#dist/log/mapping.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { armIds, candidates, context, fault, MAPPING, pathOf, payoffs, write } from '../../log/files.js';

/** Writes the rows of a query as Parquet. */
async function parquet(name: string, sql: string): Promise<string> {
  const path = pathOf(name);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${sql}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

const query = async (name: string, sql: string, mapping: Partial<Mapping> = {}, options: ReadOptions = {}) =>
  readLog([await parquet(name, sql)], { mapping: { ...MAPPING, ...mapping }, ...options });

describe('Parquet', () => {
  it('reads columns of every type', async () => {
    const log = await query(
      'types.parquet',
      `SELECT * FROM (VALUES
        (3::BIGINT, true, 0.5::FLOAT, 0.1::DOUBLE, 2::TINYINT, 1.25::DECIMAL(9,2), TIMESTAMP '2009-05-01 00:00:00.25', 'x', DATE '2009-05-02', 1.0::DOUBLE),
        (-1, false, 1, 3, 4, 5.5, TIMESTAMP '2009-05-02', 'y', DATE '2009-05-03', 2.5)) t(arm, payoff, f, x, i, m, seen, name, day, k)`,
      { context: ['f', 'x', 'i', 'm', { column: 'name', encode: 'onehot' }], time: 'seen', keys: ['day', 'k'] },
    );
    expect(log.arms.ids).toEqual(['-1', '3']);
    expect(armIds(log)).toEqual(['3', '-1']);
    expect(payoffs(log)).toEqual([1, 0]);
    expect([context(log, 0), context(log, 1)]).toEqual([
      [0.5, 0.1, 2, 1.25, 1, 0],
      [1, 3, 4, 5.5, 0, 1],
    ]);
    expect(Array.from(log.time ?? [])).toEqual([Date.UTC(2009, 4, 1) + 250, Date.UTC(2009, 4, 2)]);
    expect(log.keys.get('day')?.levels).toEqual(['2009-05-02', '2009-05-03']);
    expect(log.keys.get('k')?.levels).toEqual(['1', '2.5']);
  });

  it('takes columns from files alone, whatever their folders are called', async () => {
    const plain = await parquet('plain.parquet', "SELECT * FROM (VALUES ('a', 1), ('b', 0)) t(arm, payoff)");
    for (const folder of ['arm=z', 'more=1']) {
      mkdirSync(pathOf(folder));
      const file = join(pathOf(folder), 'log.parquet');
      copyFileSync(plain, file);
      const log = await readLog([file], { mapping: MAPPING });
      expect([armIds(log), payoffs(log)]).toEqual([
        ['a', 'b'],
        [1, 0],
      ]);
    }
  });

  it('goes with files of text, whose ids may look like its integers', async () => {
    const integers = await parquet(
      'mixed.parquet',
      'SELECT * FROM (VALUES (1, 1, [1, 2]), (2, 0, [2])) t(arm, payoff, c)',
    );
    const text = write('mixed.csv', 'arm,payoff,c\n1.0,0,1.0|2\n01,0,01|1\n2,1,1|2|1.0\n');
    for (const files of [
      [integers, text],
      [text, integers],
    ]) {
      const log = await readLog(files, { mapping: { ...MAPPING, candidates: 'c' } });
      expect(log.arms.ids).toEqual(['01', '1', '1.0', '2']);
      expect(armIds(log).sort()).toEqual(['01', '1', '1.0', '2', '2']);
      expect(armIds(log)[files[0] === integers ? 0 : 3]).toBe('1');
      expect(candidates(log, files[0] === integers ? 0 : 3)).toEqual(['1', '2']);
      expect(candidates(log, files[0] === integers ? 2 : 0)).toEqual(['1.0', '2']);
    }
  });

  it('keeps the order of rows over many batches and row groups, with and without a filter', async () => {
    const sql = 'SELECT i % 7 AS arm, i % 2 AS payoff, i AS x FROM range(30000) t(i)';
    const log = await query('order.parquet', sql, { context: ['x'] });
    expect(log.contexts.values).toBeInstanceOf(Float32Array);
    expect(log.contexts.values.every((x, t) => x === t)).toBe(true);
    expect(log.arm.every((a, t) => a === t % 7)).toBe(true);
    expect(log.payoff.steps.every((k, t) => k === t % 2)).toBe(true);
    const filtered = await query('order.parquet', sql, { context: ['x'] }, { where: 'x % 3 = 1' });
    expect(filtered.events).toBe(10000);
    expect(filtered.sourceRow?.every((row, t) => row === 3 * t + 1 && filtered.contexts.values[t] === row)).toBe(true);
    expect(filtered.arms.ids).toHaveLength(7);
  });

  it('reads candidates from lists of numbers and of text, and from arrays', async () => {
    for (const [name, type] of [
      ['ints', 'INTEGER[]'],
      ['bigs', 'BIGINT[]'],
      ['texts', 'VARCHAR[]'],
      ['arrays', 'INTEGER[3]'],
    ]) {
      const log = await query(
        `${name}.parquet`,
        `SELECT 10 + i % 2 AS arm, 0 AS payoff, [9, 10 + i % 2, 20 - i % 3]::${type} AS c FROM range(3000) t(i)`,
        { candidates: 'c' },
      );
      expect(log.arms.ids).toEqual(['9', '10', '11', '18', '19', '20']);
      for (let t = 0; t < 6; t++) {
        const expected = [9, 10 + (t % 2), 20 - (t % 3)].map(String);
        expect([name, new Set(candidates(log, t))]).toEqual([name, new Set(expected)]);
      }
    }
  });

  it('numbers a candidate set once over batches', async () => {
    const log = await query(
      'sets.parquet',
      'SELECT 5 AS arm, 0 AS payoff, [5, i // 5000 + 6]::INTEGER[] AS c FROM range(20000) t(i)',
      { candidates: 'c' },
    );
    expect(log.pools.count).toBe(4);
    expect(log.pools.pool?.every((s, t) => s === Math.floor(t / 5000))).toBe(true);
  });

  /** Writes columns of one type each, as the schema says. */
  function typed(
    name: string,
    columns: Readonly<Record<string, readonly [unknown[], Partial<SchemaElement>]>>,
  ): string {
    const entries = Object.entries(columns);
    const schema = entries.map(([column, [, element]]) => ({ repetition_type: 'REQUIRED', ...element, name: column }));
    const bytes = parquetWriteBuffer({
      columnData: entries.map(([column, [data]]) => ({ name: column, data })),
      schema: [{ name: 'root', num_children: entries.length }, ...schema] as SchemaElement[],
    });
    return write(name, new Uint8Array(bytes));
  }
  const WHOLE: Partial<SchemaElement> = { type: 'INT32' };
  const decimal = (precision: number, scale: number, bytes: number): Partial<SchemaElement> => ({
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: bytes,
    converted_type: 'DECIMAL',
    precision,
    scale,
  });

  it('reads columns whose names differ in case, or are those of DuckDB, by name and by filter', async () => {
    const file = typed('case.parquet', {
      Arm: [[7, 7, 7], WHOLE],
      arm: [[1, 2, 3], WHOLE],
      arm_1: [[8, 8, 8], WHOLE],
      ARM: [[9, 9, 9], WHOLE],
      file_row_number: [[30, 31, 32], WHOLE],
      rowid: [[40, 41, 42], WHOLE],
      filename: [[50, 51, 52], WHOLE],
      payoff: [[1, 0, 1], WHOLE],
      '': [[0, 0, 0], WHOLE],
      'x"y.z': [[60, 61, 62], WHOLE],
    });
    const numeric = ['ARM', 'Arm', 'arm_1', 'file_row_number', 'filename', 'rowid', 'x"y.z'];
    const log = await readLog([file], { mapping: { ...MAPPING, context: numeric } });
    expect(armIds(log)).toEqual(['1', '2', '3']);
    expect(context(log, 1)).toEqual([9, 7, 8, 31, 51, 41, 61]);
    for (const where of ['arm = 2', 'file_row_number = 31', '"rowid" = 41 AND Arm = 7', 'FILENAME = 51']) {
      const part = await readLog([file], { mapping: { ...MAPPING, context: numeric }, where });
      expect([where, armIds(part), part.sourceRow?.[0]]).toEqual([where, ['2'], 1]);
    }
    for (const where of ['aRm = 2', 'arm = 2 AND Arm = 7', 'COLUMNS(*) > 0'])
      expect((await fault(readLog([file], { mapping: MAPPING, where }))).message).toMatch(/differ in case only/);
    const error = await fault(readLog([file], { mapping: { ...MAPPING, context: ['ArM'] } }));
    expect(error.message).toMatch(/no column "ArM"/);
  });

  it('refuses decimals of more than 38 digits in use, and reads the others exactly', async () => {
    const columns = {
      arm: [[1, 2], WHOLE],
      payoff: [[12345n, -12345n], decimal(38, 2, 20)],
      long: [[12345n, -12345n], decimal(40, 2, 17)],
      exact: [[12345678901234567890n, 3n], decimal(30, 20, 13)],
    } as const;
    const file = typed('decimals.parquet', columns as unknown as Parameters<typeof typed>[1]);
    const log = await readLog([file], { mapping: { ...MAPPING, context: ['exact'] } });
    expect(payoffs(log)).toEqual([123.45, -123.45]);
    expect([context(log, 0), context(log, 1)]).toEqual([[Number('0.12345678901234567890')], [3e-20]]);
    for (const mapping of [{ context: ['*o*'] }, { payoff: 'long' }, { keys: ['long'] }]) {
      const error = await fault(readLog([file], { mapping: { ...MAPPING, ...mapping } }));
      expect(error.fault).toMatchObject({ column: 'long', got: 'DECIMAL(40, 2)' });
    }
    expect((await fault(readLog([file], { mapping: MAPPING, where: 'long > 1' }))).fault.column).toBe('long');
    expect((await readLog([file], { mapping: MAPPING, where: 'exact > 0.1' })).events).toBe(1);
  });

  it('reads small unsigned integers and half floats as what they are', async () => {
    const file = typed('small.parquet', {
      arm: [[255, 1], { type: 'INT32', converted_type: 'UINT_8' }],
      payoff: [[0.5, 1], { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } }],
      x: [[4294967295, 1], { type: 'INT32', converted_type: 'UINT_32' }],
    });
    const log = await readLog([file], { mapping: { ...MAPPING, context: ['x'] } });
    expect([armIds(log), payoffs(log), context(log, 0)]).toEqual([['255', '1'], [0.5, 1], [4294967295]]);
  });

  const bad: [string, string, Partial<Mapping>, RegExp][] = [
    [
      'null payoff',
      'SELECT 1 AS arm, CASE WHEN i < 4000 THEN 0.5 END AS payoff FROM range(5000) t(i)',
      {},
      /row 4000, column "payoff": payoff is missing\n {2}got: {4}NULL; missing in 1,000 of 5,000 rows/,
    ],
    [
      'nan',
      "SELECT 1 AS arm, 1 AS payoff, CASE WHEN i = 2 THEN 'nan' ELSE '1' END::FLOAT AS x FROM range(5) t(i)",
      { context: ['x'] },
      /row 2, column "x": feature is missing\n {2}got: {4}nan; missing in 1 of 5 rows/,
    ],
    [
      'null arm',
      'SELECT CASE WHEN i < 3 THEN i END AS arm, 1 AS payoff FROM range(5) t(i)',
      {},
      /row 3, column "arm": arm is missing/,
    ],
    [
      'type',
      "SELECT 1 AS arm, DATE '2009-05-01' AS payoff",
      {},
      /column "payoff": the column has the wrong type\n {2}got: {4}DATE\n {2}needed: a number/,
    ],
    ['list as arm', 'SELECT [1] AS arm, 1 AS payoff', {}, /column "arm": the column has the wrong type/],
    [
      'null candidate',
      'SELECT 1 AS arm, 1 AS payoff, [1, NULL]::INTEGER[] AS c',
      { candidates: 'c' },
      /row 0, column "c": a candidate is empty/,
    ],
    [
      'null list',
      'SELECT 1 AS arm, 1 AS payoff, NULL::INTEGER[] AS c',
      { candidates: 'c' },
      /row 0, column "c": candidates are missing/,
    ],
    [
      'empty list',
      'SELECT 1 AS arm, 1 AS payoff, []::INTEGER[] AS c',
      { candidates: 'c' },
      /row 0, column "c": the list of candidates is empty/,
    ],
    [
      'outside',
      'SELECT 1 AS arm, 1 AS payoff, [CASE WHEN i < 2500 THEN 1 ELSE 2 END] AS c FROM range(5000) t(i)',
      { candidates: 'c' },
      /row 2500: the logged arm is not among the event's candidates\n {2}got: {4}"1"\n {2}needed: one of "2"/,
    ],
    ['no rows', 'SELECT 1 AS arm, 1 AS payoff WHERE false', {}, /the log has no rows/],
    ['missing', 'SELECT 1 AS arms, 1 AS payoff', {}, /no column "arm"[\s\S]*did you mean "arms"\?/],
  ];
  it.each(bad)('is refused: %s', async (name, sql, mapping, message) => {
    expect((await fault(query(`bad ${name}.parquet`, sql, mapping))).message).toMatch(message);
  });

  it('is refused where the file is truncated, foreign or empty', async () => {
    const whole = readFileSync(await parquet('whole.parquet', 'SELECT i AS arm, 1 AS payoff FROM range(9999) t(i)'));
    for (const [name, bytes] of [
      ['cut', whole.subarray(0, whole.length >> 1)],
      ['foreign', Buffer.from('arm,payoff\n1,2\n')],
      ['empty', Buffer.alloc(0)],
    ] as const) {
      const error = await fault(readLog([write(`${name}.parquet`, bytes)], { mapping: MAPPING }));
      expect(error.message).toMatch(/\.parquet: (the file cannot be read as Parquet|the file is empty)/);
    }
    const misnamed = write('misnamed.csv', whole);
    expect((await readLog([misnamed], { mapping: MAPPING })).source.format).toBe('parquet');
  });

  it('counts bad rows on request', async () => {
    const sql =
      "SELECT i % 3 AS arm, CASE WHEN i % 10 = 0 THEN NULL WHEN i % 10 = 1 THEN 'inf' ELSE '1' END::DOUBLE AS payoff FROM range(5000) t(i)";
    const log = await query('skip.parquet', sql, {}, { skipBadRows: true });
    expect(log.events).toBe(4000);
    expect(log.source.badRows.map(({ kind, count }) => [kind, count])).toEqual([
      ['payoff is missing', 500],
      ['payoff is not finite', 500],
    ]);
    expect(log.sourceRow?.[0]).toBe(2);
    expect(log.sourceRow?.[3999]).toBe(4999);
  });
});
