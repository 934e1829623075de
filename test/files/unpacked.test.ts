import { rmSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DAMAGED } from '#dist/files/damage.js';
import { FileDigest, hashOf } from '#dist/files/digest.js';
import { readHead } from '#dist/files/files.js';
import { unpacked } from '#dist/files/unpacked.js';
import { fault, read, write } from '../log/files.js';

/** Hardly compressible text, so that it spans several pieces. */
const text = Buffer.from(
  Array.from(
    { length: 20_000 },
    (_, i) => `${Math.imul(i, 0x9e3779b1) >>> 0} ${Math.imul(i, 0x85ebca6b) >>> 0}\n`,
  ).join(''),
);

async function bytesOf(content: Buffer, gzip = true) {
  const parts: Buffer[] = [];
  let problem: string | null = null;
  const seen: number[] = [];
  try {
    for await (const part of unpacked(write('unpacked', content), gzip ? 'gzip' : null, (bytes) => seen.push(bytes))) {
      parts.push(Buffer.from(part));
    }
  } catch (error) {
    problem = (await fault(Promise.reject(error))).fault.problem;
  }
  return { bytes: Buffer.concat(parts), problem, seen };
}

describe('unpacked', () => {
  it.each([
    ['plain', text, null],
    ['empty', Buffer.alloc(0), null],
    ['gzip', Buffer.concat([gzipSync(text), gzipSync(text)]), 'gzip'],
    ['padded gzip', Buffer.concat([gzipSync(text), Buffer.alloc(100_000)]), 'gzip'],
  ] as const)('hashes what it reads, once and to the end: %s', async (_, content, packing) => {
    const file = write('hashed', content);
    const wanted = await hashOf(file);
    const digest = new FileDigest(file);
    // A reading that breaks off counts for nothing.
    for await (const part of unpacked(file, packing, undefined, digest)) if (part.length > 0) break;
    if (content.length > 2 ** 21) expect(await digest.begin()).not.toBeNull();
    for await (const part of unpacked(file, packing, undefined, digest)) void part;
    rmSync(file);
    expect(await digest.finish()).toEqual({ ...wanted, bytes: content.length });
    expect(await digest.begin()).toBeNull();
  });

  it('gives the bytes of plain files and of all gzip members, and says how far it is', async () => {
    const two = Buffer.concat([gzipSync(text), gzipSync(text)]);
    for (const [content, gzip, wanted] of [
      [text, false, text],
      [gzipSync(text), true, text],
      [two, true, Buffer.concat([text, text])],
      [Buffer.concat([two, Buffer.alloc(100_000)]), true, Buffer.concat([text, text])],
      [gzipSync(Buffer.alloc(0)), true, Buffer.alloc(0)],
    ] as const) {
      const { bytes, problem, seen } = await bytesOf(content, gzip);
      expect(problem).toBeNull();
      expect(bytes.equals(wanted)).toBe(true);
      expect(seen.at(-1)).toBe(content.length);
    }
  });

  it('gives all that can be unpacked before a cut', async () => {
    const packed = gzipSync(text);
    for (const cut of [1, 7, 8, 9, 1000, 32_768, packed.length - 32_769, packed.length - 40]) {
      const { bytes, problem } = await bytesOf(packed.subarray(0, packed.length - cut));
      expect(problem).toBe(DAMAGED.cutGzip);
      expect(text.subarray(0, bytes.length).equals(bytes)).toBe(true);
      if (cut <= 8) expect(bytes.length).toBe(text.length);
      // Deflate holds back a block at most, which is some tens of KB.
      expect(bytes.length / text.length).toBeGreaterThan(1 - (cut + 40_000) / packed.length);
    }
  });

  it('gives all that precedes damage, also where it is in the same piece', async () => {
    const small = Buffer.from('a line\n');
    for (const tail of [Buffer.from('junk'), Buffer.concat([Buffer.alloc(2), gzipSync(small)])]) {
      const { bytes, problem } = await bytesOf(Buffer.concat([gzipSync(small), tail]));
      expect(problem).toBe(DAMAGED.damagedGzip);
      expect(bytes.equals(small)).toBe(true);
    }
    const packed = gzipSync(text);
    packed[packed.length - 3] ^= 1;
    const { bytes, problem } = await bytesOf(packed);
    expect(problem).toBe(DAMAGED.damagedGzip);
    expect(bytes.equals(text)).toBe(true);
  });

  it('says what the system says', async () => {
    const reading = (async () => {
      for await (const part of unpacked('/nonexistent/log.gz', 'gzip')) void part;
    })();
    expect((await fault(reading)).fault.problem).toBe('no such file');
  });

  it('may be left early', async () => {
    for (const gzip of [true, false]) {
      for await (const part of unpacked(write('unpacked', gzip ? gzipSync(text) : text), gzip ? 'gzip' : null)) {
        expect(part.length).toBeGreaterThan(0);
        break;
      }
    }
  });
});

describe('a small file whose compressed end is cut', () => {
  const packed = gzipSync(Buffer.from('arm,payoff\n1,0\n2,1\n'));
  const cut = packed.subarray(0, packed.length - 4);

  it('has a head: whether it is wanted is for its reader to say', async () => {
    const head = await readHead(write('cut.csv.gz', cut));
    expect([head.packing, head.whole, head.bytes.toString()]).toEqual(['gzip', false, 'arm,payoff\n1,0\n2,1\n']);
  });

  it('is refused by the readers of CSV and JSON lines', async () => {
    expect((await fault(read('cut.csv.gz', cut))).fault.problem).toBe(DAMAGED.cutGzip);
    const line = gzipSync(Buffer.from('{"arm":1,"payoff":0}\n'));
    expect((await fault(read('cut.jsonl.gz', line.subarray(0, -4)))).fault.problem).toBe(DAMAGED.cutGzip);
  });
});
