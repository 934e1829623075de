/** Packed buffers whose frames say another size than they have: refused with their place, before they take memory. */

import * as arrow from 'apache-arrow';
import * as fzstd from 'fzstd';
import { describe, expect, it } from 'vitest';
import xxhash from 'xxhash-wasm';
import { zstdFramesOf } from '#dist/files/zstd-frames.js';
import { lz4Bound, lz4Frame } from '#dist/formats/arrow/lz4-frame.js';
import { zstdBound, zstdBuffer } from '#dist/formats/arrow/zstd-buffer.js';
import { convert } from '#dist/open/convert.js';
import { fault, MAPPING, pathOf, payoffs, read, write } from '../../log/files.js';

const { h64Raw } = await xxhash();
const EVENTS = 4000;
/** No payoffs, then payoffs: what is missing at the end must not become 0. */
const VALUES = Int8Array.from({ length: EVENTS }, (_, t) => (t < EVENTS / 2 ? 0 : 1));

interface Shape {
  /** What it says that it has; `null`: nothing. */
  readonly size?: number | null;
  readonly checksum?: number;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A Zstandard frame of bytes that are repeated so often. */
function frame(runs: readonly (readonly [byte: number, times: number])[], shape: Shape = {}): Buffer {
  const { size = runs.reduce((sum, [, times]) => sum + times, 0), checksum } = shape;
  // Eight bytes for the size, and a window of 2 MiB.
  const head = [0x28, 0xb5, 0x2f, 0xfd, (size === null ? 0 : 0xc0) | (checksum === undefined ? 0 : 4), 0x58];
  const blocks = runs.map(([byte, times], i) => {
    const word = (i === runs.length - 1 ? 1 : 0) | 2 | (times << 3);
    return Buffer.from([word & 255, (word >> 8) & 255, word >> 16, byte]);
  });
  const said = size === null ? [] : [u32(size % 2 ** 32), u32(Math.floor(size / 2 ** 32))];
  return Buffer.concat([Buffer.from(head), ...said, ...blocks, ...(checksum === undefined ? [] : [u32(checksum)])]);
}

const checksumOf = (bytes: Uint8Array): number => Number(h64Raw(bytes) & 0xffffffffn);
const CONTENT = Buffer.from(VALUES.buffer);
const RUNS = [
  [0, EVENTS / 2],
  [1, EVENTS / 2],
] as const;

/** A log of which both columns, shorter when packed, are `frames`, and said to have so many bytes; by default as apache-arrow says. */
function file(frames: Uint8Array, said: bigint = BigInt(frames.length), values = VALUES): Buffer {
  const { CompressionType, compressionRegistry } = arrow;
  const before = compressionRegistry.get(CompressionType.ZSTD);
  compressionRegistry.set(CompressionType.ZSTD, { ...before, encode: () => frames });
  const column = () => arrow.makeVector(values);
  const writer = new arrow.RecordBatchFileWriter({ compressionType: CompressionType.ZSTD });
  const table = new arrow.Table({ arm: column(), payoff: column() });
  const bytes = Buffer.from(writer.writeAll(table).toUint8Array(true));
  let found = 0;
  for (let at = bytes.indexOf(frames); at >= 0; at = bytes.indexOf(frames, at + 1), found++)
    bytes.writeBigInt64LE(said, at - 8);
  expect(found).toBe(2);
  return bytes;
}

const GOOD: [string, Buffer][] = [
  ['of their size', frame(RUNS)],
  ['of no size', frame(RUNS, { size: null })],
  ['with a checksum', frame(RUNS, { checksum: checksumOf(CONTENT) })],
  ['of no size, with a checksum', frame(RUNS, { size: null, checksum: checksumOf(CONTENT) })],
  ['that are several', Buffer.concat([frame([RUNS[0]]), frame([RUNS[1]], { size: null })])],
];

const BAD: [string, Buffer, RegExp][] = [
  ['of less than they say', frame([RUNS[0]], { size: EVENTS }), /another size than the 4000 bytes it says/],
  ['of a byte less', frame([RUNS[0], [1, EVENTS / 2 - 1]], { size: EVENTS }), /another size than the 4000 bytes/],
  ['of a byte more', frame([RUNS[0], [1, EVENTS / 2 + 1]], { size: EVENTS }), /another size than the 4000 bytes/],
  ['of a block more', frame([...RUNS, [1, 131072]], { size: EVENTS }), /another size than the 4000 bytes/],
  ['of terabytes, they say', frame(RUNS, { size: 2 ** 42 }), /another size than the 4398046511104 bytes/],
  ['with another checksum', frame(RUNS, { checksum: 1 + checksumOf(CONTENT) }), /another checksum/],
  ['of no size with another checksum', frame(RUNS, { size: null, checksum: 1 }), /another checksum/],
  ['that are cut', frame(RUNS).subarray(0, -2), /within the frame that begins at byte 0/],
  ['that are shorter than the rows', frame([RUNS[0]]), /fewer values than rows/],
];

describe('Zstandard frames in Arrow', () => {
  it.each(GOOD)('%s are what they hold', async (name, frames) => {
    for (const said of [undefined, BigInt(EVENTS)]) {
      const log = await read(`${name}.arrow`, file(frames, said));
      expect(payoffs(log)).toEqual([...VALUES]);
    }
    expect(zstdBound(frames)).toBe(EVENTS);
  });

  it.each(BAD)('%s are refused with their place', async (name, frames, got) => {
    for (const [how, said] of [
      ['unsaid', undefined],
      ['said', BigInt(EVENTS)],
    ] as const) {
      const { fault: told } = await fault(read(`${how} ${name}.arrow`, file(frames, said)));
      // Those that are shorter than they are to be are found out by that, too.
      const also = how === 'said' ? /a packed buffer of \d+ bytes, where 4000 stand|more than the 4000 bytes/ : got;
      expect(
        [got, also].some((pattern) => pattern.test(told.got ?? '')),
        told.got,
      ).toBe(true);
      expect(told.file).toContain(name);
      if (told.column === undefined) expect(told.got).toMatch(/in record batch 0$/);
    }
  });

  it('whose buffer says another size than they have are refused', async () => {
    for (const said of [0n, 1n, BigInt(EVENTS - 1), BigInt(EVENTS + 1), 100_000n]) {
      const { fault: told } = await fault(read('other.arrow', file(frame(RUNS), said)));
      expect(told.got).toMatch(/4000 bytes, where \d+ stand before it|more than the \d+ bytes/);
    }
  });

  it('that unpack to more than the memory are refused before they do', async () => {
    // 2 GiB in 64 KB, twice; 512 MB may hold batches of 128 MB.
    const bomb = frame(
      Array.from({ length: 16384 }, () => [1, 131071] as const),
      { size: null },
    );
    const before = process.memoryUsage().rss;
    for (const said of [undefined, BigInt(EVENTS), 2n ** 40n]) {
      const path = write('bomb.arrow', file(bomb, said, new Int8Array(100_000)));
      const packing = convert({ files: [path], mapping: { ...MAPPING } }, pathOf('bomb.hindcast'), { memory: 512e6 });
      const { fault: told } = await fault(packing);
      if (said === BigInt(EVENTS)) expect(told.got).toMatch(/more than the 4000 bytes .* in record batch 0/);
      else expect(told).toMatchObject({ problem: 'a record batch is too large for the memory' });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
  });

  it('that another program wrote, of compressed blocks, are refused with any other size', () => {
    // What zstd 1.5.4 -19 --check made of the text of test/files/zstd.test.ts: one byte says its size.
    const whole = Buffer.from(
      'KLUv/ST9nQIA8sMLD8DrxCNubf6vSZqUkcHh9L7viwDwbhEA9neL0AOsm3Z1ib3uMPdNUy3lrEQ1KQMZqCB4uP8doFnSAUACOv9KBx1PrAJK6URk/Dp1cc5aJAWq/HaP',
      'base64',
    );
    const [{ size, checksum }] = zstdFramesOf(whole).frames;
    const content = zstdBuffer(whole, fzstd, h64Raw);
    expect([content.length, checksumOf(content), content.byteOffset % 8]).toEqual([size, checksum, 0]);
    expect(Buffer.from(content).toString()).toMatch(/^arm,payoff,x\na,1,0\n/);
    for (let said = 0; said < 256; said++) {
      const other = Buffer.from(whole);
      other[5] = said;
      // Without a checksum, too: the size alone tells.
      const bare = other.subarray(0, -4);
      bare[4] &= ~4;
      if (said === size) expect(zstdBuffer(bare, fzstd, h64Raw)).toEqual(content);
      else expect(() => zstdBuffer(bare, fzstd, h64Raw), String(said)).toThrow();
    }
  });

  it('that are none are refused, and those that are to have less than they have', () => {
    expect(() => zstdBuffer(Buffer.from('no frames at all'), fzstd, h64Raw)).toThrow(/belong to no frame, from byte 0/);
    for (const size of [EVENTS, null])
      expect(() => zstdBuffer(frame(RUNS, { size }), fzstd, h64Raw, EVENTS - 1)).toThrow(/more than the 3999 bytes/);
  });
});

describe('bounds by blocks', () => {
  it('hold for LZ4 that says no size, and are 0 for what is no frame', () => {
    // Two blocks of 64 KiB at most: one as it is, one packed.
    const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0]);
    const raw = Buffer.concat([u32((0x80000000 | 5) >>> 0), Buffer.from('hello')]);
    // A literal and a match of 4 + 15 + 255 + 3 bytes at distance 1.
    const match = Buffer.from([0x1f, 97, 1, 0, 255, 3, 0x10, 98]);
    const bytes = Buffer.concat([head, raw, u32(match.length), match, u32(0)]);
    const content = lz4Frame(bytes, () => 0);
    expect(content.length).toBe(5 + 1 + 277 + 1);
    expect(lz4Bound(bytes)).toBe(5 + 255 * match.length);
    expect([lz4Bound(Buffer.alloc(20)), zstdBound(Buffer.alloc(20))]).toEqual([0, 0]);
  });
});
