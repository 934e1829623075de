/**
 * Column storage. Columns live on shared memory where the platform has it, so that worker threads read them without
 * a copy. Allocate for the largest size that may be needed: pages that are never touched cost no memory.
 */

import { InputError } from '../errors.js';

const SHARED = typeof SharedArrayBuffer === 'function';

function buffer(bytes: number): ArrayBufferLike {
  try {
    return SHARED ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  } catch (cause) {
    throw new InputError(
      {
        problem: `the log needs a column of ${(bytes / 2 ** 30).toFixed(1)} GiB, which this machine does not give`,
        hint: 'read fewer context columns, or select fewer rows with --where',
      },
      { cause },
    );
  }
}

/** Zeroed u32 column of `length` entries. */
export function u32Column(length: number): Uint32Array {
  return new Uint32Array(buffer(length * 4), 0, length);
}

/** Zeroed f32 column of `length` entries. */
export function f32Column(length: number): Float32Array {
  return new Float32Array(buffer(length * 4), 0, length);
}

/** Zeroed f64 column of `length` entries. */
export function f64Column(length: number): Float64Array {
  return new Float64Array(buffer(length * 8), 0, length);
}
