/** Predictions of a .npy file. */

import { openSync } from 'node:fs';
import { InputError } from '../../errors.js';
import { hashOf } from '../../files/digest.js';
import { fileError } from '../../files/file-error.js';
import { openRegular } from '../../files/regular-file.js';
import { inputOf } from '../../log/inputs.js';
import { checkNpySize, decodeNpyHeader, type NpyHeader, shapeText } from '../../policy/npy.js';
import { FileRows } from './file-rows.js';
import { type PredictionShape, type PredictionSource, rowsFit, rowsNeeded } from './source.js';

/** A header is some hundred bytes. */
const HEADER = 2 ** 16;

/** @throws InputError for a file that cannot be read, or holds no such predictions. */
export async function openNpy(file: string, needed: PredictionShape): Promise<PredictionSource> {
  const header = await readHeader(file);
  checkShape(header, file, needed);
  const input = inputOf('parameters', file, await hashOf(file));
  const descriptor = openSync(file, 'r');
  return new FileRows('npy', file, input, descriptor, header, needed.arms.length);
}

async function readHeader(file: string): Promise<NpyHeader> {
  const handle = await openRegular(file).catch((cause: unknown) => {
    throw cause instanceof InputError ? cause : fileError(file, cause);
  });
  try {
    const { size } = await handle.stat();
    const bytes = new Uint8Array(Math.min(size, HEADER));
    await handle.read(bytes, 0, bytes.length, 0);
    const header = decodeNpyHeader(bytes, file);
    checkType(header, file);
    checkNpySize(header, size - header.start, file);
    return header;
  } finally {
    await handle.close();
  }
}

function checkType({ dtype }: NpyHeader, file: string): void {
  if (dtype === 'f8' || dtype === 'f4') return;
  throw new InputError({
    file,
    problem: 'predictions must be real numbers; whole ones are more often arms that were chosen',
    got: `dtype ${dtype}`,
    needed: 'float64 or float32',
    hint: 'if they are predicted payoffs: np.save(path, q.astype(np.float64))',
  });
}

function checkShape({ shape }: NpyHeader, file: string, needed: PredictionShape): void {
  const arms = needed.arms.length;
  const [rows, columns, ...rest] = shape;
  // A trailing axis of one position is how some packages shape them.
  if (rows !== undefined && columns === arms && rest.every((n) => n === 1) && rowsFit(rows, needed)) return;
  const { events } = needed;
  const hint =
    shape.length === 2 && rows === arms && columns === events
      ? 'events and arms are swapped: np.save(path, q.T)'
      : shape.length > 2
        ? 'one array of events and arms: of several positions, evaluate the events of one'
        : columns === arms
          ? 'predict the events that are evaluated, all and no others: --where, dropped rows and repeated events change them'
          : 'a column per arm of the log, in its order: numeric where all ids are whole numbers, else by code point, or as `arms` lists them';
  throw new InputError({
    file,
    problem: 'predictions have the wrong shape for this log',
    got: shapeText(shape),
    needed: `${shapeText(['L', arms])}: L = ${rowsNeeded(needed)}; ${arms} arms`,
    hint,
  });
}
