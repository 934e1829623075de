/** Where the factor and the coefficients of an arm lie, as in shaders/lib/arm-state.wgsl and lib/factor.wgsl. */

import { packedSize } from '../../learner/linear/packed.js';

/** Contexts up to this length are held in registers. */
const SHORT = 16;

export function isShort(d: number): boolean {
  return d <= SHORT;
}

/** Where things lie in the state of an arm, in words. */
export interface ArmLayout {
  /** Place of R_ij, j ≤ i. */
  place(i: number, j: number): number;
  /** Place of θ. */
  readonly theta: number;
  /** Words of the upper parts; the lower ones follow. */
  readonly size: number;
  /** Words of an arm. */
  readonly stride: number;
}

export function armLayout(d: number): ArmLayout {
  const short = isShort(d);
  const blocks = Math.ceil(d / 8);
  const theta = short ? packedSize(d) : 32 * blocks * (blocks - 1) + 8 * d;
  const size = Math.ceil((theta + d) / 4) * 4;
  return {
    place: (i, j) => (short ? packedSize(i) + j : 32 * (i >> 3) * ((i >> 3) + 1) + j * 8 + (i & 7)),
    theta,
    size,
    stride: 2 * size + 4,
  };
}
