/** The reference decision of a linear policy: what every engine's answer is compared with. */

import type { ScoredPolicies } from '../compiled.js';
import type { DecisionLog } from '../scored-family.js';

/** score(a) = w_a · x in f64, j ascending; the lowest candidate index of the exact maximum is chosen. */
export interface LinearPolicies extends ScoredPolicies {
  /** Weights are [P, K, d]. */
  readonly arms: number;
  readonly dimension: number;
}

/** Candidates `arms[from .. to)`, arm indices in ascending order. */
export interface Candidates {
  readonly arms: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Arm index with the largest f64 dot product of weights and context, summed in ascending order of columns; among equal
 * scores the lowest index. A score that overflows to NaN counts as −∞, so that the answer is defined for any finite
 * weights and contexts; with d = 0 every score is 0 and the first candidate is chosen.
 *
 * @param weightsAt Offset of the policy's weights, [K, d] row-major, in `weights`.
 * @param contextAt Offset of the event's context row, length d, in `contexts`.
 */
export function linearChoice(
  weights: Float32Array | Float64Array,
  weightsAt: number,
  contexts: Float32Array | Float64Array,
  contextAt: number,
  dimension: number,
  candidates: Candidates,
): number {
  const { arms, from, to } = candidates;
  let best = Number.NEGATIVE_INFINITY;
  let choice = arms[from];
  for (let i = from; i < to; i++) {
    const arm = arms[i];
    const row = weightsAt + arm * dimension;
    let s = 0;
    for (let j = 0; j < dimension; j++) s += weights[row + j] * contexts[contextAt + j];
    if (s > best) {
      best = s;
      choice = arm;
    }
  }
  return choice;
}

/** `linearChoice` for one of the policies at an event of a log. */
export function linearChoiceAt(compiled: LinearPolicies, log: DecisionLog, policy: number, event: number): number {
  const { contexts, pools } = log;
  const set = pools.pool === null ? 0 : pools.pool[event];
  const row = contexts.row === null ? event : contexts.row[event];
  return linearChoice(
    compiled.weights,
    policy * compiled.arms * compiled.dimension,
    contexts.values,
    row * compiled.dimension,
    compiled.dimension,
    { arms: pools.arms, from: pools.offsets[set], to: pools.offsets[set + 1] },
  );
}

/** The scores that `linearChoiceAt` compares, of the event's candidates in order. */
export function linearScoresAt(
  compiled: LinearPolicies,
  { contexts, pools }: DecisionLog,
  policy: number,
  event: number,
  out: Float64Array,
): void {
  const { weights, arms, dimension } = compiled;
  const set = pools.pool === null ? 0 : pools.pool[event];
  const x = (contexts.row === null ? event : contexts.row[event]) * dimension;
  const from = pools.offsets[set];
  for (let i = from; i < pools.offsets[set + 1]; i++) {
    const row = (policy * arms + pools.arms[i]) * dimension;
    let s = 0;
    for (let j = 0; j < dimension; j++) s += weights[row + j] * contexts.values[x + j];
    out[i - from] = s;
  }
}
