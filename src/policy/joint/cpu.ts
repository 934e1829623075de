/** The reference decision of a joint-linear policy: what every engine's answer is compared with. */

import type { ArmFeatureTable } from '../../log/event-log.js';
import { type JointFeatures, type JointParts, jointParts } from '../../log/joint-features.js';
import type { ScoredPolicies } from '../compiled.js';
import type { DecisionLog } from '../scored-family.js';

/** score(a) = w · φ(x_t, z_{t,a}) in f64, as `jointScore` says to the last bit; ties to the lowest arm index. */
export interface JointPolicies extends ScoredPolicies {
  /** What φ is made of. */
  readonly features: JointFeatures;
  /** D, the length of φ: weights are [P, D]. */
  readonly dimension: number;
}

type Numbers = Float32Array | Float64Array;

/**
 * w · φ(x, z) in f64: components in the order of `JOINT_FEATURES`, each w_k · φ_k rounded and added to the sum of those
 * before it, where φ_k of a product is x_i · z_j rounded.
 *
 * @param wAt where the policy's weights start in `w`; `xAt` and `zAt` likewise.
 */
export function jointScore(
  { context, arm, products }: JointParts,
  w: Numbers,
  wAt: number,
  x: Numbers,
  xAt: number,
  dx: number,
  z: Numbers,
  zAt: number,
  dz: number,
): number {
  let s = 0;
  let k = wAt;
  if (context) for (let i = 0; i < dx; i++) s += w[k++] * x[xAt + i];
  if (arm) for (let j = 0; j < dz; j++) s += w[k++] * z[zAt + j];
  if (products) {
    for (let i = 0; i < dx; i++) {
      const xi = x[xAt + i];
      for (let j = 0; j < dz; j++) s += w[k++] * (xi * z[zAt + j]);
    }
  }
  return s;
}

/** The features that a joint-linear policy reads. @throws RangeError where the log has none: packing has refused that. */
export function featuresOf({
  armFeatures,
}: DecisionLog): Pick<ArmFeatureTable, 'dimension' | 'rows' | 'values' | 'row'> {
  if (armFeatures === null) throw new RangeError('a joint-linear policy on a log without arm features');
  return armFeatures;
}

/**
 * Place in `pools.arms` (and in `armFeatures.row`) of the candidate with the largest score at an event; the first of
 * equal ones, which is the lowest arm index. As with linear policies, a score that overflows to NaN counts as −∞.
 */
export function jointPlace(compiled: JointPolicies, log: DecisionLog, policy: number, event: number): number {
  const { contexts, pools } = log;
  const { dimension: dz, values: z, row } = featuresOf(log);
  const parts = jointParts(compiled.features);
  const set = pools.pool === null ? 0 : pools.pool[event];
  const xAt = (contexts.row === null ? event : contexts.row[event]) * contexts.dimension;
  const wAt = policy * compiled.dimension;
  let best = Number.NEGATIVE_INFINITY;
  let choice = pools.offsets[set];
  for (let i = pools.offsets[set]; i < pools.offsets[set + 1]; i++) {
    const zAt = (row === null ? pools.arms[i] : row[i]) * dz;
    const s = jointScore(parts, compiled.weights, wAt, contexts.values, xAt, contexts.dimension, z, zAt, dz);
    if (s > best) {
      best = s;
      choice = i;
    }
  }
  return choice;
}

/** Arm index that a policy chooses at an event. */
export function jointChoiceAt(compiled: JointPolicies, log: DecisionLog, policy: number, event: number): number {
  return log.pools.arms[jointPlace(compiled, log, policy, event)];
}

/** Feature row of the arm that a policy chooses at an event. */
export function jointRowAt(compiled: JointPolicies, log: DecisionLog, policy: number, event: number): number {
  const place = jointPlace(compiled, log, policy, event);
  return featuresOf(log).row?.[place] ?? log.pools.arms[place];
}

/** The scores that `jointPlace` compares, of the event's candidates in order. */
export function jointScoresAt(
  { features, weights, dimension }: JointPolicies,
  log: DecisionLog,
  policy: number,
  event: number,
  out: Float64Array,
): void {
  const { contexts, pools } = log;
  const { dimension: dz, values: z, row } = featuresOf(log);
  const set = pools.pool === null ? 0 : pools.pool[event];
  const dx = contexts.dimension;
  const x = (contexts.row === null ? event : contexts.row[event]) * dx;
  const from = pools.offsets[set];
  for (let i = from; i < pools.offsets[set + 1]; i++) {
    const zAt = (row === null ? pools.arms[i] : row[i]) * dz;
    out[i - from] = jointScore(jointParts(features), weights, policy * dimension, contexts.values, x, dx, z, zAt, dz);
  }
}
