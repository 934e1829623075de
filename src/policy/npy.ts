/**
 * Reads and writes NumPy's `.npy` arrays.
 *
 * Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 * (magic, version, header length, a Python dict literal as header, then the raw data).
 */

import { InputError } from '../errors.js';
import { checkRoom } from '../log/build/memory.js';
import { plural } from '../words.js';

export type NpyData =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

export type NpyType = 'i1' | 'i2' | 'i4' | 'i8' | 'u1' | 'u2' | 'u4' | 'u8' | 'f4' | 'f8';

/** An array of a .npy file. */
export interface NpyArray {
  /** Length of each dimension. */
  readonly shape: readonly number[];
  /** NumPy's name of the type. */
  readonly dtype: NpyType;
  /** All elements in the order of the file; a copy, aligned for its type. */
  readonly data: NpyData;
  /** True: the first index varies fastest in `data`. */
  readonly fortranOrder: boolean;
}

const CONSTRUCTORS = {
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  i8: BigInt64Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  u8: BigUint64Array,
  f4: Float32Array,
  f8: Float64Array,
} as const;

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const KNOWN_TYPES = 'int8..int64, uint8..uint64, float32, float64 (little-endian)';

/**
 * Reads a `.npy` array of versions 1, 2 and 3.
 *
 * @param file Name for messages.
 * @throws InputError for anything but a whole little-endian array of integers or floats.
 */
export function decodeNpy(bytes: Uint8Array, file?: string): NpyArray {
  const { start, ...header } = decodeNpyHeader(bytes, file);
  const make = CONSTRUCTORS[header.dtype];
  const needed = npyBytes(header);
  checkNpySize(header, bytes.length - start, file);
  checkRoom(
    'the numbers of the file',
    `${shapeText(header.shape)} × ${make.BYTES_PER_ELEMENT} bytes`,
    needed,
    'several files, evaluated one after the other',
    file,
  );
  // Not `bytes.slice`: a Node Buffer overrides it with a view of its unaligned pool.
  const copy = new Uint8Array(needed);
  copy.set(bytes.subarray(start));
  return { ...header, data: new make(copy.buffer) };
}

/** What the header of a .npy file says. */
export interface NpyHeader extends Omit<NpyArray, 'data'> {
  /** Byte of the file at which the array starts. */
  readonly start: number;
}

/** As `decodeNpy`, of the header alone. @param bytes the file, or as much of its beginning as holds the header. */
export function decodeNpyHeader(bytes: Uint8Array, file?: string): NpyHeader {
  const { header, data } = headerStart(bytes, file);
  return { ...parseHeader(new TextDecoder('utf-8').decode(bytes.subarray(header, data)), file), start: data };
}

/** Bytes of an array. */
export function npyBytes({ shape, dtype }: Pick<NpyArray, 'shape' | 'dtype'>): number {
  return shape.reduce((product, n) => product * n, 1) * CONSTRUCTORS[dtype].BYTES_PER_ELEMENT;
}

/** @param got bytes behind the header. @throws InputError unless the array takes just as many. */
export function checkNpySize(header: Pick<NpyArray, 'shape' | 'dtype'>, got: number, file?: string): void {
  const needed = npyBytes(header);
  if (got === needed) return;
  throw new InputError({
    file,
    problem: got < needed ? 'the .npy file is cut short' : 'the .npy file has bytes after its array',
    got: `${plural(got, 'byte')} of data`,
    needed: `${plural(needed, 'byte')}: shape ${shapeText(header.shape)} of ${header.dtype}`,
    hint: got < needed ? 'write or copy the file again' : 'save one array per file with np.save(path, array)',
  });
}

/** `[100, 34, 21]`. Parts may be symbols: `[P, 34, 26]`. */
export function shapeText(shape: readonly (number | string)[]): string {
  return `[${shape.join(', ')}]`;
}

function headerStart(bytes: Uint8Array, file: string | undefined): { header: number; data: number } {
  if (bytes.length < MAGIC.length || MAGIC.some((byte, i) => bytes[i] !== byte)) {
    const found = Array.from(bytes.subarray(0, 6), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    throw new InputError({
      file,
      problem: 'not a .npy file',
      got: bytes.length === 0 ? 'an empty file' : `first bytes ${found}`,
      needed: 'the magic string \\x93NUMPY',
      hint: found.startsWith('50 4b')
        ? 'a .npz archive? save one array with np.save'
        : 'save it with np.save(path, array)',
    });
  }
  const version = bytes[6] ?? 0;
  if (version < 1 || version > 3 || bytes[7] !== 0) {
    throw new InputError({
      file,
      problem: 'unknown .npy version',
      got: `${version}.${bytes[7] ?? '?'}`,
      needed: 'version 1.0, 2.0 or 3.0',
      hint: 'save it with np.save(path, array)',
    });
  }
  const header = version === 1 ? 10 : 12;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = bytes.length < header ? Infinity : version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (header + length > bytes.length) {
    throw new InputError({
      file,
      problem: 'the .npy file is cut short in its header',
      hint: 'write or copy the file again',
    });
  }
  return { header, data: header + length };
}

function parseHeader(text: string, file: string | undefined): Pick<NpyArray, 'shape' | 'dtype' | 'fortranOrder'> {
  const order = /'fortran_order'\s*:\s*(True|False)/.exec(text)?.[1];
  const shape = /'shape'\s*:\s*\(([\d\s,L]*)\)/.exec(text)?.[1];
  const descr = /'descr'\s*:\s*(?:'([^']*)'|(\[))/.exec(text);
  if (order === undefined || shape === undefined || descr === null) {
    throw new InputError({
      file,
      problem: 'the .npy header cannot be read',
      got: text.trim().slice(0, 120),
      needed: "{'descr': …, 'fortran_order': …, 'shape': …}",
    });
  }
  return {
    dtype: parseType(descr[1] ?? 'a structured dtype', file),
    fortranOrder: order === 'True',
    // Python 2 wrote long integers as 3L.
    shape: shape
      .split(',')
      .map((part) => part.trim().replace(/L$/, ''))
      .filter((part) => part !== '')
      .map(Number),
  };
}

function parseType(descr: string, file: string | undefined): NpyType {
  const type = descr.slice(1);
  // One byte has no order: NumPy writes '|i1', other writers '<i1'.
  if (Object.hasOwn(CONSTRUCTORS, type) && (descr.startsWith('<') || descr.startsWith('|') || descr.startsWith('='))) {
    return type as NpyType;
  }
  const hints: [test: RegExp, problem: string, hint: string][] = [
    [/^>/, 'the .npy array is big-endian', "convert it: array.astype(array.dtype.newbyteorder('<'))"],
    [/^\|O/, 'the .npy array holds Python objects', 'give it a number type: array.astype(np.float64)'],
    [
      /^[<|=]?[US]/,
      'the .npy array holds text',
      'save arm indices as np.int32, or ids as text columns of a Parquet file',
    ],
    [/^\|b1/, 'the .npy array holds booleans', 'convert it: array.astype(np.int32)'],
    [/^<f2/, 'the .npy array is float16', 'convert it: array.astype(np.float32)'],
    [/^<c/, 'the .npy array holds complex numbers', 'save its real part'],
  ];
  const known = hints.find(([test]) => test.test(descr));
  throw new InputError({
    file,
    problem: known?.[1] ?? 'the .npy array has a type that is not supported',
    got: `dtype ${descr}`,
    needed: KNOWN_TYPES,
    hint: known?.[2] ?? 'convert it: array.astype(np.float64)',
  });
}

/**
 * The elements in row-major (C) order: `data` itself unless the array is in Fortran order.
 * (`np.save` writes Fortran order for transposed arrays, so it is common enough to be read, not refused.)
 */
export function rowMajor<Data extends NpyData>(shape: readonly number[], data: Data, fortranOrder: boolean): Data {
  if (!fortranOrder || shape.length < 2) return data;
  const out = data.slice() as Data;
  const index = new Array<number>(shape.length).fill(0);
  const strides = shape.map((_, axis) => shape.slice(0, axis).reduce((product, n) => product * n, 1));
  let from = 0;
  for (let to = 0; to < out.length; to++) {
    out[to] = data[from] as Data[number];
    // Count up in row-major order, the last axis first, and keep the Fortran offset in step.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis]++;
      from += strides[axis];
      if (index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

/**
 * Writes a `.npy` file (version 1.0, row-major), as `np.save` would.
 *
 * @param data Elements in row-major order; its type gives the dtype.
 * @throws RangeError where the shape does not hold exactly the data.
 */
export function encodeNpy(data: NpyData, shape: readonly number[] = [data.length]): Uint8Array {
  const size = shape.reduce((product, n) => product * n, 1);
  if (size !== data.length) throw new RangeError(`shape ${shapeText(shape)} does not hold ${data.length} elements`);
  const found = Object.entries(CONSTRUCTORS).find(([, make]) => data instanceof make);
  if (found === undefined) throw new TypeError('unknown array type');
  const type = found[0];
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const fields = `{'descr': '${type.endsWith('1') ? '|' : '<'}${type}', 'fortran_order': False, 'shape': (${tuple}), }`;
  // Padded with spaces and a newline so that the data starts at a multiple of 64 bytes, as the format asks.
  const length = Math.ceil((10 + fields.length + 1) / 64) * 64 - 10;
  const bytes = new Uint8Array(10 + length + data.byteLength);
  bytes.set(MAGIC);
  bytes[6] = 1;
  new DataView(bytes.buffer).setUint16(8, length, true);
  bytes.set(new TextEncoder().encode(`${fields.padEnd(length - 1)}\n`), 10);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 10 + length);
  return bytes;
}
