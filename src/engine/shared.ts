/** Typed arrays on shared memory, so that worker threads read them without a copy. */

import type { Summand } from '../estimate/sums/summands.js';
import { checkRoom } from '../log/build/memory.js';

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** Zeroed bytes, shared where the platform allows it. */
export function sharedBytes(bytes: number): SharedArrayBuffer | ArrayBuffer {
  return typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}

/** Copies from this size on are looked at before they are made. Bytes. */
const LARGE = 2 ** 26;

/** The array itself if it already lies on shared memory, else a shared copy. @throws InputError where that does not fit the memory. */
export function toShared<T extends Column>(array: T): T {
  if (typeof SharedArrayBuffer === 'undefined' || array.buffer instanceof SharedArrayBuffer) return array;
  const { length, byteLength, BYTES_PER_ELEMENT } = array;
  const product = `${length} numbers × ${BYTES_PER_ELEMENT} bytes`;
  if (byteLength >= LARGE)
    checkRoom('copies for threads', product, byteLength, '--threads 1 (in code: threads), or fewer policies at a time');
  const make = array.constructor as new (buffer: SharedArrayBuffer | ArrayBuffer) => T;
  const copy = new make(sharedBytes(array.byteLength));
  copy.set(array);
  return copy;
}

/** A column or table whose words worker threads read without a copy. */
export function shareSummand(summand: Summand): Summand {
  return { ...summand, words: toShared(summand.words) };
}

/** Zeroed numbers on shared memory. */
export function sharedNumbers(length: number): Float64Array {
  return new Float64Array(sharedBytes(length * 8));
}

/** Plain data with its typed arrays on shared memory, so that one copy serves all threads. */
export function shareArrays<T>(value: T): T {
  if (ArrayBuffer.isView(value)) return toShared(value as T & Column);
  if (Array.isArray(value)) return value.map(shareArrays) as T;
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, shareArrays(one)])) as T;
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shareArrays(one)])) as T;
}
