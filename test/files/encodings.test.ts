/** Text in other encodings than UTF-8, and numbers with decimal commas: read where they are named, else errors that name them. */

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { InputError } from '#dist/errors.js';
import { stepSize } from '#dist/estimate/sums/payoff-scale.js';
import { profileFiles } from '#dist/formats/table/profile/profile.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { write } from '../log/files.js';

const ARMS = ['Käse', 'Brot', '€uro'];
const ROWS = Array.from({ length: 3000 }, (_, t) => `${ARMS[(t * 5) % 3]};${t % 2};${t / 8}`);
const CSV = `produkt;größe;x\n${ROWS.join('\n')}\n`;
const LINES = ROWS.map((row) => row.split(';'))
  .map(([produkt, size, x]) => `${JSON.stringify({ produkt, größe: Number(size), x: Number(x) })}\n`)
  .join('');
const MAPPING = { arm: 'produkt', payoff: 'größe', context: ['x'] };

const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const windows = (text: string) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1');
const read = (name: string, bytes: Buffer | string, options: Partial<ReadOptions> = {}) =>
  readLog([write(name, bytes)], { mapping: MAPPING, ...options });
const fault = (name: string, bytes: Buffer | string, options: Partial<ReadOptions> = {}) =>
  read(name, bytes, options).then(
    () => 'no error',
    (error: unknown) => (error instanceof InputError ? error.message : `other ${String(error)}`),
  );

describe('encodings', () => {
  it.each<[NonNullable<ReadOptions['encoding']>, (text: string) => Buffer]>([
    ['utf-16', (text) => utf16le(`\ufeff${text}`)],
    ['utf-16', (text) => utf16be(`\ufeff${text}`)],
    ['utf-16le', utf16le],
    ['utf-16be', utf16be],
    ['windows-1252', windows],
    ['utf-8', (text) => Buffer.from(`\ufeff${text}`)],
  ])('%s, as CSV and JSON lines, packed or not', async (encoding, encode) => {
    const files: [string, Buffer][] = [
      ['e.csv', encode(CSV)],
      ['e.csv.gz', gzipSync(encode(CSV))],
      ['e.jsonl', encode(LINES)],
    ];
    for (const [name, bytes] of files) {
      if (encoding === 'utf-8' && name === 'e.jsonl') continue;
      const log = await read(name, bytes, { encoding });
      expect([log.events, log.arms.ids]).toEqual([3000, ['Brot', 'Käse', '€uro']]);
      expect(log.contexts.values[(log.contexts.row?.[2999] ?? 2999) * 1]).toBe(2999 / 8);
    }
    expect((await profileFiles([write('p.csv', encode(CSV))], { encoding })).columns.map(({ name }) => name)).toEqual([
      'produkt',
      'größe',
      'x',
    ]);
  });

  it('latin1 keeps what Windows-1252 takes for other characters', async () => {
    const log = await read('l.csv', Buffer.from('produkt;größe;x\na\x85;1;2\nb;0;3\n', 'latin1'), {
      encoding: 'latin1',
    });
    expect(log.arms.ids).toEqual(['a\x85', 'b']);
  });

  it.each<[string, string, Buffer, string[]]>([
    ['UTF-16 with a mark', 'm.csv', utf16le(`\ufeff${CSV}`), ['the file is UTF-16', '--encoding utf-16']],
    ['UTF-16 with a mark, JSON', 'm.jsonl', utf16le(`\ufeff${LINES}`), ['the file is UTF-16', '--encoding utf-16']],
    ['UTF-16 without', 'w.csv', utf16le(CSV), ['not text', 'if it is UTF-16: --encoding utf-16le']],
    ['UTF-16 without, big end', 'w.csv', utf16be(CSV), ['not text', 'if it is UTF-16: --encoding utf-16be']],
    [
      'Windows-1252',
      'x.csv',
      windows(CSV),
      [
        'line 1: the header is no record: not UTF-8',
        'byte 0xF6 at place 11 of the line',
        '"produkt;größe;x',
        '--encoding windows-1252',
      ],
    ],
    [
      'a late byte',
      'y.csv',
      windows(
        `produkt;größe;x\n`.replaceAll('größe', 'y') +
          ROWS.join('\n')
            .replaceAll(/[ä€]/g, 'a')
            .replace(/^(.*\n){1999}B/m, (all) => `${all.slice(0, -1)}Bröt`),
      ),
      ['line 2002', '0xF6', '--encoding windows-1252'],
    ],
    ['Windows-1252, JSON', 'x.jsonl', windows(LINES), ['line 1', '0xE4', '--encoding windows-1252']],
  ])('%s is an error with the byte and the option', async (_, name, bytes, parts) => {
    const mapping = { ...MAPPING, payoff: name.startsWith('y') ? 'y' : 'größe' };
    const message = await fault(name, bytes, { mapping });
    for (const part of parts) expect(message).toContain(part);
  });

  it.each<[string, string | Buffer, NonNullable<ReadOptions['encoding']>, string]>([
    ['UTF-16 of an unknown order', utf16le(CSV), 'utf-16', 'no byte order mark'],
    ['half a character', utf16le(`\ufeff${CSV}`).subarray(0, -1), 'utf-16', 'the text is not utf-16'],
    ['UTF-8 under another name', CSV, 'utf-16le', 'needed'],
  ])('%s is refused', async (_, bytes, encoding, part) => {
    expect(await fault('r.csv', bytes, { encoding })).toContain(part);
  });

  it('go with text in columns only', async () => {
    const file = write('v.vw', '1:1:0.5 | a\n2:0:0.5 | b\n');
    for (const option of [{ encoding: 'latin1' }, { decimalSeparator: ',' }] as const)
      await expect(readLog([file], { ...option, format: 'vw-cb' })).rejects.toThrow(
        'does not go with the format vw-cb',
      );
  });
});

describe('decimal commas', () => {
  const comma = (rows: readonly string[]) => `arm;payoff;p;x\n${rows.join('\n')}\n`;
  const good = Array.from({ length: 40 }, (_, t) => `${'ab'[(t * 3) % 2]};${t % 2 === 0 ? '0,25' : '1'};0,5;${t},5`);
  const mapping = { arm: 'arm', payoff: 'payoff', propensity: 'p', context: ['x'] };
  const options = { mapping, decimalSeparator: ',' } as const;

  it('are numbers where they are named', async () => {
    const log = await read('c.csv', comma(good), options);
    expect([log.contexts.values[(log.contexts.row?.[7] ?? 7) * 1], log.propensity?.[0]]).toEqual([7.5, 0.5]);
    expect([
      log.payoff.steps[0] * stepSize(log.payoff.scale),
      log.payoff.steps[1] * stepSize(log.payoff.scale),
    ]).toEqual([0.25, 1]);
    expect((await read('c.csv', comma(good), { ...options, where: 'x > 36.2' })).events).toBe(4);
    const { columns } = await profileFiles([write('c.csv', comma(good))], { decimalSeparator: ',' });
    expect(columns.map(({ kind }) => kind)).toEqual(['text', 'number', 'number', 'number']);
  });

  it.each([
    ['payoff', 'a;0,5;0,5;1', 'payoff is not a number'],
    ['propensity', 'a;1;0,5;1', 'propensity is outside'],
    ['feature', 'a;1;0.5;1,5', 'feature is not a number'],
  ])('elsewhere are errors with the option: %s', async (_, row, problem) => {
    const message = await fault('d.csv', comma([row]), { mapping });
    expect(message).toContain(problem);
    expect(message).toContain('if the comma stands before decimals: --decimal-separator ,');
  });

  it.each(['1.5', '1.234', '1.234,5'])('leave no number with a dot: %s', async (x) => {
    const message = await fault('e.csv', comma([...good, `a;1;0,5;${x}`]), options);
    expect(message).toMatch(/row 40 \(line 42\), column "x": feature is not a number/);
    expect(message).toContain('numbers have no dots');
  });
});
