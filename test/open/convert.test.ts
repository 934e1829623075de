/** Logs that are written while they are read give the packed log of the log in memory, whatever shows late. */

import { statSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { Mapping } from '#dist/log/mapping.js';
import { convert } from '#dist/open/convert.js';
import type { LogFiles } from '#dist/open/open.js';
import { fault, MAPPING, pathOf, withPacked, write } from '../log/files.js';
import { difference } from '../log/synthetic-log.js';

/** Writes the rows of a query; the format follows from the ending. */
async function table(name: string, sql: string): Promise<string> {
  const path = pathOf(name);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const format = name.endsWith('.csv') ? 'csv, HEADER' : name.endsWith('.jsonl') ? 'json' : 'parquet';
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT ${format})`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

const rows = (count: number, ...columns: string[]): string =>
  `SELECT (hash(i) % 7)::INTEGER AS arm, ${['(hash(i, 1) % 3 = 0)::INTEGER AS payoff', ...columns].join(', ')} FROM range(${count}) r(i)`;

/** Whole numbers of f32, all different; thirds are numbers that f32 does not hold. */
const DISTINCT = 'i::FLOAT AS x';

interface Case {
  files: [name: string, sql: string][];
  mapping?: Partial<Mapping>;
  options?: Omit<LogFiles, 'files'>;
  /** What the log must be like for the case to be one. */
  expected: (log: Awaited<ReturnType<typeof readLog>>) => boolean;
}

const CASES: Record<string, Case> = {
  'dense f32 contexts, in whole batches': {
    files: [['a.parquet', rows(131_072, DISTINCT, '(i % 3)::FLOAT AS y')]],
    mapping: { context: ['x', 'y'] },
    expected: ({ contexts }) => contexts.row === null && contexts.values instanceof Float32Array,
  },
  'dense contexts that need f64 from the first event': {
    files: [['b.csv', rows(70_000, 'i / 3.0 AS x')]],
    mapping: { context: ['x'], intercept: true },
    expected: ({ contexts }) => contexts.row === null && contexts.values instanceof Float64Array,
  },
  'dense contexts that need f64 late': {
    files: [['c.parquet', rows(200_000, 'CASE WHEN i = 199000 THEN 0.1 ELSE i END::DOUBLE AS x')]],
    mapping: { context: ['x'] },
    expected: ({ contexts }) => contexts.row === null && contexts.values instanceof Float64Array,
  },
  'contexts that repeat, one-hot and numbers': {
    files: [['d.parquet', rows(150_000, "'s' || (hash(i, 5) % 4) AS seg", '(hash(i, 6) % 5) / 10.0 AS x')]],
    mapping: { context: { onehot: ['seg'], numeric: ['x'] }, intercept: true },
    expected: ({ contexts }) => contexts.rows === 20 && contexts.dimension === 6,
  },
  'contexts that repeat at first and do not later': {
    files: [['e.parquet', rows(330_000, 'CASE WHEN i < 140000 THEN i % 10 ELSE i + 0.5 END::DOUBLE AS x')]],
    mapping: { context: ['x'] },
    expected: ({ contexts }) => contexts.row === null,
  },
  'few contexts, most of them distinct': {
    files: [['f.jsonl', rows(9, DISTINCT)]],
    mapping: { context: ['x'] },
    expected: ({ contexts }) => contexts.row === null,
  },
  'candidate sets, found and dropped': {
    files: [
      [
        'g.parquet',
        rows(150_000, '[CASE WHEN hash(i, 3) % 50 = 0 THEN 99 ELSE arm END, 10 + hash(i // 1000) % 300, 400] AS c'),
      ],
    ],
    mapping: { candidates: 'c' },
    options: { skipBadRows: true },
    expected: ({ pools, source, sourceRow }) =>
      pools.count > 500 && source.badRows[0].count > 2000 && sourceRow !== null,
  },
  'one candidate set after all': {
    files: [['h.parquet', rows(70_000, '[0, 1, 2, 3, 4, 5, 6] AS c')]],
    mapping: { candidates: 'c' },
    options: { skipBadRows: true },
    expected: ({ pools, sourceRow }) => pools.pool === null && sourceRow === null,
  },
  'payoffs that are rounded': {
    files: [['i.parquet', 'SELECT i % 5 AS arm, sin(i) * 17 AS payoff FROM range(140000) r(i)']],
    expected: ({ payoff }) => payoff.scale.rounded && payoff.rangeBasis === 'observed',
  },
  'payoffs in cents, of a declared range': {
    files: [['j.csv', 'SELECT i % 5 AS arm, ((hash(i) % 1000)::INTEGER - 500) / 100 AS payoff FROM range(70000) r(i)']],
    mapping: { payoffRange: [-10, 10] },
    expected: ({ payoff }) => !payoff.scale.rounded && payoff.scale.low === -10 && payoff.maxSteps === 999,
  },
  'everything else, from several files, with a filter': {
    files: [
      ['k.csv', rows(80_000, "'u' || hash(i, 4) % 999 AS who", 'i AS t', "'k' || i % 3 AS seg", '0.5 AS p')],
      ['k.parquet', rows(80_000, "'v' || hash(i, 4) % 999 AS who", 'i + 7 AS t', "'k' || i % 4 AS seg", '0.25 AS p')],
    ],
    mapping: { user: 'who', time: { column: 't', unit: 's' }, keys: ['seg'], propensity: 'p' },
    options: { where: "seg <> 'k1'" },
    expected: ({ events, user, sourceRow }) => events === 113_333 && user?.levels.length === 1998 && sourceRow !== null,
  },
  'no event under its filter': {
    files: [['l.parquet', rows(100, DISTINCT)]],
    mapping: { context: ['x'], candidates: undefined },
    options: { where: 'x < 0' },
    expected: ({ events, arms }) => events === 0 && arms.ids.length === 7,
  },
};

describe('convert, batch by batch', () => {
  it.each(Object.entries(CASES))('%s', async (_, { files: tables, mapping, options, expected }) => {
    const files: string[] = [];
    for (const [name, sql] of tables) {
      // The columns of a query may be named in others.
      files.push(
        await table(name, sql.includes('CASE WHEN hash') ? sql.replace('ELSE arm', 'ELSE (hash(i) % 7)') : sql),
      );
    }
    const input = { files, mapping: { ...MAPPING, ...mapping }, ...options };
    const { files: _files, ...reading } = input;
    const log = await readLog(files, reading);
    expect(expected(log)).toBe(true);
    const path = pathOf('converted.parquet');
    const conversion = await convert(input, path);
    expect(conversion).toMatchObject({ events: log.events, arms: log.arms.ids.length, pools: log.pools.count });
    expect(difference(await readLog([path], {}), log)).toBeNull();
  });

  it('leaves no trace of a first try behind', async () => {
    const input = {
      files: [await table('m.parquet', CASES['contexts that repeat at first and do not later'].files[0][1])],
    };
    const once = pathOf('once.parquet');
    await convert({ ...input, mapping: { ...MAPPING, context: ['x'] } }, once);
    const twice = pathOf('twice.parquet');
    const log = await readLog([once], {});
    // What the first was made of, so that both say the same.
    const inputs = log.source.inputs?.[0].from;
    await convert({ ...log, source: { ...log.source, inputs } }, twice);
    expect(statSync(once).size).toBe(statSync(twice).size);
  });

  it('ends with the error of the row that is bad, in a late batch', async () => {
    const path = await table('n.parquet', rows(150_000, "CASE WHEN i = 140000 THEN 'nan' ELSE '1' END::DOUBLE AS x"));
    const error = await fault(convert({ files: [path], mapping: { ...MAPPING, context: ['x'] } }, pathOf('n.packed')));
    expect(error.message).toMatch(/n\.parquet, row 140000, column "x": feature is missing/);
    const text = write('n.csv', `arm,payoff\n${'a,1\n'.repeat(100_000)}b\n`);
    expect((await fault(convert({ files: [text], mapping: MAPPING }, pathOf('n.packed')))).message).toMatch(
      /n\.csv, row 100000 \(line 100002\): too few columns/,
    );
  });

  it('writes row groups of about the same size', async () => {
    const path = pathOf('groups.parquet');
    await convert({ files: [await table('o.parquet', rows(200_000, DISTINCT))], mapping: MAPPING }, path);
    const found = await withPacked(path, async (stream) => [(await stream.read(65_535, 65_537)).events, stream.events]);
    expect(found).toEqual([2, 200_000]);
  });
});
