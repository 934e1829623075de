import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeNpy, encodeNpy, type NpyData, rowMajor } from '#dist/policy/npy.js';
import { faultOf } from './small-log.js';

/** A .npy file with any header, to build faults with. */
function npy(header: string, data: Uint8Array = new Uint8Array(0), version = [1, 0], magic = '\x93NUMPY'): Uint8Array {
  const text = new TextEncoder().encode(header);
  const wide = (version[0] ?? 1) >= 2;
  const length = wide
    ? [text.length & 255, (text.length >> 8) & 255, (text.length >> 16) & 255, 0]
    : [text.length & 255, text.length >> 8];
  return Uint8Array.from([...Array.from(magic, (c) => c.charCodeAt(0)), ...version, ...length, ...text, ...data]);
}

const header = (descr: string, shape = '(2,)', order = 'False') =>
  `{'descr': ${descr}, 'fortran_order': ${order}, 'shape': ${shape}, }\n`;

describe('decodeNpy', () => {
  it('reads versions 1, 2 and 3', () => {
    const data = new Uint8Array(Float64Array.of(1.5, -0).buffer);
    for (const version of [1, 2, 3]) {
      const array = decodeNpy(npy(header("'<f8'"), data, [version, 0]));
      expect(array).toMatchObject({ shape: [2], dtype: 'f8', fortranOrder: false });
      expect(Object.is(array.data[1], -0)).toBe(true);
    }
  });

  it('reads scalars, empty arrays and the long integers of Python 2', () => {
    expect(decodeNpy(npy(header("'<i4'", '()'), new Uint8Array(4))).shape).toEqual([]);
    expect(decodeNpy(npy(header("'<i4'", '(0, 5)'))).data).toHaveLength(0);
    expect(decodeNpy(npy(header("'<i2'", '(2L, 1L)'), new Uint8Array(4))).shape).toEqual([2, 1]);
  });

  it('aligns its data, also from a view into a pool such as a Node Buffer', () => {
    const bytes = encodeNpy(Float64Array.of(1, 2, 3));
    const pool = Buffer.alloc(bytes.length + 100, 255);
    pool.set(bytes, 3);
    const array = decodeNpy(pool.subarray(3, 3 + bytes.length));
    expect([...array.data]).toEqual([1, 2, 3]);
    pool.fill(0);
    expect([...array.data]).toEqual([1, 2, 3]);
  });

  it('keeps 64-bit integers whole', () => {
    const big = BigInt64Array.of(9007199254740993n, -1n);
    expect(decodeNpy(encodeNpy(big)).data).toEqual(big);
    const unsigned = BigUint64Array.of(18446744073709551615n);
    expect(decodeNpy(encodeNpy(unsigned)).data).toEqual(unsigned);
  });

  const faults: [name: string, bytes: Uint8Array, message: RegExp][] = [
    ['an empty file', new Uint8Array(0), /w\.npy: not a \.npy file\n {2}got: {4}an empty file/],
    ['another magic', npy(header("'<f8'"), new Uint8Array(16), [1, 0], '\x93NUMPX'), /not a \.npy file[\s\S]*93 4e/],
    ['an .npz archive', Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0, 0), /\.npz archive/],
    ['version 4', npy(header("'<f8'"), new Uint8Array(16), [4, 0]), /unknown \.npy version\n {2}got: {4}4\.0/],
    ['version 1.1', npy(header("'<f8'"), new Uint8Array(16), [1, 1]), /unknown \.npy version/],
    ['no version', Uint8Array.from('\x93NUMPY', (c) => c.charCodeAt(0)), /unknown \.npy version/],
    ['no header length', npy('', new Uint8Array(0)).subarray(0, 9), /cut short in its header/],
    ['half a header', npy(header("'<f8'")).subarray(0, 30), /cut short in its header/],
    ['no dict', npy('hello\n'), /header cannot be read\n {2}got: {4}hello/],
    [
      'big-endian data',
      npy(header("'>f8'"), new Uint8Array(16)),
      /big-endian\n {2}got: {4}dtype >f8[\s\S]*newbyteorder/,
    ],
    ['objects', npy(header("'|O'"), new Uint8Array(16)), /Python objects/],
    ['text', npy(header("'<U7'"), new Uint8Array(56)), /holds text/],
    ['booleans', npy(header("'|b1'"), new Uint8Array(2)), /booleans/],
    ['half floats', npy(header("'<f2'"), new Uint8Array(4)), /float16/],
    ['complex numbers', npy(header("'<c16'"), new Uint8Array(32)), /complex/],
    ['dates', npy(header("'<M8[ns]'"), new Uint8Array(16)), /not supported\n {2}got: {4}dtype <M8\[ns\]/],
    ['records', npy(header("[('a', '<f8')]"), new Uint8Array(16)), /structured/],
    [
      'too little data',
      npy(header("'<f8'"), new Uint8Array(15)),
      /cut short\n {2}got: {4}15 bytes[\s\S]*16 bytes: shape \[2\] of f8/,
    ],
    ['too much data', npy(header("'<f8'"), new Uint8Array(17)), /bytes after its array/],
  ];
  it.each(faults)('refuses %s', async (_name, bytes, message) => {
    expect(await faultOf(() => decodeNpy(bytes, 'w.npy'))).toMatch(message);
  });
});

describe('rowMajor', () => {
  it('leaves C order as it is and transposes Fortran order', () => {
    const data = Int32Array.of(1, 2, 3, 4, 5, 6);
    expect(rowMajor([2, 3], data, false)).toBe(data);
    expect([...rowMajor([2, 3], data, true)]).toEqual([1, 3, 5, 2, 4, 6]);
    expect([...rowMajor([6], data, true)]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('puts every element of [a, b, c] where its index says', () => {
    const sizes = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 5 })));
    fc.assert(
      fc.property(sizes, ([a = 0, b = 0, c = 0]) => {
        const fortran = Float64Array.from({ length: a * b * c }, (_, i) => i);
        const rows = rowMajor([a, b, c], fortran, true);
        for (let i = 0; i < a; i++)
          for (let j = 0; j < b; j++)
            for (let k = 0; k < c; k++) expect(rows[(i * b + j) * c + k]).toBe(i + a * (j + b * k));
      }),
    );
  });
});

describe('encodeNpy', () => {
  it('writes what np.save writes', () => {
    const bytes = encodeNpy(Float32Array.of(0, 1, 2, 3, 4, 5), [2, 3]);
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, 128));
    expect(text).toMatch(/^\x93NUMPY\x01\x00v\x00\{'descr': '<f4', 'fortran_order': False, 'shape': \(2, 3\), \} +\n$/);
    expect(bytes).toHaveLength(128 + 24);
  });

  it('comes back whole, for every type and shape', () => {
    const arrays: fc.Arbitrary<NpyData> = fc.oneof(
      fc.int8Array(),
      fc.int16Array(),
      fc.int32Array(),
      fc.uint8Array(),
      fc.uint16Array(),
      fc.uint32Array(),
      fc.float32Array(),
      fc.float64Array(),
      fc.bigInt64Array(),
      fc.bigUint64Array(),
    );
    fc.assert(
      fc.property(arrays, fc.integer({ min: 1, max: 4 }), (data, ones) => {
        const shape = [...new Array<number>(ones).fill(1), data.length];
        const back = decodeNpy(encodeNpy(data, shape));
        expect(back.shape).toEqual(shape);
        expect(back.data.constructor).toBe(data.constructor);
        expect(new Uint8Array(back.data.buffer)).toEqual(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      }),
    );
  });

  it('refuses a shape of another size', () => {
    expect(() => encodeNpy(new Float32Array(5), [2, 3])).toThrow(RangeError);
  });
});
