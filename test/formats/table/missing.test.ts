/** Missing values: errors with a next step, or filled in where the caller says with what; alike in all formats. */

import { open } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import type { FormatName } from '#dist/formats/index.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { evaluate, inspect } from '#dist/index.js';
import type { EventLog, MissingValues } from '#dist/log/event-log.js';
import type { ReadOptions as AnyOptions } from '#dist/log/read-options.js';
import { convertTo } from '#dist/open/convert.js';
import { armIds, context, fault, pathOf, payoffs, write } from '../../log/files.js';

/** With a format that there is. */
type ReadOptions = AnyOptions & { readonly format?: FormatName };

const MAPPING = {
  arm: 'arm',
  payoff: 'payoff',
  context: { onehot: ['dev'], numeric: ['x', 'y'] },
  keys: ['dev', 'page'],
};

interface Row {
  arm: string;
  payoff: number | null;
  dev: string | null;
  x: number | null;
  y: number | null;
  page: number | null;
}

/** Rows that miss what `missing` says at each. */
function rows(count: number): Row[] {
  return Array.from({ length: count }, (_, t) => ({
    arm: 'abc'[(Math.imul(t + 1, 0x9e3779b1) >>> 9) % 3],
    payoff: t % 4 === 3 ? null : t % 2,
    dev: t % 5 === 2 ? null : ['tv', 'pc'][t % 2],
    x: t % 6 === 1 ? null : (t % 11) / 10,
    y: t % 9 === 4 ? null : t % 3,
    page: t % 7 === 6 ? null : t % 12,
  }));
}

const NAMES = ['arm', 'payoff', 'dev', 'x', 'y', 'page'] as const;

function csv(all: readonly Row[], none = ''): string {
  return `${[NAMES.join(','), ...all.map((row) => NAMES.map((name) => row[name] ?? (name === 'dev' || name === 'page' ? '' : none)).join(','))].join('\n')}\n`;
}

async function parquet(name: string, all: readonly Row[], none: string): Promise<string> {
  const path = pathOf(name);
  const source = write(`${name}.csv`, csv(all, none));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const types = "{arm: 'VARCHAR', payoff: 'DOUBLE', dev: 'VARCHAR', x: 'DOUBLE', y: 'FLOAT', page: 'INTEGER'}";
  await connection.run(`COPY (SELECT * FROM read_csv('${source}', columns = ${types})) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

function ipc(all: readonly Row[]): Uint8Array {
  const of = (name: keyof Row, type: arrow.DataType) =>
    arrow.vectorFromArray(all.map((row) => row[name]) as unknown[], type);
  const table = new arrow.Table({
    arm: of('arm', new arrow.Utf8()),
    payoff: of('payoff', new arrow.Float64()),
    dev: of('dev', new arrow.Utf8()),
    x: of('x', new arrow.Float64()),
    y: of('y', new arrow.Float32()),
    page: of('page', new arrow.Int32()),
  });
  return arrow.tableToIPC(table, 'file');
}

function content(log: EventLog): unknown {
  return {
    arm: armIds(log),
    payoffs: payoffs(log),
    columns: log.contexts.columns,
    contexts: Array.from({ length: log.events }, (_, t) => context(log, t)),
    keys: [...log.keys].map(([name, { levels, code }]) => [name, Array.from(code, (c) => levels[c])]),
  };
}

const counts = (log: EventLog) =>
  (log.source.missing ?? []).map(({ column, rows: n, filled, with: what }: MissingValues) => [column, n, filled, what]);

async function inBatches(files: readonly string[], name: string, options: ReadOptions): Promise<EventLog> {
  const path = pathOf(name);
  const out = await open(path, 'w+');
  try {
    await convertTo({ files: [...files], ...options }, out, { memory: 400e6 });
  } finally {
    await out.close();
  }
  return readLog([path], {});
}

/** The mean of what is there, in exact decimals of one digit. */
const mean = (all: readonly Row[], name: 'x' | 'y'): number => {
  const there = all.flatMap((row) => row[name] ?? []);
  return there.reduce((sum, value) => sum + Math.round(value * 10), 0) / 10 / there.length;
};

describe('missing values that are filled in', () => {
  const all = rows(5000);
  const options: ReadOptions = {
    mapping: MAPPING,
    missingPayoff: 0.5,
    missingLevel: true,
    impute: { x: 'mean', y: 'zero' },
  };
  const filled: Row[] = all.map((row) => ({
    ...row,
    payoff: row.payoff ?? 0.5,
    dev: row.dev ?? '(missing)',
    x: row.x ?? mean(all, 'x'),
    y: row.y ?? 0,
  }));
  const lines = (row: Row) =>
    JSON.stringify(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
  const files: [string, () => Promise<string> | string][] = [
    ['CSV', () => write('m.csv', csv(all))],
    ['CSV with NaN', () => write('nan.csv', csv(all, 'NaN'))],
    ['CSV of R', () => write('na.csv', csv(all, 'NA'))],
    ['TSV', () => write('m.tsv', csv(all).replaceAll(',', '\t'))],
    ['JSON lines with null', () => write('null.jsonl', all.map((row) => `${JSON.stringify(row)}\n`).join(''))],
    ['JSON lines without the key', () => write('no.jsonl', all.map((row) => `${lines(row)}\n`).join(''))],
    [
      'JSON lines with empty texts',
      () => write('empty.jsonl', all.map((row) => `${JSON.stringify(row, (_, value) => value ?? '')}\n`).join('')),
    ],
    ['Parquet', () => parquet('m.parquet', all, '')],
    ['Parquet with NaN', () => parquet('nan.parquet', all, 'nan')],
    ['Arrow', () => write('m.arrow', ipc(all))],
  ];

  it.each(files)('are the same log: %s', async (name, make) => {
    const log = await readLog([await make()], options);
    const want = csv(filled).replaceAll(/,(?=\n)/g, ',(missing)');
    const expected = await readLog([write('filled.csv', want)], { mapping: MAPPING });
    expect(content(log)).toEqual(content(expected));
    expect(counts(log).sort()).toEqual([
      ['dev', 1000, 1000, { level: '(missing)' }],
      ['page', 714, 714, { level: '(missing)' }],
      ['payoff', 1250, 1250, { value: 0.5 }],
      ['x', 834, 834, { value: mean(all, 'x'), isMean: true }],
      ['y', 556, 556, { value: 0 }],
    ]);
    const packed = await inBatches(log.source.files, `${name.replaceAll(' ', '-')}.hind`, options);
    expect(content(packed)).toEqual(content(log));
    expect([packed.source.missing, packed.source.warnings]).toEqual([log.source.missing, log.source.warnings]);
  });

  it('are told of in the warnings, with the first row', async () => {
    const log = await readLog([write('w.csv', csv(all))], options);
    const [payoff, rest] = log.source.warnings ?? [];
    expect(payoff).toMatch(/^1,250 of 5,000 payoffs are missing \(the first: .*w\.csv, row 3\) and count as 0\.5 /);
    expect(rest).toMatch(/"dev" at 1,000 of 5,000 events \(the first: .*row 2\) with the level "\(missing\)"; /);
    expect(rest).toMatch(/"x" at 834 of 5,000 events \(the first: .*row 1\) with the mean of the others, 0\.4995/);
    expect(rest).toMatch(/; and 1 more column;/);
  });

  it('have the mean of the rows that are kept: by the filter, and after bad rows are dropped', async () => {
    const bad = all.map((row, t) => (t % 10 === 3 ? { ...row, y: 'oops' as unknown as number, x: 1e9 } : row));
    const file = write('kept.csv', csv(bad));
    const where = "arm <> 'b'";
    const log = await readLog([file], { ...options, where, skipBadRows: true });
    const kept = all.filter((row, t) => t % 10 !== 3 && row.arm !== 'b');
    const found = log.source.missing?.find(({ column }) => column === 'x');
    expect(log.events).toBe(kept.length);
    expect(found?.with).toEqual({ value: mean(kept, 'x'), isMean: true });
    expect(found?.filled).toBe(kept.filter(({ x }) => x === null).length);
    expect(content(await inBatches([file], 'kept.hind', { ...options, where, skipBadRows: true }))).toEqual(
      content(log),
    );
  });

  it('have the mean over all files, and leave no trace where nothing is missing', async () => {
    const two = [write('1.csv', csv(all.slice(0, 3000))), write('2.csv', csv(all.slice(3000)))];
    expect(content(await readLog(two, options))).toEqual(content(await readLog([write('12.csv', csv(all))], options)));
    const whole = write('whole.csv', csv(all.map((row) => ({ ...row, payoff: 1, dev: 'tv', x: 1, y: 2, page: 3 }))));
    const log = await readLog([whole], options);
    expect([log.source.missing, log.source.warnings, log.contexts.columns]).toEqual([
      undefined,
      undefined,
      ['dev=tv', 'x', 'y'],
    ]);
  });

  it('are levels also where the filter or bad rows leave none, as other levels are, and where nothing else is', async () => {
    const file = write('levels.csv', csv(all));
    expect((await readLog([file], { ...options, where: 'dev IS NOT NULL' })).contexts.columns[0]).toBe('dev=(missing)');
    const dropped = write(
      'lost.csv',
      csv(all.map((row) => (row.dev === null ? { ...row, x: 'oops' as unknown as number } : row))),
    );
    const left = await readLog([dropped], { ...options, skipBadRows: true });
    expect(left.contexts.columns).toEqual(['dev=pc', 'dev=tv', 'x', 'y']);
    const none = await readLog([write('none.csv', csv(all.map((row) => ({ ...row, dev: null }))))], options);
    expect(none.contexts.columns).toEqual(['dev=(missing)', 'x', 'y']);
  });

  it('may be said in the mapping, which options override, and by patterns', async () => {
    const file = write('mapping.csv', csv(all));
    const { mapping: _, impute: __, ...rest } = options;
    const inMapping = { ...MAPPING, missingPayoff: 0, missingLevel: true, impute: { '*': 'zero', x: 'mean' } } as const;
    const log = await readLog([file], { mapping: inMapping, missingPayoff: 0.5 });
    expect(content(log)).toEqual(content(await readLog([file], options)));
    const over = await readLog([file], { ...rest, mapping: inMapping, impute: { x: 'zero' } });
    expect(counts(over).find(([name]) => name === 'x')?.[3]).toEqual({ value: 0 });
  });
});

describe('what cannot be filled in', () => {
  const all = rows(40);
  const file = write('errors.csv', csv(all));
  const message = async (options: ReadOptions) =>
    (await fault(readLog([file], { mapping: MAPPING, ...options }))).message;

  it('is an error that says how many there are, and names the option', async () => {
    expect(await message({})).toMatch(
      /row 1 .*"x": feature is missing\n {2}got: {4}nothing; missing in 7 of 40 rows of the file\n.*\n {2}try: {4}--impute x=mean/,
    );
    expect(await message({ impute: { x: 'mean' } })).toMatch(
      /row 2 .*"dev": feature is missing\n.*8 of 40.*\n.*\n.*--missing-level/,
    );
    expect(await message({ impute: { x: 'mean' }, missingLevel: true })).toMatch(
      /row 3 .*"payoff": payoff is missing\n.*10 of 40.*\n.*\n.*--missing-payoff 0/,
    );
    const dropped = await readLog([file], { mapping: MAPPING, skipBadRows: true });
    expect(counts(dropped)).toContainEqual(['x', 7, 0, null]);
    expect(dropped.source.warnings?.[0]).toMatch(/--missing-payoff 0/);
  });

  it('is a text that is no number, an infinity, an arm, a user', async () => {
    const one = (row: string) => write('one.csv', `arm,payoff,dev,x,y,page\na,0,tv,1,1,1\n${row}\n`);
    const options: ReadOptions = {
      mapping: { ...MAPPING, user: 'page', keys: [] },
      missingPayoff: 0,
      missingLevel: true,
      impute: { '*': 'mean' },
    };
    for (const [row, needed] of [
      ['a,x,tv,1,1,1', /payoff is not a number/],
      ['a,1,tv,-,1,1', /feature is not a number\n {2}got: {4}"-"/],
      ['a,1,tv,inf,1,1', /feature is not finite/],
      [',1,tv,1,1,1', /arm is missing/],
      ['a,1,tv,1,1,', /user is missing/],
    ] as const)
      expect((await fault(readLog([one(row)], options))).message).toMatch(needed);
  });

  it('is a column without any value, whose mean is of nothing', async () => {
    const none = write(
      'nothing.csv',
      csv(all.map((row) => ({ ...row, x: null, payoff: 1, y: 1, dev: 'tv', page: 1 }))),
    );
    const options = { mapping: MAPPING, impute: { x: 'mean' } } as const;
    expect((await fault(readLog([none], options))).message).toMatch(
      /"x": there is no value to take the mean of\n.*\n.*\n.*--impute x=zero/,
    );
    // Of no rows nothing is filled in.
    expect((await readLog([none], { ...options, where: 'false' })).events).toBe(0);
    const large = write(
      'large.csv',
      csv(all.map((row) => ({ ...row, x: row.x && 1e308, payoff: 1, y: 1, dev: 'tv', page: 1 }))),
    );
    expect((await fault(readLog([large], options))).message).toMatch(/the mean is too large to compute/);
  });

  it('is a level that is there, too', async () => {
    const clash = write('clash.csv', csv(all.map((row, t) => ({ ...row, dev: t === 9 ? '(missing)' : row.dev }))));
    const options = { mapping: { arm: 'arm', payoff: 'payoff', keys: ['dev'] }, missingPayoff: 0, missingLevel: true };
    expect((await fault(readLog([clash], options))).message).toMatch(
      /\(missing\), is a value of the column as well\n.*7 rows|8 rows/,
    );
    const real = write('real.csv', csv(all.map((row) => ({ ...row, dev: row.dev ?? '(missing)' }))));
    const log = await readLog([real], options);
    expect([log.keys.get('dev')?.levels, counts(log).map(([name]) => name)]).toEqual([
      ['(missing)', 'pc', 'tv'],
      ['payoff'],
    ]);
  });

  it.each([
    [{ impute: { dev: 'mean' } }, /"dev".*\n.*a one-hot column or a key\n.*\n.*--missing-level/],
    [{ impute: { payoff: 'zero' } }, /"payoff".*\n.*the payoff\n.*\n.*--missing-payoff/],
    [{ impute: { xx: 'zero' } }, /"xx".*\n.*\n.*\n.*did you mean "x"/],
    [{ impute: { x: 'median' } }, /got: {4}median\n.*mean, zero/],
    [{ missingPayoff: 2, payoffRange: [0, 1] }, /count as this\n.*2\n.*0 to 1/],
    [{ missingPayoff: Number.NaN }, /count as this/],
  ] as [ReadOptions, RegExp][])('is what the options do not fit: %j', async (options, needed) => {
    expect(await message(options)).toMatch(needed);
  });

  it('are options of formats without columns, and of packed logs', async () => {
    const vw = write('log.vw', '1:0:0.5 | a\n2:1:0.5 | b\n');
    await inBatches([file], 'p.hind', { mapping: { arm: 'arm', payoff: 'payoff' }, missingPayoff: 0 });
    for (const option of [{ missingPayoff: 0 }, { missingLevel: true }, { impute: { x: 'mean' } }] as ReadOptions[]) {
      expect((await fault(readLog([vw], option))).message).toMatch(/option \w+ does not go with the format vw/);
      expect((await fault(readLog([pathOf('p.hind')], option))).message).toMatch(
        /does not go with the format packed\n(.*\n)*.*hindcast convert/,
      );
    }
  });

  it('are packed logs whose means are their own', async () => {
    const mapping = { arm: 'arm', payoff: 'payoff', context: ['x'] };
    await inBatches([file], 'q1.hind', { mapping, missingPayoff: 0, impute: { x: 'mean' } });
    await inBatches([file], 'q2.hind', { mapping, missingPayoff: 0, impute: { x: 'zero' } });
    await inBatches([file], 'q3.hind', { mapping, missingPayoff: 1, impute: { x: 'zero' } });
    const [q1, q2, q3] = ['q1.hind', 'q2.hind', 'q3.hind'].map(pathOf);
    expect((await fault(readLog([q1, q2], {}))).message).toMatch(
      /"x": missing values have the mean of this file alone/,
    );
    expect((await fault(readLog([q2, q3], {}))).message).toMatch(
      /"payoff": missing values were filled in with something else/,
    );
    expect(counts(await readLog([q2, q2], {}))).toContainEqual(['x', 14, 14, { value: 0 }]);
  });
});

it('says what was filled in in results and inspections, whatever the memory', async () => {
  const log = {
    files: [write('result.csv', csv(rows(3000)))],
    mapping: { arm: 'arm', payoff: 'payoff', context: ['x'] },
    missingPayoff: 0,
    impute: { x: 'mean' as const },
  };
  const policies = [{ family: 'constant' as const }];
  const [whole, batches] = [await evaluate({ log, policies }), await evaluate({ log, policies, memory: '400MB' })];
  expect(whole.warnings).toHaveLength(2);
  expect([batches.warnings, batches.policies]).toEqual([whole.warnings, whole.policies]);
  const { missing, warnings } = await inspect(log);
  expect([missing.map(({ column }) => column), warnings]).toEqual([['payoff', 'x'], whole.warnings]);
});
