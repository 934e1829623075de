/** Types of Parquet and Arrow at the edge of what can be read: as they are, or an error that says what to do. */

import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import lz4 from 'lz4js';
import { describe, expect, it } from 'vitest';
import { lz4Frame } from '#dist/formats/arrow/lz4-frame.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import type { Mapping } from '#dist/log/mapping.js';
import { convert } from '#dist/open/convert.js';
import { context, fault, MAPPING, pathOf, payoffs, read, write } from '../../log/files.js';

const sample = (name: string) => join(import.meta.dirname, '../samples', name);
const ofType = (file: string, mapping: Partial<Mapping>) => readLog([file], { mapping: { ...MAPPING, ...mapping } });

/** A Parquet file of arm, payoff and `x`. */
async function parquet(name: string, type: string, values: readonly string[]): Promise<string> {
  const rows = values.map((value, t) => `('a${t % 2}', ${t % 2}, CAST(${value} AS ${type}))`);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `COPY (SELECT * FROM (VALUES ${rows.join(', ')}) t(arm, payoff, x)) TO '${pathOf(name)}' (FORMAT parquet)`,
  );
  connection.closeSync();
  return pathOf(name);
}

const BIG = ['9007199254740992', '9007199254740993', '18446744073709551615'];

describe('identifiers', () => {
  it('of 64 bits stay apart from their neighbours', async () => {
    const columns = { payoff: arrow.vectorFromArray([0, 1, 0], new arrow.Float64()) };
    const x = arrow.vectorFromArray(BIG.map(BigInt), new arrow.Uint64());
    const files = [
      await parquet('u64.parquet', 'UBIGINT', BIG),
      write('u64.arrow', arrow.tableToIPC(new arrow.Table({ ...columns, x }), 'file')),
    ];
    for (const file of files) {
      const log = await readLog([file], { mapping: { ...MAPPING, arm: 'x', keys: ['x'] }, allowLeak: ['x'] });
      expect([log.arms.ids, [...log.arm]]).toEqual([BIG, [0, 1, 2]]);
      expect(log.keys.get('x')?.levels).toEqual(BIG);
    }
    const lists = await parquet('lists-u64.parquet', 'UBIGINT[]', [`[${BIG}]`]);
    expect((await fault(ofType(lists, { candidates: 'x' }))).fault.needed).toContain(`"${BIG[1]}"`);
  });

  it.each([
    ['DOUBLE', ['1', '9007199254740993'], '9007199254740992'],
    ['FLOAT', ['1.5', '16777217'], '16777216'],
  ])('that are floats too large to tell apart are errors: %s', async (type, values, got) => {
    const file = await parquet(`ids-${type}.parquet`, type, values);
    for (const mapping of [{ arm: 'x' }, { keys: ['x'] }, { context: [{ column: 'x', encode: 'onehot' as const }] }]) {
      const { fault: told } = await fault(ofType(file, mapping));
      expect(told).toMatchObject({ file, column: 'x', problem: expect.stringMatching(/tell neighbours apart/) });
      expect(Number(told.got?.split(',')[0])).toBe(Number(got));
    }
    const lists = await parquet(`lists-${type}.parquet`, `${type}[]`, [`[${values}]`]);
    expect((await fault(ofType(lists, { candidates: 'x' }))).message).toMatch(/tell neighbours apart/);
    // As numbers they are what they are; smaller ones are identifiers.
    expect(context(await ofType(file, { context: ['x'] }), 1)).toEqual([Number(got)]);
    const small = await parquet(`small-${type}.parquet`, type, ['1', '16777215', '0.5']);
    expect((await ofType(small, { arm: 'x' })).arms.ids).toEqual(['0.5', '1', '16777215']);
  });
});

/** How a column may be an identifier. */
const IDENTIFIERS: Partial<Mapping>[] = [
  { arm: 'x' },
  { keys: ['x'] },
  { user: 'x' },
  { eventId: 'x' },
  { candidates: 'x' },
  { context: [{ column: 'x', encode: 'onehot' }] },
];

describe('HUGEINT as DuckDB writes it, a DOUBLE,', () => {
  const NEIGHBOURS = ['9007199254740993', '9007199254740992'];

  it('is no identifier where neighbours have become one, whatever the role', async () => {
    const file = await parquet('hugeint.parquet', 'HUGEINT', NEIGHBOURS);
    for (const mapping of IDENTIFIERS) {
      for (const dropRepeatedEvents of mapping.eventId === undefined ? [false] : [false, true]) {
        const reading = readLog([file], { mapping: { ...MAPPING, ...mapping }, dropRepeatedEvents });
        expect((await fault(reading)).fault).toMatchObject({
          file,
          column: 'x',
          problem: 'identifiers are floats too large to tell neighbours apart',
          got: '9007199254740992.0, as DOUBLE',
        });
      }
    }
  });

  it('is an identifier or a number where it is small', async () => {
    const file = await parquet('small-hugeint.parquet', 'HUGEINT', ['-3', '9007199254740991']);
    expect((await ofType(file, { arm: 'x' })).arms.ids).toEqual(['-3', '9007199254740991']);
    expect((await ofType(file, { keys: ['x'] })).keys.get('x')?.levels).toEqual(['-3', '9007199254740991']);
    expect((await ofType(file, { eventId: 'x' })).events).toBe(2);
    expect([...(await ofType(file, { context: ['x'] })).contexts.values]).toEqual([-3, 9007199254740991]);
    const times = await parquet('time-hugeint.parquet', 'HUGEINT', ['1577836800000', '1577836800001']);
    expect([...((await ofType(times, { time: 'x' })).time ?? [])]).toEqual([1577836800000, 1577836800001]);
    expect((await fault(ofType(file, { time: 'x' }))).fault.problem).toMatch(/unit of a numeric time/);
    const paid = await parquet('payoff-hugeint.parquet', 'HUGEINT', ['-3', '4']);
    expect(payoffs(await ofType(paid, { payoff: 'x' }))).toEqual([-3, 4]);
  });

  it('is 38 digits exactly where a writer made decimals of it', async () => {
    const ids = [`${'1'.repeat(37)}1`, `${'1'.repeat(37)}2`];
    const file = await parquet('decimal-38.parquet', 'DECIMAL(38,0)', ids);
    expect((await ofType(file, { arm: 'x' })).arms.ids).toEqual(ids);
    expect((await ofType(file, { keys: ['x'] })).keys.get('x')?.levels).toEqual(ids);
    expect((await ofType(file, { eventId: 'x' })).source.warnings).toBeUndefined();
  });
});

describe('ENUM as DuckDB writes it', () => {
  it('is the text of its values, those that no row has left out', async () => {
    const file = await parquet('enum.parquet', "ENUM('z', 'b', '10', '9')", ["'b'", "'10'", "'b'", "'9'"]);
    expect((await ofType(file, { arm: 'x' })).arms.ids).toEqual(['10', '9', 'b']);
    expect((await ofType(file, { keys: ['x'] })).keys.get('x')?.levels).toEqual(['10', '9', 'b']);
    expect((await ofType(file, { context: [{ column: 'x', encode: 'onehot' }] })).contexts.columns).toEqual([
      'x=10',
      'x=9',
      'x=b',
    ]);
    for (const role of ['payoff', 'context', 'time'] as const)
      expect((await fault(ofType(file, { [role]: role === 'context' ? ['x'] : 'x' }))).fault).toMatchObject({
        row: 0,
        column: 'x',
        got: '"b"',
      });
  });

  it('is a number where its values are', async () => {
    const file = await parquet('enum-numbers.parquet', "ENUM('1', '0.5', '0')", ["'0'", "'0.5'", "'1'"]);
    expect(payoffs(await ofType(file, { payoff: 'x' }))).toEqual([0, 0.5, 1]);
    expect([...(await ofType(file, { context: ['x'] })).contexts.values]).toEqual([0, 0.5, 1]);
  });
});

describe('times and dates as identifiers', () => {
  const columns = {
    arm: arrow.vectorFromArray([0, 1, 0], new arrow.Int32()),
    payoff: arrow.vectorFromArray([0, 1, 0], new arrow.Float64()),
  };
  const roles: [Partial<Mapping>, (log: EventLog) => readonly string[]][] = [
    [{ keys: ['x'] }, ({ keys }) => keys.get('x')?.levels ?? []],
    [{ arm: 'x' }, ({ arms }) => arms.ids],
    [{ user: 'x' }, ({ user }) => user?.levels ?? []],
    [{ context: { onehot: ['x'] } }, ({ contexts }) => contexts.columns.map((name) => name.slice('x='.length))],
  ];
  const same = async (texts: readonly string[], parquets: readonly string[], arrows: readonly arrow.Data[]) => {
    const csv = write(
      'stamps.csv',
      `arm,payoff,x\n${texts.map((text, i) => `${i % 2},${i % 2},${text}`).join('\n')}\n`,
    );
    const files = [csv];
    for (const type of parquets)
      files.push(
        await parquet(
          `stamps-${files.length}.parquet`,
          type,
          texts.map((text) => (type === 'TIMESTAMPTZ' ? `'${text}+00'` : `'${text}'`)),
        ),
      );
    for (const data of arrows)
      files.push(
        write(
          `stamps-${files.length}.arrow`,
          arrow.tableToIPC(new arrow.Table({ ...columns, x: arrow.makeVector(data) }), 'file'),
        ),
      );
    for (const file of files)
      for (const [mapping, levels] of roles) expect([file, levels(await ofType(file, mapping))]).toEqual([file, texts]);
  };

  it('have one spelling per instant in text, Parquet and Arrow, of any unit and zone', async () => {
    const texts = ['1969-12-31 23:59:59.5', '2020-01-01 00:00:00', '2020-01-01 01:02:03'];
    const millis = texts.map((text) => BigInt(Date.parse(`${text.replace(' ', 'T')}Z`)));
    const units = [
      [arrow.TimeUnit.MILLISECOND, 1n],
      [arrow.TimeUnit.MICROSECOND, 1000n],
      [arrow.TimeUnit.NANOSECOND, 1_000_000n],
    ] as const;
    const stamps = units.flatMap(([unit, times]) =>
      [undefined, 'UTC', 'Europe/Paris'].map((zone) =>
        arrow.makeData({
          type: new arrow.Timestamp(unit, zone),
          data: BigInt64Array.from(millis, (value) => value * times),
        }),
      ),
    );
    const dates = arrow.makeData({ type: new arrow.DateMillisecond(), data: BigInt64Array.from(millis) });
    const halves = ['1969-12-31 23:59:59.5', '2020-01-01', '2020-01-01 01:02:03'];
    await same(texts, ['TIMESTAMP', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMPTZ'], stamps);
    // A date in milliseconds that is no whole day is still told from others.
    await same(halves, [], [dates]);
    const whole = texts.map((text) => text.replace('.5', ''));
    const seconds = BigInt64Array.from(whole, (text) => BigInt(Date.parse(`${text.replace(' ', 'T')}Z`)) / 1000n);
    await same(whole, ['TIMESTAMP_S'], [arrow.makeData({ type: new arrow.TimestampSecond(), data: seconds })]);
  });

  it('have one spelling per day', async () => {
    const texts = ['1969-12-31', '2020-01-01', '2020-01-02'];
    const days = Int32Array.from(texts, (text) => Date.parse(`${text}T00:00:00Z`) / 86_400_000);
    await same(
      texts,
      ['DATE'],
      [
        arrow.makeData({ type: new arrow.DateDay(), data: days }),
        arrow.makeData({
          type: new arrow.DateMillisecond(),
          data: BigInt64Array.from(days, (day) => BigInt(day) * 86_400_000n),
        }),
      ],
    );
  });
});

describe('times in nanoseconds', () => {
  const START = 1577836800000n;
  /** Three within a microsecond of each other, and one after it. */
  const NANOS = [1n, 2n, 999n, 1001n].map((rest) => START * 1_000_000n + rest);
  const TEXTS = ['000000001', '000000002', '000000999', '000001001'].map((part) => `2020-01-01 00:00:00.${part}`);
  const MILLIS = [0, 0, 0, 0.001].map((rest) => Number(START) + rest);
  // As pyarrow writes timestamp[ns, UTC], and for Spark.
  const COARSE: [string, string][] = [
    ['ns-utc.parquet', 'TIMESTAMP in nanoseconds with a time zone'],
    ['ns-int96.parquet', 'INT96 (a timestamp in nanoseconds)'],
  ];

  it.each(COARSE)('that are read in microseconds are no identifiers: %s', async (name, got) => {
    for (const column of ['x', 's.x'])
      for (const mapping of IDENTIFIERS) {
        const named = JSON.parse(JSON.stringify(mapping).replaceAll('"x"', `"${column}"`)) as Partial<Mapping>;
        const { fault: told } = await fault(ofType(sample(name), named));
        expect(told).toMatchObject({ column, problem: expect.stringMatching(/finer than they can be read/), got });
      }
    expect((await fault(ofType(sample(name), { candidates: 'l' }))).fault).toMatchObject({ column: 'l', got });
  });

  it.each(COARSE)('are times to the microsecond: %s', async (name) => {
    for (const time of ['x', 's.x']) {
      const log = await ofType(sample(name), { time });
      expect([[...(log.time ?? [])], log.source.warnings]).toEqual([MILLIS, undefined]);
    }
    for (const role of ['payoff', 'propensity'])
      expect((await fault(ofType(sample(name), { [role]: 'x' }))).fault.problem).toBe('the column has the wrong type');
    expect((await fault(ofType(sample(name), { context: ['x'] }))).fault.problem).toBe('the column has the wrong type');
    expect((await fault(ofType(sample(name), { time: 'l' }))).fault.problem).toBe('the column has the wrong type');
  });

  it.each(COARSE)('that a filter compares are warned of: %s', async (name, got) => {
    const log = await readLog([sample(name)], { mapping: { ...MAPPING }, where: "X >= TIMESTAMP '2020-01-01'" });
    expect(log.source.warnings).toEqual([expect.stringMatching(/sees column "x" to the microsecond/)]);
    expect(log.source.warnings?.[0]).toContain(got);
    const other = await readLog([sample(name)], { mapping: { ...MAPPING }, where: 'payoff >= 0' });
    expect(other.source.warnings).toBeUndefined();
  });

  it('stay apart where they are read as they are: without a zone, and in Arrow', async () => {
    const values = NANOS.map(String);
    const data = BigInt64Array.from(NANOS);
    const x = (zone?: string) =>
      arrow.makeVector(arrow.makeData({ type: new arrow.Timestamp(arrow.TimeUnit.NANOSECOND, zone), data }));
    const columns = {
      arm: arrow.vectorFromArray([0, 1, 0, 1], new arrow.Int32()),
      payoff: arrow.vectorFromArray([0, 1, 0, 1], new arrow.Float64()),
    };
    const files = [
      await parquet(
        'ns.parquet',
        'TIMESTAMP_NS',
        values.map((value) => `make_timestamp_ns(${value})`),
      ),
      ...[undefined, 'UTC', 'Europe/Paris'].map((zone) =>
        write(`ns-${zone?.slice(-5)}.arrow`, arrow.tableToIPC(new arrow.Table({ ...columns, x: x(zone) }), 'file')),
      ),
    ];
    for (const file of files) {
      expect((await ofType(file, { arm: 'x' })).arms.ids).toEqual(TEXTS);
      expect((await ofType(file, { keys: ['x'] })).keys.get('x')?.levels).toEqual(TEXTS);
      expect((await ofType(file, { eventId: 'x' })).source.warnings).toBeUndefined();
      expect([...((await ofType(file, { time: 'x' })).time ?? [])]).toEqual(MILLIS);
      expect((await fault(ofType(file, { context: ['x'] }))).fault.problem).toBe('the column has the wrong type');
    }
  });
});

describe('Parquet', () => {
  it('has intervals, which are no identifiers: a month and 30 days are equal', async () => {
    const file = await parquet('intervals.parquet', 'INTERVAL', ["'1 month'", "'30 days'"]);
    for (const mapping of IDENTIFIERS)
      expect((await fault(ofType(file, mapping))).fault).toMatchObject({ column: 'x', got: 'INTERVAL' });
  });

  it('has times of 96 bits', async () => {
    const log = await readLog([sample('int96.parquet')], { mapping: { arm: 'arm', payoff: 'r', time: 'x' } });
    expect([...(log.time ?? [])].map((time) => Math.floor(time))).toEqual(
      [1, 2, 3, 4].map((day) => Date.UTC(2026, 0, day, 12, 30, 15, 123)),
    );
  });

  it('has decimals in lists, which are no numbers themselves', async () => {
    const file = await parquet('decimals.parquet', 'DECIMAL(10,2)[]', ['[1.5, 2.25]', '[-3, 0.1]']);
    expect([...(await ofType(file, { context: ['x'] })).contexts.values]).toEqual([1.5, 2.25, -3, 0.1]);
    for (const role of ['payoff', 'propensity', 'time'])
      expect((await fault(ofType(file, { [role]: 'x' }))).fault).toMatchObject({
        column: 'x',
        problem: 'the column has the wrong type',
        got: 'DECIMAL(10,2)[]',
      });
  });
});

describe('Arrow', () => {
  it('has types that cannot be read, by name', async () => {
    const error = await fault(readLog([sample('run-end-encoded.arrow')], { mapping: { arm: 'arm', payoff: 'r' } }));
    expect(error.fault).toMatchObject({
      problem: expect.stringMatching(/type that cannot be read/),
      got: 'RunEndEncoded',
    });
    expect(error.fault.hint).toMatch(/Parquet/);
  });

  /** A file packed with LZ4 whose buffers say that they unpack to so many bytes. */
  function packed(said: (size: number) => bigint): Uint8Array {
    const { CompressionType, compressionRegistry } = arrow;
    const before = compressionRegistry.get(CompressionType.LZ4_FRAME);
    compressionRegistry.set(CompressionType.LZ4_FRAME, { ...before, encode: (bytes) => lz4.compress(bytes) });
    const values = Array.from({ length: 4000 }, (_, t) => t % 2);
    const table = new arrow.Table({
      arm: arrow.vectorFromArray(values, new arrow.Int32()),
      payoff: arrow.vectorFromArray(values, new arrow.Float64()),
    });
    const writer = new arrow.RecordBatchFileWriter({ compressionType: CompressionType.LZ4_FRAME });
    const bytes = Buffer.from(writer.writeAll(table).toUint8Array(true));
    const magic = Buffer.from([0x04, 0x22, 0x4d, 0x18]);
    for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 4)) {
      const size = Number(bytes.readBigInt64LE(at - 8));
      bytes.writeBigInt64LE(said(size), at - 8);
    }
    return bytes;
  }

  it('is refused before it is unpacked where a batch does not fit the memory', async () => {
    expect(
      (
        await read(
          'said.arrow',
          packed((size) => BigInt(size)),
        )
      ).events,
    ).toBe(4000);
    const huge = (
      await fault(
        read(
          'huge.arrow',
          packed(() => 2n ** 50n),
        ),
      )
    ).fault;
    expect(huge).toMatchObject({ problem: 'a record batch is too large for the memory' });
    expect(huge.got).toMatch(/bytes unpacked, in the message at byte \d+$/);
    expect(huge.hint).toMatch(/smaller batches/);
    // More than --memory has, and not more than the machine: 80 MB of 512 MB.
    const file = write(
      'large.arrow',
      packed((size) => BigInt(size) + 80_000_000n),
    );
    const packing = convert({ files: [file], mapping: { ...MAPPING } }, pathOf('large.hindcast'), { memory: 512e6 });
    expect((await fault(packing)).fault.problem).toBe('a record batch is too large for the memory');
  });

  it('is refused where a buffer unpacks to more than it may', () => {
    const frame = lz4.compress(Buffer.alloc(5_000_000, 'a'));
    expect(() => lz4Frame(frame, () => 0, 100_000)).toThrow(/more than the 100000 bytes/);
  });
});

describe('lists', () => {
  it('are not filled in, with or without a word: the error says what to do', async () => {
    const rows = (last: string) => `{"arm":"a","payoff":1,"emb":[1,2]}\n{"arm":"b","payoff":0${last}}\n`;
    for (const last of ['', ',"emb":[3]', ',"emb":[null,2]', ',"emb":null']) {
      for (const impute of [undefined, { emb: 'mean' as const }]) {
        const mapping = { ...MAPPING, context: ['emb'] };
        const { fault: told } = await fault(read('lists-missing.jsonl', rows(last), { mapping, impute }));
        expect(told).toMatchObject({
          row: 1,
          column: 'emb',
          hint: expect.stringMatching(/--impute fills numbers in, not lists/),
        });
      }
    }
    const nan = await parquet('nan.parquet', 'DOUBLE[]', ["[1, 'nan'::DOUBLE]", "['nan'::DOUBLE, 2]", '[3, 4]']);
    const filled = readLog([nan], { mapping: { ...MAPPING, context: ['x'] }, impute: { x: 'mean' } });
    expect((await fault(filled)).fault).toMatchObject({
      row: 0,
      column: 'x',
      hint: expect.stringMatching(/not lists/),
    });
  });
});
