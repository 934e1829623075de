/** What the fuzzer found, or would find, of rows of CSV and JSON lines; and files that break off. */

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, context, fault, MAPPING, payoffs, read, write } from '../../log/files.js';

const skip = { skipBadRows: true };

describe('a record of CSV', () => {
  it('ends in LF or CR LF, both in one file, and may hold either in quotes', async () => {
    for (const text of [
      'arm,payoff\r\na,1\r\nb,0\nc,1\r\n',
      '\n\r\narm,payoff\na,1\r\n\nb,0\r\n\r\nc,1',
      'arm,payoff\n"a","1"\r\n"b","0"\n"c","1"\r\n',
    ]) {
      const log = await read('mixed.csv', text);
      expect([armIds(log), payoffs(log)]).toEqual([
        ['a', 'b', 'c'],
        [1, 0, 1],
      ]);
    }
    for (const [end, other] of [
      ['\n', '\r\n'],
      ['\r\n', '\n'],
    ]) {
      const log = await read('within.csv', `payoff,arm${end}1,"é${other}"${end}0,"\r"${end}1,"x${end}y"${end}`);
      expect(armIds(log)).toEqual([`é${other}`, '\r', `x${end}y`]);
      const one = await fault(read('within.csv', `payoff,arm${end}1,"é${other}"${end}x,"\r"${end}`));
      expect([one.fault.row, one.fault.line]).toEqual([1, 4]);
    }
  });

  it('has blanks around its quotes, and quotes within what has none around it, but no text behind a quote', async () => {
    const log = await read('blanks.csv', 'arm,payoff,k\n "a, b" , 1 ,x"y\n5" pipe,0,"z""w"\n', {
      mapping: { ...MAPPING, keys: ['k'] },
    });
    expect([armIds(log), log.keys.get('k')?.levels]).toEqual([
      ['a, b', '5" pipe'],
      ['x"y', 'z"w'],
    ]);
    for (const bad of ['"a"b,1', '"a" "b",1', '"a"",1', '"a']) {
      const error = await fault(read('behind.csv', `arm,payoff\nb,0\n${bad}`));
      expect([bad, error.fault.row, error.fault.problem]).toEqual([
        bad,
        1,
        'a quote is not closed, or text follows it',
      ]);
      expect(armIds(await read('behind.csv', `arm,payoff\nb,0\n${bad}`, skip))).toEqual(['b']);
    }
    const header = await fault(read('header.csv', 'arm,"payoff"x\na,1\n'));
    expect(header.message).toMatch(/line 1: the header is no record: a quote is not closed, or text follows it/);
  });

  it('is text: no zero byte, and UTF-8, wherever it stands', async () => {
    const rows = (at: number, bad: Buffer) =>
      Buffer.concat([
        Buffer.from(`arm,payoff\n${'a,1\n'.repeat(at)}`),
        Buffer.concat([Buffer.from('b'), bad, Buffer.from(',0\nc,1\n')]),
      ]);
    for (const [bad, kind] of [
      [Buffer.of(0), 'not text: a zero byte'],
      [Buffer.of(0xff), 'not UTF-8'],
    ] as const) {
      for (const at of [0, 3, 40_000]) {
        expect((await fault(read('bytes.csv', rows(at, bad)))).fault).toMatchObject({ row: at, problem: kind });
        const log = await read('bytes.csv', rows(at, bad), skip);
        expect([log.events, log.source.badRows.map(({ kind: one, count }) => [one, count])]).toEqual([
          at + 1,
          [[kind, 1]],
        ]);
      }
    }
    expect((await fault(read('latin1.csv', Buffer.from('arm,payoff,gr\xf6\xdfe\na,1,2\n', 'latin1')))).message).toMatch(
      /line 1: the header is no record: not UTF-8/,
    );
  });

  it('keeps a byte order mark that does not begin its file, as another name', async () => {
    const log = await read('marks.csv', '\ufeffarm,payoff\n\ufeffa,1\na,0\nbad\n', skip);
    expect(armIds(log)).toEqual(['\ufeffa', 'a']);
    const packed = await read('marks.csv.gz', gzipSync('\ufeffarm,payoff\n\ufeffa,1\na,0\n'));
    expect(packed.arms.ids).toEqual(['a', '\ufeffa']);
  });

  it('may have a header of more than 64 KiB', async () => {
    const names = Array.from({ length: 12_000 }, (_, i) => `column${i}`);
    const text = `${names.join(',')},arm,payoff\n${names.map((_, i) => i).join(',')},a,1\n`;
    const log = await read('wide.csv', text, { mapping: { ...MAPPING, context: ['column11999', 'column0'] } });
    expect(context(log, 0)).toEqual([11_999, 0]);
  });
});

describe('a value of JSON lines', () => {
  it('is text as written', async () => {
    const arms = ['12345678901234567890', '1.0', '1e3', 'true', '"a\\"b,\\n"', '"\\ud83d\\ude00"', '""', '"\\u0000"'];
    const text = arms.map((arm) => `{"arm" : ${arm} ,"payoff":1,"late\\u0072":${arm}}\r\n`).join('\n');
    const log = await read('written.jsonl', text, { mapping: { ...MAPPING, keys: ['later'] } });
    const written = ['12345678901234567890', '1.0', '1e3', 'true', 'a"b,\n', '😀', '', '\0'];
    expect(armIds(log)).toEqual(written);
    expect(Array.from(log.keys.get('later')?.code ?? [], (code) => log.keys.get('later')?.levels[code])).toEqual(
      written,
    );
  });

  it('is no half of a character', async () => {
    const text = '{"arm":"a","payoff":1}\n{"arm":"\\ud800","payoff":1}\n{"arm":"b","payoff":0,"x":"\\udc00"}\n';
    expect((await fault(read('half.jsonl', text))).fault).toMatchObject({ row: 1, line: 2 });
    expect(armIds(await read('half.jsonl', text, skip))).toEqual(['a', 'b']);
  });

  it('is found where its name comes late, or in some rows only', async () => {
    const rows = Array.from(
      { length: 5000 },
      (_, i) => `{"arm":"a","payoff":${i % 2}${i > 4000 ? ',"x":1,"y":2' : ''}}`,
    );
    const bad = await fault(read('late.jsonl', rows.join('\n'), { mapping: { ...MAPPING, context: ['x'] } }));
    expect(bad.message).toMatch(/row 0 \(line 1\), column "x": feature is missing/);
    const log = await read('late.jsonl', rows.join('\n'), { ...skip, mapping: { ...MAPPING, context: ['y', 'x'] } });
    expect([log.events, context(log, 0)]).toEqual([999, [2, 1]]);
  });

  it('belongs to one object a line', async () => {
    for (const bad of [
      '{"arm":1,"payoff":1}{"arm":1,"payoff":1}',
      '{"arm":1,"payoff":1},',
      "{'arm':1}",
      '{"arm":NaN}',
      '{"a":1,}',
    ])
      expect((await fault(read('objects.jsonl', `{"arm":1,"payoff":1}\n${bad}\n`))).message).toMatch(
        /row 1 \(line 2\): line is not JSON/,
      );
  });
});

describe('a file that breaks off', () => {
  const csv = `arm,payoff\n${Array.from({ length: 30_000 }, (_, i) => `a${(i * 7919) % 1013},${i % 2}\n`).join('')}`;
  const jsonl = csv
    .split('\n')
    .slice(1, -1)
    .map((row) => `{"arm":"${row.replace(',', '","payoff":')}}\n`)
    .join('');
  const whole = csv.split('\n').slice(1, -1);
  /** A Zstandard frame of raw blocks. */
  const stored = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    const parts = [Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x50)];
    for (let from = 0; from < bytes.length; from += 65_536) {
      const block = bytes.subarray(from, from + 65_536);
      const header = Buffer.alloc(3);
      header.writeUIntLE((block.length << 3) | (from + block.length === bytes.length ? 1 : 0), 0, 3);
      parts.push(header, block);
    }
    return Buffer.concat(parts);
  };

  it.each([
    ['csv.gz', gzipSync(csv)],
    ['jsonl.gz', gzipSync(jsonl)],
    ['csv.zst', stored(csv)],
    ['jsonl.zst', stored(jsonl)],
  ])('is read up to there on request, and what it lost is counted and warned of: %s', async (name, bytes) => {
    const cut = bytes.subarray(0, bytes.length >> 1);
    const refused = await fault(read(`broken.${name}`, cut));
    expect(refused.message).toMatch(/ends too early[\s\S]*--skip-bad-rows reads what comes before the damage/);
    const log = await read(`broken.${name}`, cut, skip);
    expect(log.events).toBeGreaterThan(1000);
    expect(armIds(log)).toEqual(whole.slice(0, log.events).map((row) => row.split(',')[0]));
    expect(log.source.rows).toBe(log.events + 1);
    expect(log.source.badRows).toMatchObject([
      { kind: 'the compressed file ends too early', count: 1, lost: 'stretch' },
    ]);
    expect(log.source.warnings?.join('\n')).toMatch(/a file broke off, and what comes after is lost/);
  });

  it('in the last line of a plain file loses that line', async () => {
    for (const [name, text, kind] of [
      ['line.csv', 'arm,payoff\na,1\nb,0\nc', 'too few columns'],
      ['quote.csv', 'arm,payoff\na,1\nb,0\n"c', 'a quote is not closed, or text follows it'],
      ['line.jsonl', '{"arm":"a","payoff":1}\n{"arm":"b","payoff":0}\n{"arm":"c","pay', 'line is not JSON'],
    ]) {
      expect((await fault(read(name, text))).fault).toMatchObject({ row: 2, problem: kind });
      const log = await read(name, text, skip);
      expect([armIds(log), log.source.badRows.map(({ kind: one }) => one)]).toEqual([['a', 'b'], [kind]]);
    }
  });

  it('goes on with the files after it', async () => {
    const first = write('first.csv.gz', gzipSync(csv).subarray(0, 2000));
    const second = write('second.csv', 'payoff,arm\n1,z\n');
    const log = await readLog([first, second], { mapping: MAPPING, ...skip });
    expect(armIds(log).at(-1)).toBe('z');
    expect(log.sourceRow?.at(-1)).toBe(log.events);
  });
});
