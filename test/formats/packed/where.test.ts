/** A filter on a packed log chooses the events that it chooses of the original, and whatever is made of them is the same. */

import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '#dist/evaluate.js';
import type { FormatName } from '#dist/formats/index.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { EventLog } from '#dist/log/event-log.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import type { Mapping } from '#dist/log/mapping.js';
import type { ReadOptions as AnyOptions } from '#dist/log/read-options.js';
import { batchOf } from '#dist/log/stream-of.js';
import { convert } from '#dist/open/convert.js';
import { readStream } from '#dist/open/read-stream.js';
import { fault, pack, pathOf, write } from '../../log/files.js';
import { difference } from '../../log/synthetic-log.js';

/** With a format that there is. */
type ReadOptions = AnyOptions & { readonly format?: FormatName };

const MAPPING: Mapping = {
  arm: 'action',
  payoff: 'click',
  context: { onehot: ['country'], numeric: ['age', 'price'] },
  candidates: 'pool',
  user: 'uid',
  time: 'ts',
  propensity: 'p',
  keys: ['kind', 'rank', 'day'],
};

/** Few arms are shown at each event, payoffs have another scale where kind is z, and row t is at minute 7t modulo 5,000. */
const mixed = (t: number): number => {
  const a = Math.imul((t + 1) ^ (t >>> 7), 0x9e3779b1);
  const b = Math.imul(a ^ (a >>> 15), 0x85ebca6b);
  return (b ^ (b >>> 13)) >>> 1;
};
const draw = (t: number, of: number): number => mixed(t) % of;

function csv(events: number, first = 0): string {
  const lines = ['action,click,country,age,price,pool,uid,ts,p,kind,rank,day'];
  for (let t = first; t < first + events; t++) {
    const pool = draw(13 * t, 3) === 0 ? ['2', '10', 'x'] : ['1', '2', '10'];
    const kind = ['a', 'b', 'z'][draw(11 * t, 3)];
    const time = new Date(Date.UTC(2020, 2, 1) + ((7 * t) % 5000) * 60_000).toISOString();
    lines.push(
      [
        pool[draw(t, 3)],
        kind === 'z' ? [3, 4.25][draw(7 * t, 2)] : draw(7 * t, 2),
        ['de', 'fr', 'it'][draw(17 * t, 3)],
        18 + draw(3 * t, 50),
        [0.5, 3.1, 7][draw(23 * t, 3)],
        pool.join('|'),
        `u${draw(19 * t, 40)}`,
        time,
        '0.3333333333333333',
        kind,
        [1, 2, 10, 1.5][draw(5 * t, 4)],
        time.slice(0, 10),
      ].join(','),
    );
  }
  return `${lines.join('\n')}\n`;
}

let text: string;
let packed: string;
beforeAll(async () => {
  text = write('pw.csv', csv(3000));
  packed = pathOf('pw.parquet');
  await convert({ files: [text], mapping: MAPPING }, packed);
});

const FILTERS = [
  'true',
  'age > 40 AND price = 3.1',
  'click >= 1',
  'click = 4.25',
  "kind <> 'z'",
  "kind IN ('a', 'b') AND rank < 2",
  "uid = 'u7' OR uid LIKE 'u1%'",
  "ts >= '2020-03-02' AND hour(ts) < 6",
  "day = DATE '2020-03-02'",
  "action = 'x'",
  "action <> 'x' -- a comment",
  'p < 0.4 AND age % 2 = 0',
  'age = 1000',
  "ts = '2020-03-01T00:07:00Z' AND age = 19",
];

/** A log whose contexts are written out, and what readers leave open aside. */
function plain(log: EventLog) {
  const { firstEvent: _, contexts, ...rest } = log;
  const { row, values, dimension, columns } = contexts;
  const rows = Array.from({ length: log.events }, (_, t) => {
    const at = (row === null ? t : row[t]) * dimension;
    return [...values.subarray(at, at + dimension)];
  });
  return { ...rest, contexts: { dimension, columns, rows } };
}

/** Everything that a filter leaves, of the packed log as it is read and as a stream, compared with that of the original. */
async function expectSame(files: readonly string[], original: EventLog, where: string): Promise<void> {
  expect(difference(plain(await readLog(files, { where })), plain(original))).toBeNull();
  const stream = await readStream(files, { where }, null);
  try {
    expect(stream.events).toBe(original.events);
    const middle = original.events >> 1;
    for (const [from, to] of [
      [0, middle],
      [middle, original.events],
    ])
      expect(difference(plain(await stream.read(from, to)), plain(batchOf(original, from, to)))).toBeNull();
  } finally {
    await stream.close();
  }
}

describe('a filter on a packed log', () => {
  it.each(FILTERS)('leaves what it leaves of the original: %s', async (where) => {
    await expectSame([packed], await readLog([text], { mapping: MAPPING, where }), where);
  });

  it('chooses among several packed logs as among their originals', async () => {
    const texts = [write('pw1.csv', csv(1200)), write('pw2.csv', csv(900, 1200))];
    const files = texts.map((_, i) => pathOf(`pw${i + 1}.parquet`));
    for (const [i, file] of files.entries()) await convert({ files: [texts[i]], mapping: MAPPING }, file);
    for (const where of ["kind <> 'z' AND age < 60", 'click > 3', "action = 'x'"])
      await expectSame(files, await readLog(texts, { mapping: MAPPING, where }), where);
  });

  it('chooses across row groups, however few are left', async () => {
    const log = await readLog([text], { mapping: MAPPING });
    const file = await pack('groups.parquet', log, 64);
    for (const where of ['age = 19 AND rank = 2', "uid = 'u7'", "ts = '2020-03-01T00:07:00Z'"])
      await expectSame([file], await readLog([text], { mapping: MAPPING, where }), where);
  });

  it('goes with an order by time, with distinct views, and into another packed log', async () => {
    const where = "kind <> 'z' AND age > 30";
    for (const more of [{ sortByTime: true }, { distinctViews: true }, { sortByTime: true, distinctViews: true }]) {
      const original = await readLog([text], { mapping: MAPPING, where, ...more });
      expect(difference(plain(await readLog([packed], { where, ...more })), plain(original))).toBeNull();
      const out = pathOf('again.parquet');
      await convert({ files: [packed], where, ...more }, out);
      expect(difference(plain(await readLog([out], {})), plain(original))).toBeNull();
    }
    // Twice: both filters hold.
    const out = pathOf('again.parquet');
    await convert({ files: [packed], where: "kind <> 'z'" }, out);
    const twice = await readLog([out], { where: 'age > 30' });
    expect(twice.source.where).toBe("(kind <> 'z') AND (age > 30)");
    const once = await readLog([text], { mapping: MAPPING, where: twice.source.where ?? '' });
    expect(difference(plain(twice), { ...plain(once), source: twice.source })).toBeNull();
  });

  it('gives every total and interval of the original, with a bound on memory too', async () => {
    const policies = [
      { family: 'uniform', replicas: 3 },
      { family: 'constant' },
      { family: 'table', keys: ['kind'], tables: [{ choices: { a: '1', b: '2', z: '10' }, default: '10' }] },
    ] as const;
    const options = { policies: policies as never, device: 'cpu', threads: 1, validEvents: 100 } as const;
    for (const where of ['click < 2', "kind = 'z'", 'age = 1000']) {
      const original = await evaluate({ ...options, log: { files: [text], mapping: MAPPING, where } });
      const filtered = await evaluate({ ...options, log: { files: [packed], where } });
      expect(filtered.policies).toEqual(original.policies);
      expect(filtered.warnings).toEqual(original.warnings);
      const bounded = await evaluate({ ...options, log: { files: [packed], where }, memory: 400e6 });
      expect(bounded.policies).toEqual(original.policies);
    }
  });

  it('says that it leaves no event of an arm', async () => {
    const { source } = await readLog([packed], { where: "action IN ('1', '2')" });
    expect(source.warnings).toEqual([expect.stringContaining('leaves no event of 2 arms "10", "x"')]);
    expect((await readLog([packed], { where: 'true' })).source.warnings).toBeUndefined();
  });

  it('knows columns by what they mean, where the log has no mapping or another column has not that name', async () => {
    const log = logFromColumns({
      arm: ['1', '2', '1', '2'],
      payoff: [0, 1, 1, 0],
      time: ['2020-03-01', '2020-03-01T01:00:00Z', '2020-03-01T02:00:00Z', '2020-03-02'],
      user: ['7', '8', '7', '9'],
      keys: { time: ['1', '2', '3', '4'] },
    });
    const file = await pack('columns.parquet', log);
    const rows = async (where: string) => [...((await readLog([file], { where })).sourceRow ?? [0])];
    expect(await rows('arm = 2 AND payoff = 1')).toEqual([1]);
    expect(await rows('user > 7')).toEqual([1, 3]);
    // The key goes before.
    expect(await rows('time = 3')).toEqual([2]);
  });

  it.each([
    ['nothing = 1', /not found/, /the packed log has "kind", "rank", "day", "country=de"/],
    ["country = 'de'", /not found/, /"country=de", "country=fr", .*a column: "country=de" = 1/],
    ['random() < 0.5', /random\(\)/, null],
    ['age IN (SELECT 1)', /subquery/, null],
    ["kind > '9'", /letter by letter/, /CAST/],
    ['COLUMNS(*) IS NOT NULL', /columns that it does not name/, /the packed log has/],
    ['age > 3) ORDER BY (age', /more than one/, null],
    ["read_text('/etc/passwd') IS NULL", /read_text/, null],
    ['ts > 20200301', /Cannot compare/, null],
    // DuckDB divides whole numbers in another way than others.
    ['age // 3 = 7', /"age" was DOUBLE or BIGINT/, /CAST\("age" AS DOUBLE\)/],
    ['length(CAST(click / 3 AS VARCHAR)) > 10', /"click" was DOUBLE or FLOAT/, /CAST/],
    ['hash(rank) % 2 = 0', /"rank" was DOUBLE or VARCHAR/, /CAST/],
    ["CAST(ts AS VARCHAR) LIKE '%+00'", /"ts" was TIMESTAMPTZ or TIMESTAMP/, null],
    ['CAST(kind AS BIGINT) = 1', /Could not convert|Conversion Error/, null],
  ])('is refused where it says less than it seems: %s', async (where, got, hint) => {
    const { fault: found } = await fault(readLog([packed], { where }));
    expect(found.got).toMatch(got);
    if (hint !== null) expect(found.hint).toMatch(hint);
  });

  it('does not depend on how numbers were written where a cast says it', async () => {
    for (const where of ['CAST(age AS BIGINT) // 3 = 7', 'hash(CAST(age AS BIGINT)) % 2 = 0', 'hash(uid) % 3 = 0'])
      await expectSame([packed], await readLog([text], { mapping: MAPPING, where }), where);
  });

  it('tells what was filled in or rounded from what was there', async () => {
    const csv = 'arm,payoff,age,kind\n1,0.1,,a\n2,0.333333333333,5,\n1,0.25,7,b\n2,,5,b\n';
    const options: ReadOptions = {
      mapping: { arm: 'arm', payoff: 'payoff', context: ['age'], keys: ['kind'] },
      impute: { age: 'mean' },
      missingLevel: true,
      missingPayoff: 0,
    };
    const path = write('filled.csv', csv);
    const file = pathOf('filled.parquet');
    await convert({ files: [path], ...options }, file);
    expect((await fault(readLog([file], { where: 'age > 5' }))).fault.got).toMatch(/1 missing value was filled in/);
    expect((await fault(readLog([file], { where: 'payoff > 0' }))).fault.got).toMatch(/filled in with 0|rounded/);
    for (const where of ['kind IS NULL', "kind <> 'a'", "coalesce(kind, 'x') = 'x'"]) {
      const original = await readLog([path], { ...options, where });
      expect([...((await readLog([file], { where })).sourceRow ?? [])]).toEqual([...(original.sourceRow ?? [])]);
    }
  });

  it('says that views were counted before', async () => {
    const file = pathOf('views.parquet');
    await convert({ files: [text], mapping: MAPPING, distinctViews: true }, file);
    const { source } = await readLog([file], { where: 'click > 0' });
    expect(source.warnings?.at(-1)).toMatch(/^repeated views counted as one before the filter/);
  });
});
