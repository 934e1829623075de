/** Predictions of a .npy file, read row by row: it may be larger than memory. */

import { closeSync, openSync, readSync } from 'node:fs';
import { InputError } from '../../errors.js';
import { hashOf } from '../../files/digest.js';
import { fileError } from '../../files/file-error.js';
import { openRegular } from '../../files/regular-file.js';
import { inputOf } from '../../log/inputs.js';
import { checkNpySize, decodeNpyHeader, type NpyHeader, shapeText } from '../../policy/npy.js';
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

/** Rows of an array that lies in a file, read as they are asked for. */
export class FileRows implements PredictionSource {
  readonly rows: number;
  private out = new Float64Array(0);
  private raw: Float32Array | Float64Array = new Float64Array(0);

  /** @param file for messages. @param descriptor of the file that the array lies in; `close` closes it. */
  constructor(
    readonly format: PredictionSource['format'],
    readonly file: string,
    readonly input: PredictionSource['input'],
    private readonly descriptor: number,
    private readonly header: Pick<NpyHeader, 'shape' | 'dtype' | 'fortranOrder' | 'start'>,
    private readonly arms: number,
  ) {
    this.rows = header.shape[0];
  }

  read(from: number, to: number): Float64Array {
    const { arms, header, rows } = this;
    const length = (to - from) * arms;
    if (this.out.length < length) {
      this.out = new Float64Array(length);
      this.raw = header.dtype === 'f8' ? this.out : new Float32Array(length);
    }
    const out = this.out.subarray(0, length);
    if (!header.fortranOrder) {
      const raw = this.numbers(from * arms, length);
      if (raw.buffer !== out.buffer) out.set(raw);
      return out;
    }
    // A column of the matrix at a time, whose rows lie together.
    const column = header.dtype === 'f8' ? new Float64Array(to - from) : new Float32Array(to - from);
    for (let a = 0; a < arms; a++) {
      this.fill(column, a * rows + from);
      for (let i = 0, at = a; i < column.length; i++, at += arms) out[at] = column[i];
    }
    return out;
  }

  /** Numbers [at, at + length) of the array. */
  private numbers(at: number, length: number): Float32Array | Float64Array {
    const raw = this.raw.subarray(0, length);
    this.fill(raw, at);
    return raw;
  }

  private fill(raw: Float32Array | Float64Array, at: number): void {
    const bytes = new Uint8Array(raw.buffer, raw.byteOffset, raw.byteLength);
    let position = this.header.start + at * raw.BYTES_PER_ELEMENT;
    for (let done = 0; done < bytes.length; ) {
      const read = readSync(this.descriptor, bytes, done, Math.min(bytes.length - done, 2 ** 30), position);
      if (read === 0) throw new InputError({ file: this.file, problem: 'the file became shorter while it was read' });
      done += read;
      position += read;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
