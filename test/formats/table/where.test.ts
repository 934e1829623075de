import { describe, expect, it } from 'vitest';
import { openDatabase, sqlPath } from '#dist/files/duckdb.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, context, fault, MAPPING, pathOf, read, write } from '../../log/files.js';

const TEXT =
  'arm,payoff,position,day,seen,flag,name\nb,1,1,2009-05-01,2009-05-01T10:00:00Z,true,x\nc,0,10,2009-05-02,2009-05-01T11:00:00Z,false,y\na,0,2,2009-05-03,2009-05-02T10:00:00Z,true,z\nb,1,1.5,2009-05-04,2009-05-03T10:00:00Z,false,x;y\n';
const options = (where: string) => ({
  where,
  mapping: { ...MAPPING, context: { onehot: ['name'] }, keys: ['position'] },
});
const select = async (where: string) => {
  const { sourceRow, events } = await read('where.csv', TEXT, options(where));
  return Array.from({ length: events }, (_, t) => (sourceRow === null ? t : sourceRow[t]));
};

describe('where', () => {
  it('compares columns by their natural types', async () => {
    expect(await select('position = 1')).toEqual([0]);
    expect(await select('position > 1.2 AND position < 9')).toEqual([2, 3]);
    expect(await select("day >= DATE '2009-05-03'")).toEqual([2, 3]);
    expect(await select("seen < TIMESTAMPTZ '2009-05-02'")).toEqual([0, 1]);
    expect(await select('NOT flag')).toEqual([1, 3]);
    expect(await select("name = 'x;y'")).toEqual([3]);
    expect(await select('"POSITION" = 10 -- a comment')).toEqual([1]);
    expect(await select("payoff = 0 AND arm IN ('a', 'c')")).toEqual([1, 2]);
    expect(await select('hour(seen) = 11')).toEqual([1]);
  });

  it('keeps ids with leading zeros apart, as arms are', async () => {
    const text = 'arm,payoff,hour\n1,0,07\n01,1,7.0\n001,0,12\n1,1,00\n';
    const rows = async (where: string) => armIds(await read('zeros.csv', text, { where }));
    expect(await rows("arm = '01'")).toEqual(['01']);
    expect(await rows("arm <> '1'")).toEqual(['01', '001']);
    expect(await rows('hour = 7')).toEqual(['1', '01']);
  });

  it('changes neither arms, levels nor key levels', async () => {
    const log = await read('where.csv', TEXT, options('position = 1'));
    expect(log.events).toBe(1);
    expect(log.arms.ids).toEqual(['a', 'b', 'c']);
    expect(log.contexts.columns).toEqual(['name=x', 'name=x;y', 'name=y', 'name=z']);
    expect(context(log, 0)).toEqual([1, 0, 0, 0]);
    expect(log.keys.get('position')?.levels).toEqual(['1', '1.5', '10', '2']);
    expect(log.source).toMatchObject({ where: 'position = 1', rows: 4 });
  });

  it('may select nothing, which is an empty log, or everything', async () => {
    const none = await read('where.csv', TEXT, options('position = 99'));
    expect(none).toMatchObject({ events: 0, contexts: { rows: 0 }, pools: { count: 1 } });
    expect(none.arms.ids).toHaveLength(3);
    const all = await read('where.csv', TEXT, options('true'));
    expect(all).toMatchObject({ events: 4, sourceRow: null });
    expect((await read('where.csv', TEXT, options('  '))).source.where).toBeNull();
  });

  it('finds types over all files, and numbers rows over all files', async () => {
    const first = write('w1.csv', 'arm,payoff,k\na,1,1\nb,0,2\n');
    const second = write('w2.csv', 'arm,payoff,k\nc,1,2.0\nd,0,1\n');
    const log = await readLog([first, second], { mapping: MAPPING, where: 'k = 2' });
    expect(armIds(log)).toEqual(['b', 'c']);
    expect(Array.from(log.sourceRow ?? [])).toEqual([1, 2]);
  });

  it('goes with bad rows: those it leaves out are no matter, those it selects are errors or counted', async () => {
    const text = 'arm,payoff,k\na,1,1\nb\nc,oops,2\nd,oops,1\ne,0,1\n';
    const where = 'k = 1';
    expect((await fault(read('wb.csv', text, { where }))).message).toMatch(/row 1 \(line 3\): too few columns/);
    const clean = text.replace('b\n', '');
    expect((await fault(read('wc.csv', clean, { where }))).message).toMatch(
      /wc\.csv, row 2 \(line 4\), column "payoff"/,
    );
    const log = await read('wb.csv', text, { where, skipBadRows: true });
    expect(armIds(log)).toEqual(['a', 'e']);
    expect(Array.from(log.sourceRow ?? [])).toEqual([0, 4]);
    expect(log.source.badRows.map(({ kind, count }) => [kind, count])).toEqual([
      ['too few columns', 1],
      ['payoff is not a number', 1],
    ]);
    expect(log.source.badRows[1].first).toMatch(/row 3 \(line 5\)/);
  });

  const bad: [string, RegExp][] = [
    [
      'posit = 1',
      /the filter does not work\n {2}got: {4}posit = 1[\s\S]*Referenced column "posit" not found[\s\S]*"position"/,
    ],
    ['position =', /the filter does not work[\s\S]*syntax error/],
    ['position = 1; DROP TABLE x', /the filter does not work/],
    ['1=1) ORDER BY (position', /more than one SQL condition/],
    ['1=1) GROUP BY (position', /more than one SQL condition/],
    ['true) UNION ALL SELECT 1 WHERE (true', /more than one SQL condition/],
    ['sum(payoff) > 1', /the filter does not work[\s\S]*aggregate/i],
    ['name = 3', /the filter does not work[\s\S]*Could not convert[\s\S]*text in quotes, numbers without/],
    ["position = 'top'", /Could not convert string 'top'[\s\S]*CAST\(column AS VARCHAR\)/],
    ['position = 1)', /the filter does not work/],
  ];
  it.each(bad)('refuses %s', async (where, message) => {
    const error = await fault(read('where.csv', TEXT, options(where)));
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/__hindcast/);
  });

  it.each([
    ["payoff = (SELECT count(*) FROM read_text('/etc/hostname'))", 'a subquery'],
    ['EXISTS (SELECT 1)', 'a subquery'],
    ['position = ANY (SELECT 1)', 'a subquery'],
    ['position = ANY ([1, 2])', 'a list of values stands in IN'],
    ['random() < 0.5', 'random(), which does not depend on the row alone'],
    ['position < 2 OR system.main.random() < 0.5', 'random()'],
    ["CASE WHEN name = 'x' THEN uuid() ELSE '' END < 'a'", 'uuid()'],
    ['seen < now()', 'now()'],
    ['seen > ago(INTERVAL 1 DAY)', 'ago()'],
    ['age(day::TIMESTAMP) > INTERVAL 1 YEAR', 'age() of one time'],
    ['day < current_date', 'current_date, which is no column here'],
    ['day < "CURRENT_DATE"', 'current_date, which is no column here'],
    ["current_user = 'duckdb'", 'current_user, which is no column here'],
    ['log IS NOT NULL', 'log, which is no column here and is the whole row'],
    ["current_setting('threads') > position", 'current_setting()'],
    ["nextval('s') > 0", 'nextval()'],
    ["getenv('HOME') = name", 'getenv(), which is no function of single values'],
    ["json_serialize_plan('SELECT * FROM ''/etc/passwd''') IS NULL", 'json_serialize_plan()'],
    ['sum(position) > 1', 'sum(), an aggregate'],
    ['row_number() OVER () = 1', 'a window function'],
    ['unnest([position]) = 1', 'unnest()'],
    ['position = $1', 'a parameter'],
    ['position = ?', 'a parameter'],
    ['#1 = 1', 'a column by its place'],
    ['list_filter([position], lambda p: p < random()) = []', 'random()'],
    ['error(name)', 'error()'],
  ])('refuses %s', async (where, words) => {
    const { fault: told } = await fault(read('where.csv', TEXT, options(where)));
    expect(told).toMatchObject({
      problem: 'the filter does not work',
      needed: expect.stringContaining('SQL condition'),
    });
    expect(told.got?.replaceAll('\n', ' ')).toContain(words);
  });

  it('takes every function of the row, and columns with names of functions', async () => {
    expect(await select("nullif(name, 'x') IS NULL AND days_in_month(day) = 31")).toEqual([0]);
    expect(
      await select("list_sum(list_transform([position, 1], lambda p: p * 2)) > 5 OR regexp_matches(name, '^z')"),
    ).toEqual([1, 2, 3].filter((t) => [1, 10, 2, 1.5][t] * 2 + 2 > 5 || t === 2));
    expect(await select("log.position = 10 OR strftime(day, '%d') = '01' OR name SIMILAR TO 'x;.'")).toEqual([0, 1, 3]);
    expect(
      await select("age(day::TIMESTAMP, TIMESTAMP '2009-05-01') >= INTERVAL 2 DAY AND TRY_CAST(name AS INT) IS NULL"),
    ).toEqual([2, 3]);
    const log = await read('user.csv', 'arm,payoff,user,log\na,1,x,1\nb,0,y,2\n', { where: "user = 'y' AND log = 2" });
    expect(armIds(log)).toEqual(['b']);
  });

  it('lets the database read nothing but the files of the log once they are open', async () => {
    const database = await openDatabase(pathOf('spill'));
    try {
      const file = write('open[1]*.csv', 'a\n1\n');
      const other = write('open1x.csv', 'a\n2\n');
      const rows = (path: string) => database.rows(`SELECT a FROM read_csv(${sqlPath(path)})`);
      await database.lock([file]);
      expect(await rows(file)).toEqual([[1n]]);
      for (const sql of [
        `SELECT * FROM read_csv(${sqlPath(other)})`,
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        `COPY (SELECT 1) TO ${sqlPath(pathOf('new.csv'))}`,
        'SET enable_external_access = true',
        'SET threads = 1',
        'LOAD httpfs',
        'INSTALL httpfs',
      ])
        await expect(database.rows(sql), sql).rejects.toThrow(/disabled|locked/);
    } finally {
      database.close();
    }
  });

  it.each(['log[1].csv', '*.csv', "it's?.csv", '[!a]].csv', '~/x.csv', 'file:x.csv', '{a,b}.csv', '-.csv'])(
    'reads the file that is called %s and no other',
    async (name) => {
      write('globs/log1.csv', 'arm,payoff\nwrong,0\nother,0\n');
      write('globs/a.csv', 'arm,payoff\nwrong,0\nother,0\n');
      const log = await read(`globs/${name}`, 'arm,payoff\nright,1\nother,0\n', { where: 'true' });
      expect(armIds(log)).toEqual(['right', 'other']);
    },
  );
});
