/** φ(x, z): what joint-linear policies weigh, made of a context x (length dx) and the features z (length dz) of a candidate. */

/**
 * Which components φ has, in this order:
 *
 * - `arm`: z_0, …, z_{dz−1}
 * - `concat`: x_0, …, x_{dx−1}, then z_0, …, z_{dz−1}
 * - `product`: x_i z_j at i · dz + j
 * - `both`: x, then z, then the products: x_i z_j at dx + dz + i · dz + j
 */
export const JOINT_FEATURES = ['arm', 'concat', 'product', 'both'] as const;

export type JointFeatures = (typeof JOINT_FEATURES)[number];

/** Which of the three parts φ has. */
export interface JointParts {
  readonly context: boolean;
  readonly arm: boolean;
  readonly products: boolean;
}

export function jointParts(features: JointFeatures): JointParts {
  return {
    context: features === 'concat' || features === 'both',
    arm: features !== 'product',
    products: features === 'product' || features === 'both',
  };
}

/** Length of φ. */
export function jointDimension(features: JointFeatures, dx: number, dz: number): number {
  const { context, arm, products } = jointParts(features);
  return (context ? dx : 0) + (arm ? dz : 0) + (products ? dx * dz : 0);
}

/** Names of the components of φ, in its order: x, z, and `x * z` of a product. */
export function jointNames(features: JointFeatures, x: readonly string[], z: readonly string[]): string[] {
  const { context, arm, products } = jointParts(features);
  return [
    ...(context ? x : []),
    ...(arm ? z : []),
    ...(products ? x.flatMap((left) => z.map((right) => `${left} * ${right}`)) : []),
  ];
}

/** φ in words, e.g. `3 context columns, then 2 arm features`. */
export function describeJoint(features: JointFeatures, dx: number, dz: number): string {
  const { context, arm, products } = jointParts(features);
  const parts = [
    ...(context ? [`${dx} context columns`] : []),
    ...(arm ? [`${dz} arm features`] : []),
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
