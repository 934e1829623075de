/** Files with a row per event as one kind of matrix, whatever their format. */

import { InputError } from '../errors.js';
import type { SpecFiles } from './family.js';
import { decodeNpy, type NpyData, shapeText } from './npy.js';
import { namedBytes } from './spec-faults.js';

/** What a file may hold. */
export type Entry = number | bigint | string | null;

export interface EventMatrix {
  /** Name for messages. */
  readonly file: string;
  readonly rows: number;
  readonly columns: number;
  /** Memory that it takes, about. */
  readonly bytes: number;
  /** Names from the file; `null` where the format has none. */
  readonly names: readonly string[] | null;
  /** Real numbers of a .npy file. */
  readonly isFloat: boolean;
  /** Of a .npy file. */
  readonly dtype: string | null;
  /** Integers without loss. */
  at(row: number, column: number): Entry;
}

/** @param what the file holds, for messages. @throws InputError for a file that cannot be read or holds no matrix. */
export async function readMatrix(what: string, files: SpecFiles, name: string, file: string): Promise<EventMatrix> {
  return name.endsWith('.npy')
    ? npyMatrix(what, await namedBytes(files, name, file), file)
    : parquetMatrix(files, name, file);
}

function npyMatrix(what: string, bytes: Uint8Array, file: string): EventMatrix {
  const { data, dtype, fortranOrder, shape } = decodeNpy(bytes, file);
  const [rows, columns = 1] = shape;
  if (rows === undefined || shape.length > 2) {
    const needed = '[L, P]: L events, P columns; or [L] for one';
    throw new InputError({ file, problem: `${what} have the wrong shape`, got: shapeText(shape), needed });
  }
  const rowStride = fortranOrder ? 1 : columns;
  const columnStride = fortranOrder ? rows : 1;
  const element = elementOf(data);
  const at = (row: number, column: number) => element(row * rowStride + column * columnStride);
  const isFloat = data instanceof Float32Array || data instanceof Float64Array;
  return { file, rows, columns, bytes: data.byteLength, names: null, isFloat, dtype, at };
}

/**
 * Element of an array. NumPy's arg max is int64, whose elements JavaScript reads as bigints, ten times slower
 * than numbers: those that fit 32 bits are read from their low word.
 */
function elementOf(data: NpyData): (index: number) => number | bigint {
  if (!(data instanceof BigInt64Array || data instanceof BigUint64Array)) return (index) => data[index];
  const words = new Int32Array(data.buffer, data.byteOffset, data.length * 2);
  const signed = data instanceof BigInt64Array;
  return (index) => {
    const low = words[2 * index];
    const high = words[2 * index + 1];
    // The high word of a small number repeats its sign; 2⁶⁴ − 1 in unsigned data is not −1.
    return high === low >> 31 && (signed || high === 0) ? low : data[index];
  };
}

async function parquetMatrix(files: SpecFiles, name: string, file: string): Promise<EventMatrix> {
  const { columns, rows, data } = await files.parquet(name);
  const at = (row: number, column: number) => data[column]?.[row] ?? null;
  const bytes = data.reduce((sum, column) => sum + 8 * column.length, 0);
  return { file, rows, columns: columns.length, bytes, names: columns, isFloat: false, dtype: null, at };
}
