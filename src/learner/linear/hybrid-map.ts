/** z of a hybrid model: linear in e, the context of an event (where z does not depend on it, with a 1 appended). */

import { DoubleDouble } from './double-double.js';

/** Lengths: K arms, contexts of d, e of m (d or d + 1), z of k. */
export interface HybridShape {
  readonly arms: number;
  readonly d: number;
  readonly m: number;
  readonly k: number;
}

/** z = Z_r e for feature rows r = 0..R−1. */
export interface SharedMap {
  /** R */
  readonly rows: number;
  /** Arm of each row, length R. */
  readonly armOf: Uint32Array;
  /** Writes z, of length k. */
  write(row: number, e: Float64Array, out: Float64Array): void;
  /** Writes what z lacks of products that f64 rounds. */
  writeLow(row: number, e: Float64Array, out: Float64Array): void;
}

/** z: feature i times context j, at i · d + j; e is the context. */
export function productMap(features: Float64Array, width: number, d: number, armOf: Uint32Array): SharedMap {
  return {
    rows: armOf.length,
    armOf,
    write(row, e, out) {
      for (let i = 0, at = 0; i < width; i++) {
        const feature = features[row * width + i];
        for (let j = 0; j < d; j++) out[at++] = feature * e[j];
      }
    },
    writeLow(row, e, out) {
      const one = new DoubleDouble();
      for (let i = 0, at = 0; i < width; i++) {
        for (let j = 0; j < d; j++) out[at++] = one.product(features[row * width + i], 0, e[j], 0).lo;
      }
    },
  };
}

/** z: the features alone; e ends with a 1. */
export function featureMap(features: Float64Array, width: number, d: number, armOf: Uint32Array): SharedMap {
  return {
    rows: armOf.length,
    armOf,
    write(row, e, out) {
      for (let i = 0; i < width; i++) out[i] = features[row * width + i] * e[d];
    },
    // e ends with a 1.
    writeLow(_row, _e, out) {
      out.fill(0);
    },
  };
}
