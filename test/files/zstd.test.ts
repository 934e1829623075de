import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import xxhash from 'xxhash-wasm';
import { FileDigest, hashOf } from '#dist/files/digest.js';
import { readHead } from '#dist/files/files.js';
import { unpacked } from '#dist/files/unpacked.js';
import { zstdFrames } from '#dist/files/zstd-frames.js';
import { readLog } from '#dist/formats/table/read/read.js';
import { armIds, fault, MAPPING, pathOf, payoffs, read, write } from '../log/files.js';
import { inTwoSizes } from '../long.js';

const { h64Raw } = await xxhash();

/** The text that `SAMPLE` packs: what zstd 1.5.4 -19 --check made of it. */
const TEXT = [
  'arm,payoff,x',
  ...Array.from({ length: 40 }, (_, t) => `${'abc'[t % 3]},${t % 5 === 0 ? 1 : 0},${t % 7}`),
  '',
].join('\n');
const SAMPLE = Buffer.from(
  'KLUv/ST9nQIA8sMLD8DrxCNubf6vSZqUkcHh9L7viwDwbhEA9neL0AOsm3Z1ib3uMPdNUy3lrEQ1KQMZqCB4uP8doFnSAUACOv9KBx1PrAJK6URk/Dp1cc5aJAWq/HaP',
  'base64',
);

interface FrameOptions {
  checksum?: boolean;
  size?: boolean;
  /** Bytes of content per block. */
  block?: number;
}

/** A frame of raw blocks, and of repeated bytes where a block is one byte. */
function frame(content: Uint8Array, { checksum = true, size = true, block = 1000 }: FrameOptions = {}): Buffer {
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, (size ? 0x80 : 0) | (checksum ? 4 : 0), 0x58]);
  const parts: Uint8Array[] = [head];
  if (size) parts.push(u32(content.length));
  for (let at = 0; at === 0 || at < content.length; at += block) {
    const part = content.subarray(at, at + block);
    const last = at + block >= content.length ? 1 : 0;
    const same = part.length > 1 && part.every((byte) => byte === part[0]);
    const word = last | (same ? 2 : 0) | (part.length << 3);
    parts.push(
      Buffer.from([word & 255, (word >> 8) & 255, word >> 16]),
      Buffer.from(same ? part.subarray(0, 1) : part),
    );
  }
  if (checksum) parts.push(u32(Number(h64Raw(content) & 0xffffffffn)));
  return Buffer.concat(parts);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A frame to be skipped. */
const skipped = (content: Uint8Array): Buffer => Buffer.concat([u32(0x184d2a53), u32(content.length), content]);

async function content(name: string, bytes: Uint8Array): Promise<Buffer> {
  const parts: Buffer[] = [];
  const file = write(name, bytes);
  const digest = new FileDigest(file);
  for await (const part of unpacked(file, 'zstd', undefined, digest)) parts.push(Buffer.from(part));
  // Whatever lies between frames: the hash is that of the file.
  expect(await digest.finish()).toEqual(await hashOf(file));
  return Buffer.concat(parts);
}

/** What comes out before the error, and the error. */
async function broken(name: string, bytes: Uint8Array): Promise<{ before: string; message: string }> {
  const parts: Buffer[] = [];
  const error = await fault(
    (async () => {
      for await (const part of unpacked(write(name, bytes), 'zstd')) parts.push(Buffer.from(part));
    })(),
  );
  return { before: Buffer.concat(parts).toString('utf8'), message: error.message };
}

/** Packs the rows of a query with DuckDB's encoder. */
async function packed(name: string, sql: string, format: string): Promise<string> {
  const path = pathOf(name);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (${sql}) TO '${path}' (FORMAT ${format}, COMPRESSION zstd)`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

describe('Zstandard', () => {
  it('unpacks what zstd packs, frames of every kind, and skips those to be skipped', async () => {
    const text = Buffer.from(TEXT);
    expect((await content('sample.zst', SAMPLE)).toString()).toBe(TEXT);
    const long = Buffer.concat([Buffer.alloc(300_000, 'x'), text]);
    for (const [name, bytes, expected] of [
      ['raw', frame(text), text],
      ['plain', frame(text, { checksum: false, size: false }), text],
      ['tiny', frame(Buffer.from('a')), Buffer.from('a')],
      ['nothing', frame(Buffer.alloc(0)), Buffer.alloc(0)],
      ['bare nothing', frame(Buffer.alloc(0), { checksum: false, size: false }), Buffer.alloc(0)],
      ['same', frame(long, { block: 100_000 }), long],
      ['two', Buffer.concat([frame(text), SAMPLE]), Buffer.concat([text, text])],
      [
        'skipped',
        Buffer.concat([skipped(text), frame(text), skipped(Buffer.alloc(0)), SAMPLE, skipped(SAMPLE)]),
        Buffer.concat([text, text]),
      ],
    ] as const) {
      expect([name, (await content(`${name}.zst`, bytes)).equals(expected)]).toEqual([name, true]);
    }
  });

  it('finds the frames without unpacking them', () => {
    const text = Buffer.from(TEXT);
    const file = write('frames.zst', Buffer.concat([SAMPLE, skipped(text), frame(text, { checksum: false })]));
    const { frames, fault: none } = zstdFrames(file);
    expect(none).toBeNull();
    expect(frames.map(({ start, end, whole, size }) => [start, end, whole, size])).toEqual([
      [0, SAMPLE.length, true, TEXT.length],
      [SAMPLE.length + 8 + TEXT.length, readFileSync(file).length, true, TEXT.length],
    ]);
    expect(frames.map(({ checksum }) => checksum === null)).toEqual([false, true]);
  });

  inTwoSizes('reports a cut wherever it is, after all blocks before it', [3, 1], async (step) => {
    const whole = Buffer.concat([frame(Buffer.from(TEXT), { block: 100 }), SAMPLE]);
    for (let at = 4; at < whole.length; at += step) {
      const { before, message } = await broken('cut.zst', whole.subarray(0, at)).catch(() => ({
        before: '',
        message: '',
      }));
      // Between the frames nothing is missing.
      if (message === '') expect([at, frame(Buffer.from(TEXT), { block: 100 }).length]).toEqual([at, at]);
      else
        expect([at, message]).toEqual([
          at,
          expect.stringMatching(/cut\.zst: the compressed file (ends too early|is damaged)/),
        ]);
      expect((TEXT + TEXT).startsWith(before)).toBe(true);
      if (at > 120 && message !== '') expect(before.length).toBeGreaterThanOrEqual(100);
    }
  });

  inTwoSizes('reports every flipped bit of a packed file, or gives its content', [7, 1], async (step) => {
    const whole = Buffer.concat([SAMPLE, frame(Buffer.from('the end'), { block: 3 })]);
    const expected = `${TEXT}the end`;
    for (let bit = 32; bit < whole.length * 8; bit += step) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] ^= 1 << (bit & 7);
      const got = await content('flipped.zst', flipped).then(String, (error: Error) => error.message);
      if (got !== expected)
        expect([bit, got]).toEqual([
          bit,
          expect.stringMatching(/flipped\.zst: (the compressed file|unpacking the file needs)/),
        ]);
    }
  });

  it('ends in content or an error for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.nat(SAMPLE.length), async (noise, at) => {
        const bytes = Buffer.concat([SAMPLE.subarray(0, Math.max(4, at)), noise]);
        const got = await content('noise.zst', bytes).then(
          () => 'content',
          (error: Error) => error.message,
        );
        expect(got).toMatch(/^content$|noise\.zst: (the compressed file|unpacking the file needs)/);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses what it cannot unpack: dictionaries, long windows, blocks beyond the limit', async () => {
    const windowed = frame(Buffer.from(TEXT), { size: false });
    windowed[5] = (26 - 10) << 3;
    const [said, ...rest] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), u32(2 ** 31), Buffer.from([9, 0, 0, 97])];
    expect((await broken('segment.zst', Buffer.concat([said, ...rest]))).message).toMatch(
      /is damaged\n[\s\S]*at most 1 bytes, and the frame at byte 0 says 2147483648/,
    );
    expect((await broken('window.zst', windowed)).message).toMatch(/a window of 64 MiB\n[\s\S]*zstd -d --long/);
    const dictionary = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0x58, 7]), Buffer.from([1, 0, 0])]);
    expect((await broken('dictionary.zst', dictionary)).message).toMatch(/needs a dictionary/);
    const bomb = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, 0xfb, 0xff, 0xff, 65]);
    expect((await broken('bomb.zst', bomb)).message).toMatch(/more than 128 KiB/);
  });
});

describe('logs packed with Zstandard', () => {
  const rows = `SELECT i % 7 AS arm, i % 2 AS payoff, i AS x FROM range(50000) t(i)`;

  it('are read as the plain ones are, told by content', async () => {
    for (const [name, format] of [
      ['log.csv.zst', 'csv, HEADER'],
      ['log.jsonl.zst', 'json'],
      ['log.bin', 'csv, HEADER'],
      ['log.tsv.zst', "csv, HEADER, DELIMITER '\t'"],
    ]) {
      const file = await packed(name, rows, format);
      const log = await readLog([file], { mapping: { ...MAPPING, context: ['x'] } });
      expect([name, log.events, log.arms.ids.length]).toEqual([name, 50000, 7]);
      expect(log.contexts.values.every((x, t) => x === t)).toBe(true);
      expect(payoffs(log).every((r, t) => r === t % 2)).toBe(true);
    }
    expect(armIds(await read('sample.csv.zst', SAMPLE)).join('')).toBe(`${'abc'.repeat(13)}a`);
    const two = Buffer.concat([skipped(SAMPLE), frame(Buffer.from('arm,payoff\na,1\n')), frame(Buffer.from('b,0\n'))]);
    expect(armIds(await read('two.csv.zst', two))).toEqual(['a', 'b']);
    expect(await readHead(write('head.csv.zst', SAMPLE))).toMatchObject({ packing: 'zstd', whole: true });
  });

  it('say the line of a bad value', async () => {
    const bad = `arm,payoff\n${'a,1\n'.repeat(40_000)}\n"b\nc",x\n`;
    const error = await fault(read('bad.csv.zst', frame(Buffer.from(bad), { block: 100_000 })));
    expect(error.fault).toMatchObject({ row: 40_000, line: 40_003, got: '"x"' });
    const lines = `{"arm":1,"payoff":1}\n`.repeat(9000);
    const json = await fault(read('bad.jsonl.zst', frame(Buffer.from(`${lines}{"arm":1}\n`), { block: 100_000 })));
    expect(json.fault).toMatchObject({ row: 9000, line: 9001 });
  });

  it('are refused where they are cut off or damaged', async () => {
    for (const [ending, format] of [
      ['csv', 'csv, HEADER'],
      ['jsonl', 'json'],
    ]) {
      const whole = readFileSync(await packed(`whole.${ending}.zst`, rows, format));
      const checked = frame(Buffer.from(ending === 'csv' ? TEXT : '{"arm":1,"payoff":1}\n{"arm":2,"payoff":0}\n'));
      const damaged = Buffer.from(checked);
      // A digit of the content: another good row, by its looks.
      damaged[damaged.length - 8] ^= 1;
      for (const [what, bytes, message] of [
        ['cut', whole.subarray(0, whole.length >> 1), /ends too early/],
        ['last', whole.subarray(0, -1), /ends too early/],
        ['damaged', damaged, /is damaged/],
        [
          'trailing',
          Buffer.concat([whole, Buffer.from('more')]),
          /is damaged\n {2}got: {4}bytes that belong to no frame/,
        ],
        ['nothing', frame(Buffer.alloc(0)), /the file is empty/],
      ] as const) {
        const name = `${what}.${ending}.zst`;
        expect([name, (await fault(read(name, bytes))).message]).toEqual([name, expect.stringMatching(message)]);
      }
    }
  });
});
