import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileError } from '#dist/files/files.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, candidates, context, fault, MAPPING, pathOf, payoffs, read, write } from '../../log/files.js';

const FULL = { ...MAPPING, propensity: 'p', context: ['x'], time: 'time', user: 'user', keys: ['city'] };

describe('CSV', () => {
  it('reads every kind of column', async () => {
    const text =
      'arm,payoff,p,x,time,user,city\n10,1,0.5,0.1,2009-05-01T00:00:00.5Z,u2,"a, ""b"""\n9,0,1,-0,1500000000000,u10,é\n';
    const log = await read('kinds.csv', text, { mapping: FULL });
    expect(log.arms.ids).toEqual(['9', '10']);
    expect(armIds(log)).toEqual(['10', '9']);
    expect(payoffs(log)).toEqual([1, 0]);
    expect(Array.from(log.propensity ?? [])).toEqual([0.5, 1]);
    expect([context(log, 0), context(log, 1)]).toEqual([[0.1], [0]]);
    expect(Array.from(log.time ?? [])).toEqual([Date.UTC(2009, 4, 1) + 500, 1.5e12]);
    expect(log.user?.levels).toEqual(['u10', 'u2']);
    expect(log.keys.get('city')?.levels).toEqual(['a, "b"', 'é']);
    expect(log.source).toMatchObject({ format: 'csv', where: null, rows: 2, badRows: [] });
    expect(log.sourceRow).toBeNull();
  });

  it('reads true and false as 1 and 0, as the booleans of Parquet are', async () => {
    const log = await read('truth.csv', 'arm,payoff,x\na,True,false\nb,FALSE,TRUE\na,1,0.5\n', {
      mapping: { ...MAPPING, context: ['x'] },
    });
    expect(payoffs(log)).toEqual([1, 0, 1]);
    expect([0, 1, 2].map((t) => context(log, t)[0])).toEqual([0, 1, 0.5]);
    const lines = '{"arm":"a","payoff":true}\n{"arm":"b","payoff":false}\n';
    expect(payoffs(await read('truth.jsonl', lines))).toEqual([1, 0]);
    const time = read('truth.csv', 'arm,payoff,time\na,1,true\n', { mapping: { ...MAPPING, time: 'time' } });
    expect((await fault(time)).message).toMatch(/not a time/);
  });

  it('reads the exact double of every number (property)', async () => {
    const numbers = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), 500);
    const texts = numbers.map((x, i) => (i % 3 === 0 ? x.toPrecision(17) : String(x)));
    const log = await read('exact.csv', `arm,payoff,x\n${texts.map((x) => `1,0,${x}`).join('\n')}\n`, {
      mapping: { ...MAPPING, context: ['x'] },
    });
    expect(numbers.map((_, t) => context(log, t)[0])).toEqual(numbers.map((x) => x + 0));
  });

  it('reads gzip, tabs, semicolons, a byte-order mark, CRLF, empty lines, no last line break and one event', async () => {
    const rows = 'arm,payoff\na,1\nb,0\n';
    const variants: [string, string | Uint8Array][] = [
      ['v.csv.gz', gzipSync(rows)],
      ['members.csv.gz', Buffer.concat([gzipSync('arm,payoff\na,1\n'), gzipSync('b,0\n')])],
      ['gzip-without-ending.csv', gzipSync(rows)],
      ['v.tsv', rows.replaceAll(',', '\t')],
      ['semicolon.csv', rows.replaceAll(',', ';')],
      ['bom.csv', `\ufeff${rows}`],
      ['crlf.csv', rows.replaceAll('\n', '\r\n')],
      ['blank.csv', `${rows.replaceAll('\n', '\n\n')}\n`],
      ['open.csv', rows.trimEnd()],
      ['quoted.csv', '"arm","payoff"\n"a","1"\n"b","0"\n'],
      ['noending', rows],
    ];
    for (const [name, content] of variants) {
      const log = await read(name, content);
      expect([name, armIds(log), payoffs(log)]).toEqual([name, ['a', 'b'], [1, 0]]);
    }
    expect((await read('one.csv', 'arm,payoff\na,1')).events).toBe(1);
  });

  it('reads several files as one log, in the given order, whatever the order of their columns', async () => {
    const first = write('part1.csv', 'arm,payoff,c\nb,1,v\n');
    const second = write('part2.csv', 'extra,c,payoff,arm\n1,u,0,a\n2,w,1,b\n');
    const mapping = { ...MAPPING, context: { onehot: ['c'] } };
    const log = await readLog([first, second], { mapping });
    expect(armIds(log)).toEqual(['b', 'a', 'b']);
    expect(log.contexts.columns).toEqual(['c=u', 'c=v', 'c=w']);
    expect(context(log, 0)).toEqual([0, 1, 0]);
    const reversed = await readLog([second, first], { mapping });
    expect(armIds(reversed)).toEqual(['a', 'b', 'b']);
    expect(reversed.arms.ids).toEqual(log.arms.ids);
    const error = await fault(readLog([first, write('part3.csv', 'arm,payoff,c\na,0,v\na,oops,v\n')], { mapping }));
    expect(error.message).toMatch(
      /part3\.csv, row 1 \(line 3\), column "payoff": payoff is not a number\n {2}got: {4}"oops"/,
    );
  });

  it('opens files with any name', async () => {
    for (const name of [
      'a[1].csv',
      'a*b?.csv',
      "o'brien é 漢 .csv",
      'back\\slash.csv',
      '{x,y}.csv',
      'day=3/a.csv',
      '%20#.csv',
      '"quoted".csv',
    ]) {
      expect((await read(name, 'arm,payoff\na,1\n')).events).toBe(1);
    }
    write('a1.csv', 'arm,payoff\n1,1\n');
    expect(armIds(await readLog([pathOf('a[1].csv')], { mapping: MAPPING }))).toEqual(['a']);
  });

  it('selects columns by pattern, in order, with an intercept last', async () => {
    const log = await read('pattern.csv', 'x10,arm,payoff,x2,k\n1,a,0,2,q\n3,b,0,4,r\n', {
      mapping: { ...MAPPING, context: [{ column: 'k', encode: 'onehot' }, 'x*'], intercept: true },
    });
    expect(log.contexts.columns).toEqual(['k=q', 'k=r', 'x10', 'x2', '(intercept)']);
    expect(context(log, 1)).toEqual([0, 1, 3, 4, 1]);
  });

  it('reads candidates from text: JSON, as data frames print, or with a separator', async () => {
    for (const list of ['"[""a"", ""b""]"', `"['b', 'a']"`, '"[a, b]"', 'b|a', 'a | b']) {
      const log = await read('lists.csv', `arm,payoff,c\na,0,${list}\nb,0,b|c\n`, {
        mapping: { ...MAPPING, candidates: 'c' },
      });
      expect([candidates(log, 0), candidates(log, 1), log.arms.ids]).toEqual([
        ['a', 'b'],
        ['b', 'c'],
        ['a', 'b', 'c'],
      ]);
    }
    const separated = await read('separated.csv', 'arm,payoff,c\n1,0,1 2 10\n', {
      mapping: { ...MAPPING, candidates: { column: 'c', separator: ' ' } },
    });
    expect(candidates(separated, 0)).toEqual(['1', '2', '10']);
    const sets = { s1: ['a', 'b'], s2: ['b'] };
    const byId = await read('ids.csv', 'arm,payoff,s\na,0,s1\nb,0,s2\nb,0,s1\n', {
      mapping: { ...MAPPING, candidates: { id: 's', sets } },
    });
    expect([candidates(byId, 0), candidates(byId, 1), byId.pools.count]).toEqual([['a', 'b'], ['b'], 2]);
  });

  it('reads numbers of time in a given unit', async () => {
    for (const [unit, text] of [
      ['s', '1.5'],
      ['ms', '1500'],
      ['us', '1500000'],
      ['ns', '1500000000'],
    ] as const) {
      const log = await read('unit.csv', `arm,payoff,t\na,0,${text}\n`, {
        mapping: { ...MAPPING, time: { column: 't', unit } },
      });
      expect(Array.from(log.time ?? [])).toEqual([1500]);
    }
  });
});

describe('bad CSV', () => {
  const wide = {
    mapping: { ...MAPPING, context: ['x'], propensity: 'p', candidates: 'c', time: 't', user: 'u', keys: ['k'] },
  };
  const header = 'arm,payoff,x,p,c,t,u,k\n';
  const good = 'a,1,1,0.5,a|b,1e12,u,k\n';
  const row = (index: number, value: string) => {
    const fields = good.trimEnd().split(',');
    fields[index] = value;
    return `${header}${good}${fields.join(',')}\n`;
  };
  const values: [string, string, RegExp][] = [
    ['missing arm', row(0, ''), /row 1 \(line 3\), column "arm": arm is missing\n {2}got: {4}nothing/],
    [
      'payoff text',
      row(1, 'yes'),
      /row 1 \(line 3\), column "payoff": payoff is not a number\n {2}got: {4}"yes"\n {2}needed: a finite number\n {2}try: .*--skip-bad-rows/,
    ],
    ['missing payoff', row(1, ''), /column "payoff": payoff is missing\n {2}got: {4}nothing/],
    ['payoff with separators', row(1, '1_000'), /payoff is not a number\n {2}got: {4}"1_000"/],
    ['payoff NaN', row(1, 'nan'), /column "payoff": payoff is missing\n {2}got: {4}"nan"/],
    ['payoff too large', row(1, '1e400'), /column "payoff": payoff is not finite\n {2}got: {4}"1e400"/],
    ['infinite feature', row(2, '-inf'), /column "x": feature is not finite\n {2}got: {4}"-inf"/],
    ['missing feature', row(2, ''), /column "x": feature is missing\n {2}got: {4}nothing/],
    ['feature with comma', row(2, '"1,5"'), /column "x": feature is not a number\n {2}got: {4}"1,5"/],
    ['propensity 0', row(3, '0'), /column "p": propensity is outside \(0, 1\]\n {2}got: {4}"0"/],
    ['propensity above 1', row(3, '1.01'), /column "p": propensity is outside/],
    ['propensity text', row(3, 'x'), /column "p": propensity is outside \(0, 1\]\n {2}got: {4}"x"/],
    [
      'outside candidates',
      row(4, 'b|c'),
      /row 1 \(line 3\): arm is not among the event's candidates|row 1 \(line 3\): the logged arm is not among/,
    ],
    ['missing candidates', row(4, ''), /column "c": candidates are missing/],
    ['empty candidates', row(4, '[]'), /column "c": the list of candidates is empty/],
    ['candidate twice', row(4, 'a|a'), /column "c": the list of candidates names an arm twice\n {2}got: {4}"a"/],
    [
      'no time',
      row(5, 'noon'),
      /column "t": not a time\n {2}got: {4}"noon"\n {2}needed: a time that there is: ISO 8601/,
    ],
    ['missing user', row(6, ''), /column "u": user is missing/],
    ['missing key', row(7, ''), /column "k": key is missing/],
    ['too few columns', `${header}${good}a,1\n`, /row 1 \(line 3\): too few columns\n {2}got: {4}"a,1"/],
    ['too many columns', `${header}${good}${good.trimEnd()},9\n`, /row 1 \(line 3\): too many columns/],
    [
      'text after a quote',
      `${header}${good}"a"b,1,1,0.5,a|b,0,u,k\n`,
      /row 1 \(line 3\): a quote is not closed, or text follows it/,
    ],
    ['open quote', `${header}"a,1,1,0.5,a|b,0,u,k\n${good}${good}`, /row 0 \(line 2\): a quote is not closed/],
  ];
  it.each(values)('is refused: %s', async (name, text, message) => {
    expect((await fault(read(`bad ${name}.csv`, text, wide))).message).toMatch(message);
  });

  it('is refused where text is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('arm,payoff\na,1\n'), Buffer.from([0xff, 0xfe]), Buffer.from(',1\n')]);
    expect((await fault(read('latin.csv', bytes))).message).toMatch(/row 1 \(line 3\): not UTF-8/);
    expect((await fault(read('utf16.csv', Buffer.from('\ufeffarm,payoff\na,1\n', 'utf16le')))).message).toMatch(
      /the file is UTF-16\n[\s\S]*--encoding utf-16/,
    );
    expect((await fault(read('binary.csv', Buffer.from([65, 0, 66, 10, 1, 2])))).message).toMatch(
      /line 1: the header is no record: not text: a zero byte/,
    );
  });

  const whole: [string, string | Uint8Array, RegExp][] = [
    ['empty.csv', '', /empty\.csv: the file is empty/],
    ['header.csv', 'arm,payoff\n', /the log has no rows/],
    [
      'missing.csv',
      'arm,payof\na,1\n',
      /no column "payoff", which the mapping names as payoff\n {2}needed: one of "arm", "payof"\n {2}try: {4}did you mean "payof"\?/,
    ],
    [
      'duplicate.csv',
      'arm,payoff,arm\na,1,b\n',
      /line 1, column "arm": two columns have the same name\n {2}got: {4}columns 1 and 3/,
    ],
    ['single.csv', 'arm\na\n', /the header names one column only/],
    ['unclosed.csv', '"arm,payoff\na,1\n', /line 1: the header does not end/],
    [
      'truncated.csv.gz',
      gzipSync(`arm,payoff\n${'a,1\n'.repeat(9999)}`).subarray(0, -12),
      /the compressed file ends too early/,
    ],
    ['damaged.csv.gz', damaged(), /the compressed file is damaged/],
    [
      'half.csv.gz',
      gzipSync(`arm,payoff\n${Array.from({ length: 9999 }, (_, i) => `${i},${i % 2}\n`).join('')}`).subarray(0, 9000),
      /the compressed file ends too early/,
    ],
  ];
  it.each(whole)('is refused: %s', async (name, content, message) => {
    expect((await fault(read(name, content))).message).toMatch(message);
  });

  function damaged(): Uint8Array {
    const bytes = Buffer.from(gzipSync('arm,payoff\na,1\nb,0\n'));
    bytes[bytes.length - 6] ^= 1; // the checksum
    return bytes;
  }

  it('is refused where there is no file to read', async () => {
    mkdirSync(pathOf('folder.csv'), { recursive: true });
    expect((await fault(readLog([pathOf('absent from the start.csv')], { mapping: MAPPING }))).message).toMatch(
      /absent from the start\.csv: no such file/,
    );
    expect((await fault(readLog([pathOf('folder.csv')], { mapping: MAPPING }))).message).toMatch(
      /folder\.csv: is a directory/,
    );
    expect((await fault(readLog([], { mapping: MAPPING }))).message).toMatch(/no log file is given/);
    const denied = fileError('x.csv', Object.assign(new Error('EACCES'), { code: 'EACCES' }));
    expect(denied.message).toMatch(/x\.csv: no permission to read the file/);
    symlinkSync(pathOf('gone'), pathOf('dangling.csv'));
    expect((await fault(readLog([pathOf('dangling.csv')], { mapping: MAPPING }))).message).toMatch(/no such file/);
    // Root may read everything; for others the real thing.
    const secret = write('secret.csv', 'arm,payoff\na,1\n');
    chmodSync(secret, 0);
    const reading = readLog([secret], { mapping: MAPPING });
    if (process.getuid?.() === 0) expect((await reading).events).toBe(1);
    else expect((await fault(reading)).message).toMatch(/no permission/);
  });

  it('names the line behind quoted line breaks and empty lines', async () => {
    const error = await fault(read('lines.csv', 'arm,payoff,k\n\n"a\nb",1,"x ""y\nz"\n\nc,oops,ab"c\n'));
    expect(error.fault).toMatchObject({ row: 1, line: 7, column: 'payoff', got: '"oops"' });
  });

  it('is dropped and counted by kind on request, nothing else', async () => {
    const text = [
      'arm,payoff,x',
      'a,1,1',
      'b',
      'c,zero,1',
      'd,0,nan',
      '"e\nf",1,2',
      'g,0,1,9',
      'h,bad,1',
      'i,1,3',
      'j,2,1',
    ].join('\n');
    const log = await read('skip.csv', text, {
      mapping: { ...MAPPING, context: ['x'], payoffRange: [0, 1] },
      skipBadRows: true,
    });
    expect(armIds(log)).toEqual(['a', 'e\nf', 'i']);
    expect(Array.from(log.sourceRow ?? [])).toEqual([0, 4, 7]);
    expect(log.source.rows).toBe(9);
    expect(Object.fromEntries(log.source.badRows.map(({ kind, count }) => [kind, count]))).toEqual({
      'too few columns': 1,
      'too many columns': 1,
      'payoff is not a number': 2,
      'feature is missing': 1,
      'payoff is outside the declared range': 1,
    });
    const first = Object.fromEntries(log.source.badRows.map((bad) => [bad.kind, bad.first]));
    expect(first['payoff is not a number']).toMatch(
      /skip\.csv, row 2 \(line 4\), column "payoff": payoff is not a number\n {2}got: {4}"zero"/,
    );
    expect(first['too many columns']).toMatch(/row 5 \(line 8\)/);
    expect(first['feature is missing']).toMatch(/row 3 \(line 5\), column "x"/);
    expect(log.events + log.source.badRows.reduce((sum, { count }) => sum + count, 0)).toBe(log.source.rows);
  });

  it('is a file of which some lines end in CR alone, which may be part of a value', async () => {
    for (const [text, line] of [
      ['arm,payoff\r\na,1\r\nb,0\rc,1\r\n', 3],
      ['arm,payoff\na\r,1\n', 2],
      ['arm,payoff\ra,1\nb,0', 1],
      ['arm,payoff\na,1\nb,0\r', 3],
    ] as const) {
      const { fault: found } = await fault(read('ends.csv', text, { skipBadRows: true }));
      expect([text, found.problem, found.line]).toEqual([text, 'lines end in different ways', line]);
      await fault(read('ends.csv', text));
    }
  });

  it('is not dropped where an open quote hides good rows', async () => {
    const error = await fault(read('swallow.csv', 'arm,payoff\na,1\n"b,0\nc,1\nd,1\n', { skipBadRows: true }));
    expect(error.message).toMatch(
      /row 1 \(line 3\): a quote is not closed[\s\S]*the lines after it cannot be told apart/,
    );
  });

  it('is told with a hint where the mapping or format is wrong', async () => {
    const path = write('plain.csv', 'arm,payoff\na,1\n');
    expect((await fault(readLog([path], {}))).message).toMatch(/nothing says which column is what/);
    expect((await fault(readLog([path], { format: 'odb' as 'obd' }))).message).toMatch(
      /unknown log format[\s\S]*did you mean "obd"\?/,
    );
    expect((await fault(readLog([path], { format: 'obd', mapping: MAPPING }))).message).toMatch(
      /brings its own mapping/,
    );
    expect((await fault(readLog([path], { mapping: { ...MAPPING, context: ['z*'] } }))).message).toMatch(
      /no column matches a context pattern/,
    );
    const unknown = await fault(
      readLog([path], { mapping: { ...MAPPING, candidates: { id: 'arm', sets: { b: ['a'] } } } }),
    );
    expect(unknown.message).toMatch(/column "arm": candidate set is unknown\n {2}got: {4}"a"/);
    const arms = await fault(readLog([path], { mapping: MAPPING, arms: ['b', 'c'] }));
    expect(arms.message).toMatch(
      /row 0 \(line 2\), column "arm": arm is not in the given list\n {2}got: {4}"a"\n {2}needed: one of "b", "c"/,
    );
  });

  it('ends a reading that is called off', async () => {
    const path = write('abort.csv', `arm,payoff\n${'a,1\n'.repeat(50000)}`);
    const controller = new AbortController();
    const reading = readLog([path], {
      mapping: MAPPING,
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('tells an arm outside of its candidate set, though pairs of a set and an arm are remembered 4,096 at a time', async () => {
    // Set A and arm 904, set B and arm 2,000 = 3,000 + 2,000 − 4,096: one place.
    const ids = Array.from({ length: 3000 }, (_, a) => String(a));
    const sets = { A: ids, B: ids.slice(0, 1500) };
    const rows = [...ids.map((id) => `${id},0,A`), '1499,1,B', '2000,1,B'];
    const mapping = { ...MAPPING, candidates: { id: 'set', sets } };
    const text = (to: number) => `arm,payoff,set\n${rows.slice(0, to).join('\n')}\n`;
    expect((await read('inside.csv', text(3001), { mapping })).events).toBe(3001);
    const outside = await fault(read('outside.csv', text(3002), { mapping }));
    expect(outside.fault).toMatchObject({
      row: 3001,
      problem: expect.stringMatching(/not among the event's candidates/),
    });
  });

  it.each([32, 33])('reads %i columns of numbers alike, a few one by one and many as lists', async (columns) => {
    const names = Array.from({ length: columns }, (_, j) => `f${j}`);
    const values = [' 1.5 ', 'TRUE', '1e3', '-0', 'nan', '', 'N/A', 'false'];
    const text = (rows: readonly string[]) =>
      `arm,payoff,${names}\n${rows.map((value, t) => `${t % 2},0,${names.map(() => value)}`).join('\n')}\n`;
    const impute = Object.fromEntries(names.map((name) => [name, 'zero' as const]));
    const mapping = { ...MAPPING, context: names, impute };
    const log = await read(`numbers-${columns}.csv`, text(values), { mapping });
    for (const [t, value] of [1.5, 1, 1000, 0, 0, 0, 0, 0].entries())
      expect(Array.from(context(log, t))).toEqual(names.map(() => value));
    for (const bad of ['1_000', 'tru', 'inf', 'none such']) {
      const told = await fault(read(`bad-${columns}.csv`, text(['1', bad]), { mapping }));
      expect(told.fault).toMatchObject({ row: 1, column: 'f0' });
    }
  });
});
