/** φ(x, z): what joint-linear policies weigh, made of a context x (length dx) and the features z (length dz) of a candidate. */

import { type JointFeatures, type JointParts, jointParts } from '../../log/joint-features.js';
import { plural } from '../../words.js';

/** Length of φ. */
export function jointDimension(features: JointFeatures, dx: number, dz: number): number {
  const { context, arm, products } = jointParts(features);
  return (context ? dx : 0) + (arm ? dz : 0) + (products ? dx * dz : 0);
}

/** φ in words, e.g. `3 context columns, then 2 arm features`. */
export function describeJoint(features: JointFeatures, dx: number, dz: number): string {
  const { context, arm, products } = jointParts(features);
  const parts = [
    ...(context ? [`${plural(dx, 'context column')}`] : []),
    ...(arm ? [`${plural(dz, 'arm feature')}`] : []),
    ...(products ? [`${dx} × ${dz} products`] : []),
  ];
  return parts.join(', then ');
}

type Numbers = Float32Array | Float64Array;

/**
 * Writes φ to `out` at `at`, `at + stride`, …; a product is rounded to f64.
 *
 * @param xAt where x starts in `x`; `zAt` likewise.
 */
export function writeJoint(
  { context, arm, products }: JointParts,
  x: Numbers,
  xAt: number,
  dx: number,
  z: Numbers,
  zAt: number,
  dz: number,
  out: Float64Array,
  at: number,
  stride: number,
): void {
  let to = at;
  if (context) for (let i = 0; i < dx; i++, to += stride) out[to] = x[xAt + i];
  if (arm) for (let j = 0; j < dz; j++, to += stride) out[to] = z[zAt + j];
  if (!products) return;
  for (let i = 0; i < dx; i++) {
    const xi = x[xAt + i];
    for (let j = 0; j < dz; j++, to += stride) out[to] = xi * z[zAt + j];
  }
}
