/** Components of φ(x, z), what joint-linear policies weigh: x are the columns of the context, z the features of a candidate. */

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

/** Names of the components of φ, in its order: x, z, and `x * z` of a product. */
export function jointNames(features: JointFeatures, x: readonly string[], z: readonly string[]): string[] {
  const { context, arm, products } = jointParts(features);
  return [
    ...(context ? x : []),
    ...(arm ? z : []),
    ...(products ? x.flatMap((left) => z.map((right) => `${left} * ${right}`)) : []),
  ];
}

/** Names of the components of every φ; `null` where they are more than `most`. */
export type JointColumns = Record<JointFeatures, string[] | null>;

export function jointColumns(x: readonly string[], z: readonly string[], most: number): JointColumns {
  const columns = (features: JointFeatures): string[] | null => {
    const { products } = jointParts(features);
    return products && x.length * z.length > most ? null : jointNames(features, x, z);
  };
  return { arm: columns('arm'), concat: columns('concat'), product: columns('product'), both: columns('both') };
}
