/** Predictions as one array in a file, of which rows are read as they are asked for: it may be larger than memory. */

import { closeSync, readSync } from 'node:fs';
import { InputError } from '../../errors.js';
import type { NpyHeader } from '../../policy/npy.js';
import type { PredictionSource } from './source.js';

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
