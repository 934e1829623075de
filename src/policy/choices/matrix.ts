/** Files of choices as one kind of matrix, whatever their format. */

import { InputError } from '../../errors.js';
import type { SpecFiles } from '../family.js';
import { decodeNpy, type NpyData, shapeText } from '../npy.js';
import { namedBytes } from '../spec-faults.js';

/** What a file of choices may hold. */
export type Entry = number | bigint | string | null;

export interface ChoiceMatrix {
  /** Name for messages. */
  readonly file: string;
  readonly rows: number;
  readonly policies: number;
  /** Memory that it takes, about. */
  readonly bytes: number;
  /** Names from the file; `null` where the format has none. */
  readonly names: readonly string[] | null;
  /** What entries mean where the spec does not say. */
  readonly defaultAs: 'index' | 'id';
  /** Entry of a row for a policy; integers without loss. */
  at(row: number, policy: number): Entry;
}

/** @throws InputError for a file that cannot be read or holds no choices. */
export async function readChoices(files: SpecFiles, name: string, file: string): Promise<ChoiceMatrix> {
  return name.endsWith('.npy')
    ? npyMatrix(await namedBytes(files, name, file), file)
    : parquetMatrix(files, name, file);
}

function npyMatrix(bytes: Uint8Array, file: string): ChoiceMatrix {
  const { data, dtype, fortranOrder, shape } = decodeNpy(bytes, file);
  if (data instanceof Float32Array || data instanceof Float64Array) {
    // Floats here are more often scores saved by mistake than choices.
    const hint = 'convert them: choices.astype(np.int32)';
    throw new InputError({
      file,
      problem: 'choices must be integers',
      got: `dtype ${dtype}`,
      needed: 'int8..int64 or uint8..uint64',
      hint,
    });
  }
  const [rows, policies = 1] = shape;
  if (rows === undefined || shape.length > 2) {
    const needed = '[L, P]: L events, P policies; or [L] for one policy';
    throw new InputError({ file, problem: 'choices have the wrong shape', got: shapeText(shape), needed });
  }
  const rowStride = fortranOrder ? 1 : policies;
  const policyStride = fortranOrder ? rows : 1;
  const element = elementOf(data);
  const at = (row: number, policy: number) => element(row * rowStride + policy * policyStride);
  return { file, rows, policies, bytes: data.byteLength, names: null, defaultAs: 'index', at };
}

/**
 * Element of an integer array. NumPy's arg max is int64, whose elements JavaScript reads as bigints, ten times slower
 * than numbers: those that fit 32 bits are read from their low word.
 */
function elementOf(data: Exclude<NpyData, Float32Array | Float64Array>): (index: number) => number | bigint {
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

async function parquetMatrix(files: SpecFiles, name: string, file: string): Promise<ChoiceMatrix> {
  const { columns, rows, data } = await files.parquet(name);
  const at = (row: number, policy: number) => data[policy]?.[row] ?? null;
  const bytes = data.reduce((sum, column) => sum + 8 * column.length, 0);
  return { file, rows, policies: columns.length, bytes, names: columns, defaultAs: 'id', at };
}
