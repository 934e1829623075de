import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { lookAlikes } from '#dist/log/checks/look-alikes.js';
import { requireUniform } from '#dist/log/checks/uniformity.js';
import { logFromColumns } from '#dist/log/from-columns/columns.js';
import { compilePolicySet, parsePolicySet } from '#dist/policy/policy-set.js';
import { fault, pack, read, write } from '../../log/files.js';

const LISTED = { arm: 'arm', payoff: 'payoff', candidates: 'cands' };

describe('identifiers', () => {
  it('that look alike are found', () => {
    expect(lookAlikes(['1', '1.0', '2', '10', '1e0'])).toEqual([['1', '1.0', '1e0']]);
    expect(lookAlikes([' a', 'a', 'A', 'b'])).toEqual([[' a', 'a', 'A']]);
    expect(lookAlikes(['caf\u00e9', 'cafe\u0301'])).toHaveLength(1);
    expect(lookAlikes(['007', '7', '-0', '0'])).toEqual([
      ['007', '7'],
      ['-0', '0'],
    ]);
    // Beyond what a double tells apart, numbers are text.
    expect(lookAlikes(['12345678901234567890', '12345678901234567891'])).toEqual([]);
  });

  it('are kept apart and warned of with both spellings and their rows', async () => {
    const csv = 'arm,payoff,city,user\n1,1,a,u\n1.0,0," a",u\n1,0,b,u\n';
    const log = await read('alike.csv', csv, {
      mapping: { arm: 'arm', payoff: 'payoff', keys: ['city'], user: 'user' },
    });
    expect(log.arms.ids).toEqual(['1', '1.0']);
    expect(log.source.warnings).toEqual([
      'arms of column "arm" look alike and are kept apart: "1" (2 rows) and "1.0" (1 row); write each in one way if they are one',
      expect.stringMatching(/^values of column "city" .*" a" \(1 row\) and "a" \(1 row\)/),
    ]);
    const json = '{"arm":"e\u0301","payoff":1}\n{"arm":"\u00e9","payoff":1}\n';
    expect((await read('alike.jsonl', json)).source.warnings?.[0]).toMatch(/U\+0065 U\+0301,.*U\+00E9,/);
    const candidates = 'arm,payoff,cands\n1,1,1|2.0\n2,0,1|2\n';
    expect((await read('listed.csv', candidates, { mapping: LISTED })).source.warnings?.[0]).toMatch(
      /"2" \(1 row\) and "2\.0" \(0 rows\)/,
    );
  });

  it('of candidates are not empty', async () => {
    for (const [i, list] of [
      'a||b',
      'a|b|',
      '"[""a"",null,""b""]"',
      '"[a, None, b]"',
      '"[""a"","""",""b""]"',
    ].entries()) {
      const file = write(`empty-${i}.csv`, `arm,payoff,cands\na,1,a|b\na,0,${list}\nb,1,a|b\n`);
      expect((await fault(readLog([file], { mapping: LISTED }))).message).toMatch(/a candidate is empty/);
      const log = await readLog([file], { mapping: LISTED, skipBadRows: true });
      expect([log.arms.ids, log.events, log.pools.count]).toEqual([['a', 'b'], 2, 1]);
    }
    const none = write('no-list.csv', 'arm,payoff,cands\na,1,a|b\na,0,[]\n');
    expect((await fault(readLog([none], { mapping: LISTED }))).message).toMatch(/list of candidates is empty/);
    expect(() => logFromColumns({ arm: ['a'], payoff: [1], candidates: [['a', '']] })).toThrow(/a candidate is empty/);
  });
});

describe('a filter that orders text', () => {
  const csv = 'arm,payoff,age,base,name\n1,1,10,2,m\n2,0,NA,NA,n\n1,0,9,3,x\n';

  it('is refused where numbers are meant', async () => {
    for (const where of [
      "age > '9'",
      "'9' < age",
      "age BETWEEN '1' AND '20'",
      'age > base',
      "name = 'm' AND NOT (age <= '5')",
      "trim(age) > '9'",
      "age > trim('9')",
      "greatest(age, '9') = '9'",
      "list_max([age, '9']) = '9'",
      "CASE WHEN payoff = 1 THEN age ELSE '0' END > '9'",
      "coalesce(age, '0') BETWEEN '1' AND '20'",
      "if(payoff = 1, age, '9') > '8'",
      "age COLLATE nocase > '9'",
      'lower(name) > upper(base)',
      "[age] > ['9']",
      "(age, name) > ('9', 'm')",
      "len(list_filter([age], lambda x: x > '9')) = 1",
      "log.age > '9'",
    ]) {
      expect((await fault(read('ordered.csv', csv, { where }))).message).toMatch(/letter by letter/);
    }
    expect((await fault(read('ordered.csv', csv, { where: 'age > 9' }))).message).toMatch(/Cannot compare/);
  });

  it('is taken where it is text, or cast', async () => {
    for (const where of [
      "name > 'm'",
      "trim(name) BETWEEN 'a' AND 'n'",
      "age = '9'",
      "trim(age) IN ('9', '11')",
      'TRY_CAST(age AS DOUBLE) > 9',
      "CAST(age AS VARCHAR) > '9'",
      "trim(CAST(age AS VARCHAR)) > '9'",
      "greatest(name, 'n') = 'n'",
      "CASE WHEN payoff = 1 THEN payoff ELSE '0' END > '0'",
    ]) {
      expect((await read('ordered.csv', csv, { where })).events).toBeGreaterThan(0);
    }
    expect((await read('numbers.csv', csv.replaceAll('NA', '1'), { where: "age > '9'" })).events).toBe(1);
  });
});

describe('a filter that compares whole numbers', () => {
  const csv = 'arm,payoff,n,hour,frac\n1,1,10,07,7.4\n2,0,9,7,7\n1,0,8,12,x\n';

  it('rounds none with a fraction on the way', async () => {
    for (const where of [
      "n > '9.5'",
      "n = '10.4'",
      "n IN ('9.5', 10)",
      "n BETWEEN '8.5' AND '9'",
      'frac = 7',
      'frac IN (7, 8)',
    ]) {
      expect((await fault(read('whole.csv', csv, { where }))).message).toMatch(/would be rounded/);
    }
    for (const [where, events] of [
      ['n > 9.5', 1],
      ["n > '9'", 1],
      ["n = '9.0'", 1],
      ['hour = 7', 2],
      ["frac = '7'", 1],
      ['TRY_CAST(frac AS DOUBLE) = 7', 1],
    ] as const)
      expect([where, (await read('whole.csv', csv, { where })).events]).toEqual([where, events]);
  });
});

describe('identifiers that look alike in every format', () => {
  it('are those that differ in case, blanks, width or what cannot be seen', () => {
    expect(lookAlikes(['New York', 'new  york', 'new\u00a0york', 'newyork'])).toHaveLength(1);
    expect(lookAlikes(['x\u200b', 'x', '\uff58', 'y'])).toEqual([['x\u200b', 'x', '\uff58']]);
  });

  it('are warned of in arrays, with their events', () => {
    const { source } = logFromColumns({
      arm: ['1', '1.0', '1'],
      payoff: [1, 0, 1],
      user: ['A', 'a', 'b'],
      keys: { city: ['x', 'x ', 'x'] },
      context: { values: [1, 0, 0, 1, 1, 0], dimension: 2, columns: ['s=a', 's=A'] },
    });
    expect(source.warnings).toEqual([
      'arms look alike and are kept apart: "1" (2 events) and "1.0" (1 event); write each in one way if they are one',
      expect.stringMatching(/^users look alike .*: "A" \(1 event\) and "a" \(1 event\)/),
      expect.stringMatching(/^values of "city" look alike/),
      expect.stringMatching(/^context columns look alike .*: "s=a" and "s=A";/),
    ]);
    expect(logFromColumns({ arm: [1, 2], payoff: [1, 0] }).source.warnings).toBeUndefined();
  });

  it('are warned of in vw and dsjson', async () => {
    const vw = '1:-1:0.5 | s=a\n2:0:0.5 | s=A\n';
    const log = await readLog([write('alike.vw', vw)], { format: 'vw' });
    expect(log.source.warnings?.join()).toMatch(/context columns look alike and are kept apart: "s=A" and "s=a"/);
    const event = (id: string, i: number) =>
      `{"_label_cost":${-i},"_label_probability":0.5,"_label_Action":1,"_labelIndex":0,"EventId":"e${i}","a":[1,2],"c":{"_multi":[{"id":"${id}"},{"id":"z"}]},"p":[0.5,0.5]}\n`;
    const dsjson = write('alike.dsjson', event('1', 0) + event('1.0', 1));
    const ds = await readLog([dsjson], { format: 'dsjson', armId: 'id=*' });
    expect(ds.source.warnings?.join()).toMatch(
      /arms look alike and are kept apart: "1" \(1 event\) and "1\.0" \(1 event\)/,
    );
  });

  it('are warned of once in packed logs, also where they come from two files', async () => {
    const one = logFromColumns({ arm: ['a', '1'], payoff: [1, 0], user: ['u', 'U'] });
    const two = logFromColumns({ arm: ['a', '1.0'], payoff: [1, 0], user: ['u', 'v'] });
    const files = [await pack('one.parquet', one), await pack('two.parquet', two)];
    expect((await readLog([files[0]], {})).source.warnings).toEqual(one.source.warnings);
    expect((await readLog(files, {})).source.warnings).toEqual([
      expect.stringMatching(/^users look alike/),
      expect.stringMatching(/^arms look alike and are kept apart: "1" and "1\.0"/),
    ]);
  });

  it('are what a list of arms, candidates or sets that do not fit may mean', async () => {
    const csv = 'arm,payoff,cands\n1.0,1,"1.0|2.0"\n2.0,0,"1.0|2.0"\n';
    const mapping = { arm: 'arm', payoff: 'payoff' };
    const means = async (options: object) => (await fault(read('means.csv', csv, options))).fault.hint;
    expect(await means({ mapping, arms: ['1', '2'] })).toBe('did you mean "1"?');
    const listed = csv.replace('\n1.0,', '\n1,').replace('\n2.0,', '\n2,');
    expect((await fault(read('means2.csv', listed, { mapping: LISTED, arms: ['1', '2'] }))).fault.hint).toBe(
      'did you mean "1"?',
    );
    expect((await fault(read('means3.csv', listed, { mapping: LISTED }))).fault.hint).toBe(
      'is it "1.0"? write an arm in one way',
    );
    const sets = { ...mapping, candidates: { id: 'cands', sets: { '1.0|2.0 ': [1, 2] } } };
    expect(await means({ mapping: sets })).toBe('did you mean "1.0|2.0 "?');
    const own = { ...mapping, candidates: { id: 'cands', sets: { '1.0|2.0': [1, 2] } } };
    expect(await means({ mapping: own })).toBe('is it "1"? write an arm in one way');
  });

  it('are what a policy may mean', async () => {
    const log = logFromColumns({ arm: ['1.0', '2.0', '1.0'], payoff: [1, 0, 1], keys: { s: ['1.0', '2.0', 'x'] } });
    const set = (spec: object) => parsePolicySet([spec]);
    const table = { family: 'table', keys: ['s'], tables: [{ choices: { 1: '1.0', '2.0': '1.0' }, default: '1.0' }] };
    const [{ warnings }] = await compilePolicySet(set(table), log);
    expect(warnings).toEqual([
      '[0]: 1 table entry is for values that no event of the log has; did you mean s "1.0" for "1"?',
    ]);
    const rows = [{ when: { s: '2' }, arm: '1.0' }];
    const [byRows] = await compilePolicySet(
      set({ family: 'table', keys: ['s'], tables: [{ rows, default: '1.0' }] }),
      log,
    );
    expect(byRows.warnings?.[0]).toMatch(/did you mean s "2\.0" for "2"\?$/);
    for (const spec of [
      { family: 'constant', arms: ['1'] },
      { family: 'table', keys: ['s'], tables: [{ choices: { x: '1' } }] },
    ])
      await expect(compilePolicySet(set(spec), log)).rejects.toThrow(/did you mean "1\.0"\?/);
  });
});

describe('a filter that removes arms', () => {
  const csv = `arm,payoff,x\n${Array.from({ length: 3000 }, (_, i) => `${'abc'[(i * 7 + (i >> 3)) % 3]},${i % 2},${i % 5}`).join('\n')}\n`;

  it('says so, in the log and where it is refused', async () => {
    const log = await read('removes.csv', csv, { where: "arm <> 'a' AND arm <> 'c'" });
    expect(log.source.warnings).toEqual([
      expect.stringMatching(
        /^the filter \(arm <> 'a' AND arm <> 'c'\) leaves no event of 2 arms "a", "c", which stay arms of the log: policies that choose them match nothing/,
      ),
    ]);
    expect(() => requireUniform(log)).toThrow(
      /is it the filter \(arm <> 'a' AND arm <> 'c'\), if that goes by the arm[\s\S]*--assume-uniform/,
    );
    expect((await read('removes.csv', csv, { where: 'x > 2' })).source.warnings).toBeUndefined();
    expect((await read('removes.csv', csv, {})).source.warnings).toBeUndefined();
  });

  it('advises nothing that there is not', async () => {
    const log = logFromColumns({
      arm: Array.from({ length: 400 }, (_, i) => (i % 5 === 0 ? 'a' : 'b')),
      payoff: new Float64Array(400),
    });
    expect(() => requireUniform(log)).toThrow(/try: {4}for fixed policies, evaluate --estimator snips/);
  });
});
