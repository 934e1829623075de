import { describe, expect, it } from 'vitest';
import { logFromColumns } from '#dist/log/columns.js';
import { lookAlikes } from '#dist/log/read/look-alikes.js';
import { readLog } from '#dist/log/read.js';
import { fault, read, write } from '../files.js';

const LISTED = { arm: 'arm', payoff: 'payoff', candidates: 'cands' };

describe('identifiers', () => {
  it('that look alike are found', () => {
    expect(lookAlikes(['1', '1.0', '2', '10', '1e0'])).toEqual([['1', '1.0', '1e0']]);
    expect(lookAlikes([' a', 'a', 'A', 'b'])).toEqual([[' a', 'a']]);
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
    ]) {
      expect((await fault(read('ordered.csv', csv, { where }))).message).toMatch(/letter by letter/);
    }
    expect((await fault(read('ordered.csv', csv, { where: 'age > 9' }))).message).toMatch(/Cannot compare/);
  });

  it('is taken where it is text, or cast', async () => {
    for (const where of ["name > 'm'", "age = '9'", 'TRY_CAST(age AS DOUBLE) > 9', "CAST(age AS VARCHAR) > '9'"]) {
      expect((await read('ordered.csv', csv, { where })).events).toBeGreaterThan(0);
    }
    expect((await read('numbers.csv', csv.replaceAll('NA', '1'), { where: "age > '9'" })).events).toBe(1);
  });
});
