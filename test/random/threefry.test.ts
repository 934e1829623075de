import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STREAM, scaleToIndex, threefry2x32, toUnit } from '#dist/random/threefry.js';

function encrypt(key: [number, number], counter: [number, number]): string {
  const out = new Uint32Array(2);
  threefry2x32(key[0], key[1], counter[0], counter[1], out);
  return [...out].map((word) => word.toString(16).padStart(8, '0')).join(' ');
}

/** Threefry as the paper states it, on BigInt: a second implementation to hold the first against. */
function encryptSlowly(key: [number, number], counter: [number, number]): string {
  const mask = 0xffffffffn;
  const rotations = [13n, 15n, 26n, 6n, 17n, 29n, 16n, 24n];
  const k = [BigInt(key[0]), BigInt(key[1]), 0x1bd11bdan ^ BigInt(key[0]) ^ BigInt(key[1])];
  let x0 = (BigInt(counter[0]) + k[0]!) & mask;
  let x1 = (BigInt(counter[1]) + k[1]!) & mask;
  for (let round = 0; round < 20; round++) {
    const turn = rotations[round % 8]!;
    x0 = (x0 + x1) & mask;
    x1 = (((x1 << turn) | (x1 >> (32n - turn))) & mask) ^ x0;
    if (round % 4 === 3) {
      const group = (round + 1) / 4;
      x0 = (x0 + k[group % 3]!) & mask;
      x1 = (x1 + k[(group + 1) % 3]! + BigInt(group)) & mask;
    }
  }
  return [x0, x1].map((word) => word.toString(16).padStart(8, '0')).join(' ');
}

const word = fc.integer({ min: 0, max: 0xffffffff });

describe('threefry2x32', () => {
  it('gives the published answers (Random123, kat_vectors, threefry2x32 20)', () => {
    expect(encrypt([0, 0], [0, 0])).toBe('6b200159 99ba4efe');
    expect(encrypt([0xffffffff, 0xffffffff], [0xffffffff, 0xffffffff])).toBe('1cb996fc bb002be7');
    expect(encrypt([0x13198a2e, 0x03707344], [0x243f6a88, 0x85a308d3])).toBe('c4923a9c 483df7a0');
  });

  it('equals the textbook form on any key and counter', () => {
    fc.assert(
      fc.property(word, word, word, word, (k0, k1, c0, c1) => {
        expect(encrypt([k0, k1], [c0, c1])).toBe(encryptSlowly([k0, k1], [c0, c1]));
      }),
      { numRuns: 300 },
    );
  });

  it('takes its inputs modulo 2³²', () => {
    expect(encrypt([-1, 2 ** 32], [2 ** 32 + 5, -2])).toBe(encrypt([0xffffffff, 0], [5, 0xfffffffe]));
  });

  it('has distinct streams', () => {
    const numbers = Object.values(STREAM);
    expect(new Set(numbers).size).toBe(numbers.length);
    const first = numbers.map((stream) => encrypt([7, stream], [0, 0]));
    expect(new Set(first).size).toBe(numbers.length);
  });
});

describe('scaleToIndex', () => {
  const exact = (u: number, n: number) => Number((BigInt(u) * BigInt(n)) >> 32n);

  it('is exact where a product of doubles would round', () => {
    const hard = [0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xfffeffff, 0xffff0000, 0xffffffff, 0xfffffffe, 0x55555555];
    const sizes = [0, 1, 2, 3, 7, 20, 33, 1000, 65535, 65536, 65537, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
    for (const u of hard) for (const n of sizes) expect(scaleToIndex(u, n), `${u} × ${n}`).toBe(exact(u, n));
  });

  it('is exact at every border between two indices', () => {
    for (const n of [3, 7, 20, 33, 1000, 65537, 0xfffffffb]) {
      for (const i of [1, 2, n >> 1, n - 1]) {
        const border = Number(((BigInt(i >>> 0) << 32n) + BigInt(n) - 1n) / BigInt(n));
        for (const u of [border - 1, border, border + 1]) {
          if (u >= 0 && u < 2 ** 32) expect(scaleToIndex(u, n), `${u} × ${n}`).toBe(exact(u, n));
        }
      }
    }
  });

  it('agrees with BigInt on anything', () => {
    fc.assert(
      fc.property(word, word, (u, n) => scaleToIndex(u, n) === exact(u, n)),
      { numRuns: 2000 },
    );
  });
});

describe('draws', () => {
  it('fall evenly over 20 arms (chi-square, 19 degrees of freedom)', () => {
    const out = new Uint32Array(2);
    for (const seed of [0, 1, 12345]) {
      const count = new Float64Array(20);
      for (let event = 0; event < 100_000; event++) {
        threefry2x32(seed, STREAM.uniformPolicy, event, 0, out);
        count[scaleToIndex(out[0]!, 20)]!++;
      }
      const chiSquare = count.reduce((sum, n) => sum + (n - 5000) ** 2 / 5000, 0);
      expect(chiSquare).toBeGreaterThan(4.9); // the 0.05 % and 99.95 % points
      expect(chiSquare).toBeLessThan(45.97);
    }
  });

  it('as units lie in [0, 1) and use all 53 bits', () => {
    expect(toUnit(0, 0)).toBe(0);
    expect(toUnit(0xffffffff, 0xffffffff)).toBe(1 - 2 ** -53);
    expect(toUnit(0, 64)).toBe(2 ** -53);
    expect(toUnit(0x80000000, 0)).toBe(0.5);
  });
});
