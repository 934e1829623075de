/** Typed arrays on shared memory, so that worker threads read them without a copy. */

import type { BlockStatistics } from '../estimate/block-statistics.js';

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** Zeroed bytes, shared where the platform allows it. */
export function sharedBytes(bytes: number): SharedArrayBuffer | ArrayBuffer {
  return typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}

/** The array itself if it already lies on shared memory, else a shared copy. */
export function toShared<T extends Column>(array: T): T {
  if (typeof SharedArrayBuffer === 'undefined' || array.buffer instanceof SharedArrayBuffer) return array;
  const make = array.constructor as new (buffer: SharedArrayBuffer | ArrayBuffer) => T;
  const copy = new make(sharedBytes(array.byteLength));
  copy.set(array);
  return copy;
}

/** Zeroed statistics of any number of policies, on shared memory. `binary`: steps are 0 or 1, so squares are not stored. */
export function sharedBlockStatistics(policies: number, events: Float64Array, binary: boolean): BlockStatistics {
  const column = (): Float64Array => new Float64Array(sharedBytes(policies * events.length * 8));
  return {
    policies,
    blocks: events.length,
    events,
    matches: column(),
    payoff: column(),
    squareHigh: binary ? null : column(),
    squareLow: binary ? null : column(),
  };
}
