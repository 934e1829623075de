/** Text files: where the header stands, how they are packed, how long their lines are; and that no row is lost. */

import { constants, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLog } from '#dist/formats/table/read/read.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { armIds, fault, MAPPING, payoffs, read, write } from '../../log/files.js';
import { inTwoSizes, LONG } from '../../long.js';
import { plainLog } from '../yahoo/yahoo-world.js';

const ROWS = 'arm,payoff\na,1\nb,0\n';

/** A gzip member with optional parts of its header. */
function member(
  content: string,
  parts: { extra?: string; name?: string; comment?: string; crc?: boolean } = {},
): Buffer {
  const { extra, name, comment, crc } = parts;
  const flags =
    (crc ? 2 : 0) | (extra === undefined ? 0 : 4) | (name === undefined ? 0 : 8) | (comment === undefined ? 0 : 16);
  const header = [Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3])];
  if (extra !== undefined) header.push(Buffer.from([extra.length, 0]), Buffer.from(extra));
  for (const text of [name, comment]) if (text !== undefined) header.push(Buffer.from(`${text}\0`));
  const head = Buffer.concat(header);
  const check = Buffer.alloc(crc ? 2 : 0);
  if (crc) check.writeUInt16LE(crcOf(head) & 0xffff);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crcOf(Buffer.from(content)), 0);
  end.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, check, deflateRawSync(content), end]);
}

/** CRC-32 as gzip has it: that of a member which Node writes itself. */
function crcOf(bytes: Buffer): number {
  const packed = gzipSync(bytes);
  return packed.readUInt32LE(packed.length - 8);
}

describe('the header of CSV', () => {
  it('is the first line that is more than blanks, and lines are counted from the top of the file', async () => {
    for (const [name, start, lines] of [
      ['two empty', '\n\n', 2],
      ['CR LF', '\r\n\r\n', 2],
      ['blanks', '  \n\t\n \t \n', 3],
      ['byte-order mark', '\ufeff\n\n', 2],
      ['many', '\n'.repeat(500), 500],
    ] as const) {
      const rows = name === 'CR LF' ? ROWS.replaceAll('\n', '\r\n') : ROWS;
      const log = await read(`${name}.csv`, start + rows);
      expect([name, armIds(log), payoffs(log), log.source.badRows]).toEqual([name, ['a', 'b'], [1, 0], []]);
      const bad = await fault(read(`${name}-bad.csv`, `${start}${rows}c,x`));
      expect([name, bad.fault.row, bad.fault.line, bad.fault.got]).toEqual([name, 2, lines + 4, '"x"']);
      const ragged = await fault(read(`${name}-ragged.csv`, `${start}${rows}c`));
      expect([name, ragged.fault.row, ragged.fault.line]).toEqual([name, 2, lines + 4]);
      const skipped = await read(
        `${name}-skip.csv`,
        `${start}${rows}c\nd,1`.replace(/\r?\n/g, rows.includes('\r') ? '\r\n' : '\n'),
        {
          skipBadRows: true,
        },
      );
      expect([name, armIds(skipped), Array.from(skipped.sourceRow ?? [])]).toEqual([name, ['a', 'b', 'd'], [0, 1, 3]]);
      expect(skipped.source.badRows).toMatchObject([{ kind: 'too few columns', count: 1 }]);
    }
    const packed = await read('blank.csv.gz', gzipSync(`\n\n${ROWS}`));
    expect(armIds(packed)).toEqual(['a', 'b']);
    const twice = await fault(read('twice.csv', '\n\narm,payoff,arm\n'));
    expect([twice.fault.problem, twice.fault.line]).toEqual(['two columns have the same name', 3]);
    expect(armIds(await read('cr.csv', `\r\r${ROWS.replaceAll('\n', '\r')}`))).toEqual(['a', 'b']);
  });
});

describe('gzip', () => {
  it('is read with every part that a member may have, in several members, with padding', async () => {
    const half = ['arm,payoff\na,', '1\nb,0\n'];
    for (const [name, bytes] of [
      ['comment', member(ROWS, { comment: 'note' })],
      ['header CRC', member(ROWS, { crc: true })],
      ['extra', member(ROWS, { extra: 'BC\x02\x00\x00\x00' })],
      ['all', member(ROWS, { extra: 'xx', name: 'log.csv', comment: 'c', crc: true })],
      ['padded', Buffer.concat([member(ROWS), Buffer.alloc(512)])],
      [
        'members',
        Buffer.concat([
          member(half[0], { name: 'a' }),
          member('', { comment: 'none' }),
          member(half[1], { crc: true }),
        ]),
      ],
      ['blocks', Buffer.concat([...ROWS].map((character) => member(character, { extra: 'BC' })).concat(member('')))],
    ] as const) {
      for (const ending of ['csv.gz', 'csv']) {
        const log = await read(`${name}.${ending}`, bytes);
        expect([name, armIds(log), payoffs(log)]).toEqual([name, ['a', 'b'], [1, 0]]);
      }
    }
    const lines = await read('c.jsonl.gz', member('{"arm":"a","payoff":1}\n', { comment: 'c' }));
    expect(armIds(lines)).toEqual(['a']);
  });

  it('that is cut says how much precedes the cut', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `a${(i * 7919) % 1013},${i % 2}`);
    const whole = gzipSync(`arm,payoff\n${rows.join('\n')}\n`);
    const json = gzipSync(rows.map((row) => `{"arm":"${row.replace(',', '","payoff":')}}\n`).join(''));
    for (const [name, bytes, header] of [
      ['cut.csv.gz', whole, 1],
      ['cut.jsonl.gz', json, 0],
    ] as const) {
      const cut = bytes.subarray(0, bytes.length >> 1);
      const left = gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
      const lines = (left.split('\n').length - 1 - header).toLocaleString('en');
      const error = await fault(read(name, cut));
      expect(error.message).toContain(`after ${lines} whole rows (${left.length.toLocaleString('en')} bytes unpacked)`);
    }
  });
});

describe('a line that is too long', () => {
  const long = 'x'.repeat(5000);
  const formats: [string, string, string, ReadOptions][] = [
    ['csv', ROWS, `${long},1\n`, { mapping: MAPPING }],
    ['quoted.csv', ROWS, `"${'x\n'.repeat(2500)}",1\n`, { mapping: MAPPING }],
    ['jsonl', '{"arm":"a","payoff":1}\n', `{"arm":"${long}","payoff":1}\n`, { mapping: MAPPING }],
    ['vw', '1:1:0.5 | a\n', `1:1:0.5 | ${long}\n`, {}],
    ['r6b', plainLog('r6b', 3).text.toString().split('\n').slice(0, 1).join('\n').concat('\n'), `1 ${long}\n`, {}],
  ];
  it.each(formats)('is an error with its line, packed or not: %s', async (name, good, bad, options) => {
    const lines = good.split('\n').length - 1;
    for (const pack of [(text: string) => text, (text: string) => gzipSync(text)]) {
      const texts = [good + bad + good.replace('arm,payoff\n', ''), good + bad.trimEnd()];
      // A last line of R6A or R6B without an end is a fault of its own.
      for (const text of name === 'r6b' ? texts.slice(0, 1) : texts) {
        const path = write(`long-${name}`, pack(text));
        const error = await fault(readLog([path], { ...options, maxLine: 4000 }));
        expect([error.fault.problem, error.fault.line, error.message.includes('--max-line')]).toEqual([
          'line is too long',
          lines + 1,
          true,
        ]);
      }
    }
  });

  it('is read where the limit allows it, far beyond what is usual', LONG, async () => {
    for (const size of [3e6, 40e6]) {
      const text = `${ROWS}${'a,1\n'.repeat(5000)}"${'x\n'.repeat(size / 2)}",1\nb,0\n`;
      const log = await read('huge.csv', text);
      expect([log.events, log.arms.ids.map(({ length }) => length)]).toEqual([5004, [1, 1, size]]);
    }
  });

  it('is not a limit for files without lines, or of nonsense', async () => {
    for (const maxLine of [0, 1.5, Number.NaN, 1e12])
      expect((await fault(read('limit.csv', ROWS, { maxLine }))).message).toMatch(/option maxLine is not usable/);
    const arrow = fault(readLog([write('none.arrow', 'ARROW1..')], { mapping: MAPPING, maxLine: 100 }));
    expect((await arrow).message).toMatch(/maxLine does not go with this format/);
  });
});

inTwoSizes('no record of random text is lost without a word (property)', [25, 150], async (numRuns) => {
  const piece = fc.constantFrom(
    'a',
    '1',
    ',',
    '"',
    '""',
    '\n',
    ' ',
    '"x"',
    '\n\n',
    'a,1\n',
    'b,0\n',
    '"a\nb",1\n',
    'é',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const text = `arm,payoff\n${pieces.join('')}`;
      const isPlain = WELL_FORMED.test(text);
      const log = await read('random.csv', text, { skipBadRows: true }).catch((error: unknown) => String(error));
      if (typeof log === 'string') {
        if (isPlain) expect(log).not.toMatch(/rows would be lost/);
        return;
      }
      if (isPlain) expect(log.source.rows).toBe(recordsOf(text) - 1);
      const dropped = log.source.badRows.reduce((sum, { count }) => sum + count, 0);
      expect(log.events + dropped).toBe(log.source.rows);
    }),
    { numRuns, seed: 11 },
  );
});

/** RFC 4180: quotes around fields only, doubled within. */
const FIELD = '(?:"(?:[^"]|"")*"|[^",\\n]*)';
const WELL_FORMED = new RegExp(`^(?:${FIELD}(?:,${FIELD})*(?:\\n|$))*$`);

/** Records of such text: an own count. */
function recordsOf(text: string): number {
  const bare = text.replace(/"(?:[^"]|"")*"/g, 'q');
  return bare.split('\n').filter((line) => line !== '').length;
}
