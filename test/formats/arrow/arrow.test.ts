import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as arrow from 'apache-arrow';
import lz4 from 'lz4js';
import { describe, expect, it } from 'vitest';
import xxhash from 'xxhash-wasm';
import { lz4Frame } from '#dist/formats/arrow/lz4-frame.js';
import { readLog } from '#dist/formats/table/read/read.js';
import type { Mapping } from '#dist/log/mapping.js';
import type { ReadOptions } from '#dist/log/read-options.js';
import { armIds, candidates, context, fault, MAPPING, payoffs, read, write } from '../../log/files.js';
import { inTwoSizes } from '../../long.js';

const { h32Raw } = await xxhash();

type Columns = Record<string, arrow.Vector>;
type Shape = 'file' | 'stream';

/** The table as bytes, in record batches of `batch` rows. */
function ipc(columns: Columns, shape: Shape = 'file', batch?: number): Uint8Array {
  const table = new arrow.Table(columns);
  const Writer = shape === 'file' ? arrow.RecordBatchFileWriter : arrow.RecordBatchStreamWriter;
  const writer = new Writer();
  for (let from = 0; from < table.numRows || from === 0; from += batch ?? table.numRows + 1) {
    const part = table.slice(from, Math.min(table.numRows, from + (batch ?? table.numRows)));
    for (const one of part.batches) writer.write(one);
  }
  writer.finish();
  return writer.toUint8Array(true);
}

const vector = <T extends arrow.DataType>(values: readonly unknown[], type: T): arrow.Vector =>
  arrow.vectorFromArray(values as unknown[], type);
const int = (values: readonly number[]) => vector(values, new arrow.Int32());

const readIpc = (
  name: string,
  columns: Columns,
  mapping: Partial<Mapping> = {},
  options: ReadOptions = {},
  shape: Shape = 'file',
) => read(`${name}.arrow`, ipc(columns, shape), { mapping: { ...MAPPING, ...mapping }, ...options });

const sample = (name: string) => join(import.meta.dirname, '../samples', name);

describe('Arrow IPC', () => {
  it('reads columns of every type, from files and streams, told by content', async () => {
    const text = ['é', 'a longer text than twelve bytes'];
    const columns: Columns = {
      arm: vector(['b', 'a'], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8())),
      payoff: vector([true, false], new arrow.Bool()),
      u8: vector([200, 1], new arrow.Uint8()),
      i16: vector([-300, 1], new arrow.Int16()),
      i64: vector([2n ** 40n, -1n], new arrow.Int64()),
      u64: vector([2n ** 63n, 1n], new arrow.Uint64()),
      f16: vector([0.5, -2], new arrow.Float16()),
      f32: vector([0.1, 1], new arrow.Float32()),
      f64: vector([0.1, 1], new arrow.Float64()),
      money: vector(
        [new Uint32Array([125, 0, 0, 0]), new Uint32Array([0xffffffce, ...Array(3).fill(0xffffffff)])],
        new arrow.Decimal(2, 9, 128),
      ),
      when: vector([Date.UTC(2009, 4, 1) + 0.25, Date.UTC(2009, 4, 2)], new arrow.TimestampMicrosecond()),
      utf8: vector(text, new arrow.Utf8()),
      large: vector(text, new arrow.LargeUtf8()),
      view: vector(text, new arrow.Utf8View()),
      day: vector([new Date('2009-05-02'), new Date('1969-12-31')], new arrow.DateDay()),
      numbers: vector([7, 8], new arrow.Dictionary(new arrow.Int32(), new arrow.Uint16())),
    };
    const numeric = ['u8', 'i16', 'i64', 'u64', 'f16', 'f32', 'f64', 'money', 'numbers'];
    const mapping = { ...MAPPING, context: numeric, time: 'when', keys: ['utf8', 'large', 'view', 'day', 'i64'] };
    for (const [name, shape] of [
      ['types.arrow', 'file'],
      ['types.feather', 'file'],
      ['types.bin', 'file'],
      ['types.arrows', 'stream'],
      ['types.csv', 'stream'],
    ] as const) {
      const log = await read(name, ipc(columns, shape), { mapping });
      expect([log.source.format, armIds(log), payoffs(log)]).toEqual(['arrow', ['b', 'a'], [1, 0]]);
      expect([context(log, 0), context(log, 1)]).toEqual([
        [200, -300, 2 ** 40, 2 ** 63, 0.5, Math.fround(0.1), 0.1, 1.25, 7],
        [1, 1, -1, 1, -2, 1, 1, -0.5, 8],
      ]);
      expect(Array.from(log.time ?? [])).toEqual([Date.UTC(2009, 4, 1) + 0.25, Date.UTC(2009, 4, 2)]);
      for (const key of ['utf8', 'large', 'view']) expect(log.keys.get(key)?.levels).toEqual([text[1], text[0]]);
      expect(log.keys.get('day')?.levels).toEqual(['1969-12-31', '2009-05-02']);
      expect(log.keys.get('i64')?.levels).toEqual(['-1', String(2 ** 40)]);
    }
  });

  it('reads times of every unit', async () => {
    const ms = [Date.UTC(2009, 4, 1, 12), Date.UTC(1969, 11, 31)];
    for (const type of [
      new arrow.TimestampSecond('UTC'),
      new arrow.TimestampMillisecond(),
      new arrow.TimestampMicrosecond('Europe/Berlin'),
      new arrow.TimestampNanosecond(),
      new arrow.DateMillisecond(),
    ]) {
      const when = type instanceof arrow.DateMillisecond ? ms.map((x) => new Date(x)) : ms;
      const log = await readIpc(
        'times',
        { arm: int([1, 2]), payoff: int([0, 1]), when: vector(when, type) },
        { time: 'when' },
      );
      expect([String(type), Array.from(log.time ?? [])]).toEqual([String(type), ms]);
    }
  });

  it('reads candidates from lists of numbers, text and entries of a dictionary', async () => {
    const lists = [[9, 10], [10], [20, 9, 10]];
    const texts = lists.map((list) => list.map(String));
    const field = (type: arrow.DataType) => new arrow.Field('item', type);
    for (const [name, values, type] of [
      ['ints', lists, new arrow.List(field(new arrow.Int32()))],
      ['bigs', lists.map((list) => list.map(BigInt)), new arrow.List(field(new arrow.Int64()))],
      ['texts', texts, new arrow.List(field(new arrow.Utf8()))],
      ['large', texts, new arrow.LargeList(field(new arrow.Utf8()))],
      [
        'pairs',
        [
          [9, 10],
          [10, 20],
          [20, 10],
        ],
        new arrow.FixedSizeList(2, field(new arrow.Int32())),
      ],
    ] as const) {
      const log = await readIpc(
        name,
        { arm: int([10, 10, 20]), payoff: int([0, 1, 0]), c: vector(values, type) },
        { candidates: 'c' },
      );
      expect([name, log.arms.ids]).toEqual([name, ['9', '10', '20']]);
      for (let t = 0; t < 3; t++) expect(new Set(candidates(log, t))).toEqual(new Set(values[t].map(String)));
    }
  });

  it('keeps the order of rows over many batches and chunks, with and without a filter', async () => {
    const n = 30_000;
    const columns = {
      arm: int(Array.from({ length: n }, (_, i) => i % 7)),
      payoff: int(Array.from({ length: n }, (_, i) => i % 2)),
      x: vector(
        Array.from({ length: n }, (_, i) => i),
        new arrow.Float64(),
      ),
      kind: vector(
        Array.from({ length: n }, (_, i) => `k${i % 3}`),
        new arrow.Dictionary(new arrow.Utf8(), new arrow.Int16()),
      ),
    };
    for (const shape of ['file', 'stream'] as const) {
      const file = write(`order-${shape}.arrow`, ipc(columns, shape, 4999));
      const mapping = { ...MAPPING, context: ['x'], keys: ['kind'] };
      const log = await readLog([file], { mapping });
      expect(log.events).toBe(n);
      expect(log.contexts.values.every((x, t) => x === t)).toBe(true);
      expect(log.arm.every((a, t) => a === t % 7)).toBe(true);
      expect(log.keys.get('kind')?.code.every((k, t) => k === t % 3)).toBe(true);
      const filtered = await readLog([file], { mapping, where: "kind = 'k1' AND x < 30" });
      expect(Array.from(filtered.sourceRow ?? [])).toEqual([1, 4, 7, 10, 13, 16, 19, 22, 25, 28]);
      const both = await readLog([file, file], { mapping, where: 'x >= 29999' });
      expect(Array.from(both.sourceRow ?? [])).toEqual([29_999, 59_999]);
    }
  });

  it('reads what Polars writes, packed and not', async () => {
    for (const name of ['polars-lz4.arrow', 'polars-zstd.arrow', 'polars-stream.arrows']) {
      const log = await readLog([sample(name)], {
        mapping: { ...MAPPING, context: ['x'], user: 'who' },
        skipBadRows: true,
      });
      const rows = Array.from({ length: 40 }, (_, t) => t).filter((t) => t % 7 !== 3);
      expect([name, Array.from(log.sourceRow ?? [])]).toEqual([name, rows]);
      expect(armIds(log)).toEqual(rows.map((t) => 'abc'[t % 3]));
      expect(payoffs(log)).toEqual(rows.map((t) => (t % 5 === 0 ? 1 : 0)));
      expect(rows.map((_, v) => context(log, v)[0])).toEqual(rows.map((t) => t / 4));
      expect(rows.map((_, v) => log.user?.levels[log.user.code[v]])).toEqual(rows.map((t) => `user number ${t % 4}`));
      expect(log.source.badRows).toMatchObject([{ kind: 'user is missing', count: 40 - rows.length }]);
    }
  });

  it('reads Zstandard around columns of 64 bits, files and streams, small and large', async () => {
    // Frames of raw blocks: magic, single segment with a size of four bytes, blocks of at most 128 KiB.
    const encode = (bytes: Uint8Array): Uint8Array => {
      const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0])];
      parts[0].writeUInt32LE(bytes.length, 5);
      for (let at = 0; at === 0 || at < bytes.length; at += 131072) {
        const part = bytes.subarray(at, at + 131072);
        const word = (part.length << 3) | (at + 131072 >= bytes.length ? 1 : 0);
        parts.push(Buffer.from([word & 255, (word >> 8) & 255, word >> 16]), Buffer.from(part));
      }
      return Buffer.concat(parts);
    };
    const { CompressionType, compressionRegistry } = arrow;
    const decode = compressionRegistry.get(CompressionType.ZSTD)?.decode;
    compressionRegistry.set(CompressionType.ZSTD, { encode, decode });
    for (const n of [1, 3, 7, 20_000]) {
      const numbers = Array.from({ length: n }, (_, t) => t);
      const table = new arrow.Table({
        arm: vector(
          numbers.map((t) => BigInt(t % 3)),
          new arrow.Int64(),
        ),
        payoff: vector(
          numbers.map((t) => t % 2),
          new arrow.Float64(),
        ),
        kind: vector(
          numbers.map((t) => `kind ${t % 5}`),
          new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()),
        ),
        when: vector(numbers, new arrow.TimestampMillisecond()),
        name: vector(
          numbers.map((t) => (t % 4 === 0 ? null : `n${t % 4}`)),
          new arrow.Utf8(),
        ),
      });
      for (const shape of ['file', 'stream'] as const) {
        const Writer = shape === 'file' ? arrow.RecordBatchFileWriter : arrow.RecordBatchStreamWriter;
        const bytes = new Writer({ compressionType: CompressionType.ZSTD }).writeAll(table).toUint8Array(true);
        const log = await readLog([write(`zstd-${shape}-${n}.arrow`, bytes)], {
          mapping: { ...MAPPING, keys: ['kind'], time: 'when' },
        });
        expect([log.events, log.arm.every((a, t) => a === t % 3)]).toEqual([n, true]);
        expect(log.payoff.steps.every((k, t) => k === t % 2)).toBe(true);
        expect(log.time?.every((time, t) => time === t)).toBe(true);
        expect(log.keys.get('kind')?.code.every((code, t) => code === t % 5)).toBe(true);
      }
    }
  });

  it('looks only at columns in use, whatever the others are', async () => {
    const columns = {
      arm: int([1, 2]),
      payoff: int([0, 1]),
      odd: vector([{ a: 1 }, { a: 2 }], new arrow.Struct([new arrow.Field('a', new arrow.Int32())])),
      x1: int([5, 6]),
      x2: int([7, 8]),
    };
    const log = await readIpc('unused', columns, { context: ['x*'] }, { where: 'x1 > 5' });
    expect(context(log, 0)).toEqual([6, 8]);
    const all = { ...columns, odd: int([0, 0]) };
    expect((await readIpc('any', all, {}, { where: 'COLUMNS(*) < 8' })).events).toBe(1);
    const error = await fault(readIpc('struct', columns, {}, { where: 'odd IS NOT NULL' }));
    expect(error.message).toMatch(/Referenced column "odd" not found/);
    expect(
      (
        await fault(
          readIpc('list', {
            arm: vector([[1]], new arrow.List(new arrow.Field('i', new arrow.Int32()))),
            payoff: int([1]),
          }),
        )
      ).message,
    ).toMatch(/column "arm": the column has the wrong type/);
    expect((await fault(readIpc('name', columns, { user: 'odds' }))).message).toMatch(
      /no column "odds"[\s\S]*did you mean "odd"/,
    );
  });

  it('reports missing and bad values with their rows, and counts them on request', async () => {
    const columns = {
      arm: vector(
        Array.from({ length: 5000 }, (_, i) => (i === 4000 ? null : i % 3)),
        new arrow.Int32(),
      ),
      payoff: vector(
        Array.from({ length: 5000 }, (_, i) => (i === 3000 ? Number.NaN : i === 3001 ? null : 1)),
        new arrow.Float64(),
      ),
    };
    expect((await fault(readIpc('bad', columns))).message).toMatch(
      /bad\.arrow, row 3000, column "payoff": payoff is missing\n {2}got: {4}nan/,
    );
    const log = await readIpc('bad', columns, {}, { skipBadRows: true });
    expect(log.events).toBe(4997);
    expect(log.source.badRows.map(({ kind, count }) => [kind, count]).sort()).toEqual([
      ['arm is missing', 1],
      ['payoff is missing', 2],
    ]);
    expect((await fault(readIpc('none', { arm: int([]), payoff: int([]) }))).message).toMatch(/the log has no rows/);
  });

  it('is refused wherever it is cut, never read as a shorter log', async () => {
    const columns = {
      arm: vector(
        Array.from({ length: 30 }, (_, i) => `arm ${i % 3}`),
        new arrow.Utf8(),
      ),
      payoff: int(Array.from({ length: 30 }, (_, i) => i % 2)),
    };
    for (const shape of ['file', 'stream'] as const) {
      const whole = ipc(columns, shape, 10);
      expect((await read('whole.arrow', whole)).events).toBe(30);
      for (let at = 0; at < whole.length; at += at > whole.length - 12 ? 1 : 41) {
        const error = await fault(read(`cut-${shape}.arrow`, whole.subarray(0, at)));
        expect([shape, at, error.message]).toEqual([
          shape,
          at,
          expect.stringMatching(
            /cut-(file|stream)\.arrow: (the Arrow (file|stream)|the file cannot be read as Arrow IPC|the file is empty)/,
          ),
        ]);
      }
      expect((await fault(read('more.arrow', Buffer.concat([whole, Buffer.alloc(8, 1)])))).message).toMatch(
        /the Arrow file/,
      );
    }
    const [cut] = [ipc(columns, 'stream', 10).subarray(0, -8)];
    expect((await fault(read('open.arrow', cut))).message).toMatch(/no end mark[\s\S]*close the writer/);
  });

  inTwoSizes('ends in a log or a located error for any flipped byte or huge number', [8, 1], async (step) => {
    const columns = {
      arm: vector(
        Array.from({ length: 12 }, (_, i) => `arm ${i % 3}`),
        new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()),
      ),
      payoff: vector(
        Array.from({ length: 12 }, (_, i) => i % 2),
        new arrow.Float64(),
      ),
      c: vector(
        Array.from({ length: 12 }, () => ['arm 0', 'arm 1', 'arm 2']),
        new arrow.List(new arrow.Field('item', new arrow.Utf8())),
      ),
    };
    const whole = ipc(columns, 'stream', 5);
    let logs = 0;
    for (let at = 8; at < whole.length; at += 37 * step) {
      const flipped = Uint8Array.from(whole);
      flipped[at] ^= 0xff;
      try {
        const log = await read('flipped.arrow', flipped, { mapping: { ...MAPPING, candidates: 'c' } });
        expect(log.events).toBe(12);
        logs++;
      } catch (error) {
        expect(String(error)).toMatch(/^InputError: .*flipped\.arrow|no column/);
      }
    }
    for (const name of ['polars-lz4.arrow', 'polars-zstd.arrow', 'polars-stream.arrows']) {
      const bytes = readFileSync(sample(name));
      for (let at = 0; at + 4 <= bytes.length; at += 44 * step) {
        const large = Uint8Array.from(bytes);
        new DataView(large.buffer).setUint32(at, 0x7fffffff, true);
        const reading = read('large.arrow', large, { mapping: { ...MAPPING, context: ['x'] } });
        await reading.catch((error: unknown) =>
          expect([name, at, String(error)]).toEqual([
            name,
            at,
            expect.stringMatching(/^InputError: .*large\.arrow|no column/),
          ]),
        );
      }
    }
    // Padding, and values that are as good as others.
    expect(logs).toBeGreaterThan(0);
  });

  it('is refused where it is Feather 1, packed as a whole, or no Arrow at all', async () => {
    expect((await fault(read('old.feather', 'FEA1 and so on'))).message).toMatch(/Feather 1[\s\S]*write it again/);
    expect((await fault(read('text.arrow', 'arm,payoff\na,1\n'))).message).toMatch(/cannot be read as Arrow IPC/);
    const { gzipSync } = await import('node:zlib');
    expect((await fault(read('packed.arrow.gz', gzipSync(readFileSync(sample('polars-lz4.arrow')))))).message).toMatch(
      /unpack it/,
    );
    const log = await readLog([sample('polars-lz4.arrow')], { format: 'arrow', mapping: MAPPING });
    expect(log.events).toBe(40);
  });
});

describe('lz4Frame', () => {
  const xxh32 = (bytes: Uint8Array) => h32Raw(bytes) >>> 0;
  const text = Buffer.from(Array.from({ length: 3000 }, (_, i) => `line ${i % 97} of ${i}\n`).join(''));

  it('unpacks what another implementation packs', () => {
    for (const content of [
      text,
      Buffer.alloc(100_000, 'a'),
      Buffer.from('x'),
      Buffer.alloc(0),
      Buffer.from(Array.from({ length: 70_000 }, (_, i) => Math.imul(i, 2654435761) >>> 13)),
    ]) {
      expect(Buffer.from(lz4Frame(lz4.compress(content), xxh32)).equals(content)).toBe(true);
    }
  });

  it('checks the checksums of blocks and content, and the size', () => {
    const block = Buffer.from('0123456789');
    const u32 = (value: number) => Uint8Array.of(value, value >> 8, value >> 16, value >> 24);
    const frame = (part: { block?: number; content?: number; size?: number } = {}) =>
      Buffer.concat([
        u32(0x184d2204),
        Uint8Array.of(0x7c, 0x40, part.size ?? 10, 0, 0, 0, 0, 0, 0, 0, 0),
        u32(0x80000000 | block.length),
        block,
        u32(part.block ?? xxh32(block)),
        u32(0),
        u32(part.content ?? xxh32(block)),
      ]);
    expect(Buffer.from(lz4Frame(frame(), xxh32)).toString()).toBe('0123456789');
    expect(() => lz4Frame(frame({ block: 1 }), xxh32)).toThrow(/block with another checksum/);
    expect(() => lz4Frame(frame({ content: 1 }), xxh32)).toThrow(/frame with another checksum/);
    expect(() => lz4Frame(frame({ size: 11 }), xxh32)).toThrow(/another size/);
  });

  it('ends in an error for what is cut, and never in more than its blocks allow', () => {
    const packed = lz4.compress(text);
    for (let at = 0; at < packed.length; at += 101)
      expect(() => lz4Frame(packed.subarray(0, at), xxh32)).toThrow(/LZ4/);
    for (let at = 4; at < packed.length; at += 13) {
      const flipped = Uint8Array.from(packed);
      flipped[at] ^= 0x55;
      try {
        expect(lz4Frame(flipped, xxh32).length).toBeLessThan(10_000_000);
      } catch (error) {
        expect(String(error)).toMatch(/LZ4/);
      }
    }
  });
});
