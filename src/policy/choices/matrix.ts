/** Files of choices as one kind of matrix, whatever their format. */

import { InputError } from '../../errors.js';
import type { SpecFiles } from '../family.js';
import { decodeNpy, shapeText } from '../npy.js';

/** What a file of choices may hold. */
export type Entry = number | bigint | string | null;

export interface ChoiceMatrix {
  /** Name for messages. */
  readonly file: string;
  readonly rows: number;
  readonly policies: number;
  /** Names from the file; `null` where the format has none. */
  readonly names: readonly string[] | null;
  /** What entries mean where the spec does not say. */
  readonly defaultAs: 'index' | 'id';
  /** Entry of a row for a policy; integers without loss. */
  at(row: number, policy: number): Entry;
}

/** @throws InputError for a file that cannot be read or holds no choices. */
export async function readChoices(files: SpecFiles, name: string, file: string): Promise<ChoiceMatrix> {
  return name.endsWith('.npy') ? npyMatrix(await files.bytes(name), file) : parquetMatrix(files, name, file);
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
  const at = (row: number, policy: number) => data[row * rowStride + policy * policyStride];
  return { file, rows, policies, names: null, defaultAs: 'index', at };
}

async function parquetMatrix(files: SpecFiles, name: string, file: string): Promise<ChoiceMatrix> {
  const { columns, rows, data } = await files.parquet(name);
  const at = (row: number, policy: number) => data[policy]?.[row] ?? null;
  return { file, rows, policies: columns.length, names: columns, defaultAs: 'id', at };
}
