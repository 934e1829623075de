/** Weights that a spec gives or names, as typed arrays; shared by the families that have weights. */

import { InputError } from '../../errors.js';
import { pathText } from '../../options/path-text.js';
import type { SpecFiles, SpecPlace } from '../family.js';
import { decodeNpy, rowMajor, shapeText } from '../npy.js';
import { namedBytes, namedFile, shown, specFault } from '../spec-faults.js';
import { flatten, type TypedWeights, type Weights } from './weights.js';

/** Where weights came from, for messages: a file, or a path in the policy set. */
export interface WeightsFrom {
  file: string | undefined;
  path: string | undefined;
}

/** @throws InputError for a file that cannot be read or holds no floats. */
export async function readWeights(
  given: Weights,
  files: SpecFiles,
  place: SpecPlace,
): Promise<{ weights: TypedWeights; from: WeightsFrom; columns?: readonly string[] }> {
  if (typeof given === 'string') {
    const file = namedFile(files, given, place, 'weights');
    if (given.endsWith('.parquet')) {
      return { ...(await parquetWeights(files, given, file)), from: { file, path: undefined } };
    }
    const { data, dtype, fortranOrder, shape } = decodeNpy(await namedBytes(files, given, file), file);
    if (!(data instanceof Float32Array || data instanceof Float64Array)) {
      const hint = 'convert them: weights.astype(np.float64)';
      throw new InputError({
        file,
        problem: 'weights must be floats',
        got: `dtype ${dtype}`,
        needed: 'float32 or float64',
        hint,
      });
    }
    return { weights: { data: rowMajor(shape, data, fortranOrder), shape }, from: { file, path: undefined } };
  }
  const from = { file: place.file, path: pathText(place.path, ['weights']) };
  return { weights: 'data' in given ? given : flatten(given), from };
}

/** A row per policy and a column per component, [P, D]. */
async function parquetWeights(
  files: SpecFiles,
  name: string,
  file: string,
): Promise<{ weights: TypedWeights; columns: readonly string[] }> {
  const { columns, rows, data } = await files.parquet(name);
  const out = new Float64Array(rows * columns.length);
  for (const [k, column] of columns.entries()) {
    for (let p = 0; p < rows; p++) {
      const value = data[k][p];
      if (typeof value === 'number') out[p * columns.length + k] = value;
      else throw notNumber(file, p, column, value);
    }
  }
  return { weights: { data: out, shape: [rows, columns.length] }, columns };
}

function notNumber(file: string, row: number, column: string, value: unknown): InputError {
  const isText = typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  return new InputError({
    file,
    row,
    column,
    problem: 'weight is not a number',
    got: shown(value),
    needed: 'a column of numbers (FLOAT, DOUBLE, DECIMAL, or integers below 2^53), without nulls',
    hint: isText ? 'write the column as DOUBLE' : undefined,
  });
}

/** @throws InputError that names the index of the first weight that is not finite. */
export function checkFinite({ data, shape }: TypedWeights, from: WeightsFrom): void {
  const bad = data.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return;
  let rest = bad;
  const index: number[] = [];
  for (const n of shape.toReversed()) {
    index.unshift(rest % n);
    rest = Math.floor(rest / n);
  }
  throw new InputError({
    ...from,
    problem: `weight ${shapeText(index)} is not finite`,
    got: String(data[bad]),
    needed: 'finite numbers',
  });
}

/** @throws InputError where there is not a name per policy. */
export function checkNames(names: readonly string[] | undefined, policies: number, place: SpecPlace): void {
  if (names === undefined || names.length === policies) return;
  const needed = `${policies}, one per policy of the weights`;
  throw specFault(place, ['names'], { problem: 'wrong number of names', got: String(names.length), needed });
}
