/** Times: what a number stands for is known or asked for, and a date that there is none of is an error. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#dist/files/duckdb.js';
import { timeOf } from '#dist/formats/dsjson/time.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { isoTime, millisecondsOf, type TimeUnit } from '#dist/log/build/time-units.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { convert } from '#dist/open/convert.js';

const folder = mkdtempSync(join(tmpdir(), 'hindcast-times-'));
const file = (name: string): string => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

const MARCH = Date.UTC(2020, 2, 1);

function csv(times: readonly (string | number)[]): string {
  writeFileSync(file('log.csv'), `arm,payoff,t\n${times.map((t, i) => `${i % 2},${i % 2},"${t}"`).join('\n')}\n`);
  return file('log.csv');
}
function jsonl(times: readonly (string | number)[]): string {
  writeFileSync(file('log.jsonl'), times.map((t, i) => `${JSON.stringify({ arm: i % 2, payoff: 0, t })}\n`).join(''));
  return file('log.jsonl');
}
async function parquet(type: string, times: readonly string[]): Promise<string> {
  const database = await openDatabase(folder);
  try {
    const rows = times.map((t) => `('a', 1, ${t}::${type})`).join(', ');
    await database.run(
      `COPY (SELECT * FROM (VALUES ${rows}) AS log(arm, payoff, t)) TO '${file('log.parquet')}' (FORMAT parquet)`,
    );
  } finally {
    database.close();
  }
  return file('log.parquet');
}
const read = (path: string, unit?: TimeUnit, more = {}) =>
  readLog([path], {
    mapping: { arm: 'arm', payoff: 'payoff', time: unit === undefined ? 't' : { column: 't', unit } },
    ...more,
  });
const times = async (...args: Parameters<typeof read>) => Array.from((await read(...args)).time ?? []);

describe('a numeric time without a unit', () => {
  const WRONG: [string, number, RegExp][] = [
    ['seconds', 1583020800, /--time-unit s .*2020-03-01T00:00:00\.000Z/],
    ['seconds with a fraction', 1583020800.25, /--time-unit s .*2020-03-01T00:00:00\.250Z/],
    ['microseconds', MARCH * 1e3, /--time-unit us .*2020-03-01T00:00:00\.000Z/],
    ['nanoseconds', MARCH * 1e6, /--time-unit ns .*2020-03-01T00:00:00\.000Z/],
    ['a day', 20200301, /--time-unit yyyymmdd .*2020-03-01T00:00:00\.000Z/],
    ['a minute', 202003011530, /--time-unit yyyymmdd .*2020-03-01T15:30:00\.000Z/],
    ['a second', 20200301153000, /--time-unit yyyymmdd .*2020-03-01T15:30:00\.000Z/],
    ['a counter', 0, /--time-unit ms .*takes it as it is/],
    ['days', 18322, /--time-unit ms .*takes it as it is/],
    ['a year', 2020, /--time-unit ms .*takes it as it is/],
    ['a negative one', -1, /--time-unit ms .*takes it as it is/],
  ];
  it.each(WRONG)('is refused with what to do: %s', async (_, value, hint) => {
    for (const path of [csv([value, value + 1]), jsonl([value, value + 1])])
      for (const more of [{}, { skipBadRows: true }])
        await expect(read(path, undefined, more)).rejects.toMatchObject({
          fault: {
            file: path,
            row: 0,
            column: 't',
            problem: 'the unit of a numeric time is not clear',
            hint: expect.stringMatching(hint),
          },
        });
    const columns = { arm: [0, 1], payoff: [0, 1], time: [value, value + 1] };
    expect(() => logFromColumns(columns)).toThrow(/row 0, column "time": the unit of a numeric time is not clear/);
  });

  it('is refused in columns of numbers, and while a log is converted', async () => {
    for (const type of ['INTEGER', 'BIGINT', 'DOUBLE', 'DECIMAL(18,3)']) {
      const path = await parquet(type, ['1583020800', '1583020801']);
      await expect(read(path)).rejects.toThrow(/--time-unit s/);
      expect(await times(path, 's')).toEqual([MARCH, MARCH + 1000]);
    }
    const files = { files: [csv([1583020800])], mapping: { arm: 'arm', payoff: 'payoff', time: 't' } };
    await expect(convert(files, file('packed.parquet'))).rejects.toThrow(/--time-unit s/);
  });

  it('is one in milliseconds where it lies in the years 1990 to 2099', async () => {
    const good = [Date.UTC(1990, 0), MARCH + 0.25, Date.UTC(2100, 0) - 1];
    expect(await times(csv(good))).toEqual(good);
    for (const bad of [Date.UTC(1990, 0) - 1, Date.UTC(2100, 0)])
      await expect(read(csv([bad]))).rejects.toThrow(/unit/);
  });

  it('that strays alone is a bad row, one in another unit is none to drop', async () => {
    await expect(read(csv([MARCH, 0]))).rejects.toThrow(/row 1 \(line 3\), column "t": time is outside the years/);
    const skipped = await read(csv([MARCH, 0, MARCH + 1]), undefined, { skipBadRows: true });
    expect([skipped.events, skipped.source.badRows[0].count]).toEqual([2, 1]);
    await expect(read(csv([MARCH, MARCH / 1000]), undefined, { skipBadRows: true })).rejects.toThrow(/--time-unit s/);
  });
});

describe('a unit', () => {
  it('reads numbers, and warns where they come to lie outside 1990 to 2099', async () => {
    for (const [unit, value] of [
      ['s', MARCH / 1000],
      ['ms', MARCH],
      ['us', MARCH * 1e3],
      ['ns', MARCH * 1e6],
      ['yyyymmdd', 20200301],
    ] as const) {
      const log = await read(csv([value]), unit);
      expect([Array.from(log.time ?? []), log.source.warnings]).toEqual([[MARCH], undefined]);
    }
    const log = await read(csv([MARCH / 1000, 5, MARCH / 1000]), 'ms');
    expect(log.source.warnings).toEqual([
      "3 of 3 times (column t, numbers in ms) lie outside the years 1990 to 2099, from 1970-01-01T00:00:00.005Z to 1970-01-19T07:43:40.800Z: where that is not the log's own clock, they or their unit are wrong",
    ]);
    await expect(read(csv([MARCH * 1e6]), 's')).rejects.toThrow(/not a time/);
  });

  it.each([20200230, 20211301, 20200300, 202003012500, 20200301006000, 2020030, 20200301.5, 202003])(
    'yyyymmdd: there is no %d',
    async (value) => {
      expect(millisecondsOf(value, 'yyyymmdd')).toBeNaN();
      await expect(read(csv([value]), 'yyyymmdd')).rejects.toThrow(/row 0 \(line 2\), column "t": not a time/);
    },
  );
});

describe('a time as text', () => {
  const GOOD: [string, number][] = [
    ['2020-03-01', MARCH],
    ['2020-02-29 23:59:59', MARCH - 1000],
    ['2020-03-01T00:00:00Z', MARCH],
    ['2020-03-01T01:30', MARCH + 5_400_000],
    ['2020-03-01T00:00:00.123456Z', MARCH + 123.456],
    ['2020-03-01T01:00:00+01:00', MARCH],
    ['2020-02-29 19:00:00-05', MARCH],
    ['2020-03-01T05:45:00+0545', MARCH],
    ['2020-03-01 00:00:00 UTC', MARCH],
    ['2020-02-29T24:00:00', MARCH],
  ];
  it.each(GOOD)('%s', async (text, needed) => {
    expect(isoTime(text)).toBe(needed);
    expect(await times(csv([text]))).toEqual([needed]);
    expect(await times(jsonl([text]))).toEqual([needed]);
    expect(Array.from(logFromColumns({ arm: ['a'], payoff: [1], time: [text] }).time ?? [])).toEqual([needed]);
  });

  const BAD = [
    ...[
      '2020-02-30',
      '2021-02-29',
      '2021-13-01',
      '2020-00-10',
      '2020-03-00',
      '2020-03-01 25:00',
      '2020-03-01T10:60:00',
    ],
    ...[
      '03/04/2020',
      '01/02/03',
      '20-03-01',
      '2020-03-01T10:00:00+25:00',
      '2020-03-01T10:00:00-05:75',
      '20200301T100000Z',
    ],
    ...['2020-03-08 02:30:00 America/New_York', 'epoch', 'infinity', 'now', '0000-00-00', '12:30', 'March 1, 2020', ''],
  ];
  it.each(BAD)('there is no %j', async (text) => {
    expect(isoTime(text)).toBeNaN();
    await expect(read(csv([MARCH, text]))).rejects.toThrow(/row 1 \(line 3\), column "t": not a time/);
    await expect(read(jsonl([text]))).rejects.toThrow(/not a time/);
    expect(() => logFromColumns({ arm: ['a'], payoff: [1], time: [text] })).toThrow(/not a time/);
    expect(() => timeOf(text)).toThrow(/Timestamp is not a time/);
  });
});

it('columns of dates and timestamps are what they say, whatever the unit', async () => {
  const stamp = "'2020-03-01 00:00:00'";
  for (const type of ['DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMPTZ']) {
    const path = await parquet(type, [stamp]);
    for (const unit of [undefined, 's'] as const) expect(await times(path, unit), type).toEqual([MARCH]);
  }
  const old = await read(await parquet('DATE', ["'1970-01-01'"]));
  expect(old.source.warnings).toEqual([expect.stringMatching(/^1 of 1 time \(column t\) lies outside/)]);
});
