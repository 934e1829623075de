/** What an estimator is: what it needs of a log, and value, variance and influence from a policy's sums. */

import type { PolicyNumbers } from '../policy-numbers.js';
import type { Clip } from '../weights/clips.js';
import type { WeightRule } from '../weights/weight-rule.js';

/** Numbers that estimators go by, where they are asked for. */
export interface Parameters {
  /** M: weights above it count as M; several, or `auto`: one is chosen for each policy. */
  readonly clip?: Clip;
  /** τ: events of a larger weight are left to the reward model. */
  readonly switch?: number;
  /** λ of dros. */
  readonly shrinkage?: number;
}

export type Parameter = keyof Parameters;

/** One estimator, as users see it. Symbols and sources: each file; ψ_t is the influence of event t, Σ ψ = 0. */
export interface Estimator {
  readonly name: string;
  /** One line for help texts and reports. */
  readonly summary: string;
  /** Unbiased where arms were drawn uniformly, or where propensities say how they were drawn; nothing: it is as good as its model. */
  readonly needs: 'uniform logging' | 'propensities' | 'nothing';
  /** It sums residuals of a reward model, and predictions over all events. */
  readonly usesModel: boolean;
  /** What it must be told. */
  readonly parameter: Parameter | null;
  /** What a match counts; absent: it does not go by weights. */
  readonly weights?: (parameter: number) => WeightRule;
  /** `null`: nothing is known of the policy. */
  readonly value: (numbers: PolicyNumbers) => number | null;
  /** L/(L−1) Σ ψ²; `null`: it is not known. Absent: blocks are drawn anew (`interval/bootstrap.ts`). */
  readonly variance?: (numbers: PolicyNumbers) => number | null;
  /** Σ ψ over some blocks of all. */
  readonly influence?: (all: PolicyNumbers, part: PolicyNumbers) => number;
  /**
   * The variance that the value would have if payoffs (residuals) did not depend on weights: s_w²/ESS, and for a model what its
   * predictions add. `null`: it is not known.
   */
  readonly independentVariance?: (numbers: PolicyNumbers) => number | null;
  /** By what the largest weight is divided to be that of one event: L, or Σ w. */
  readonly divisor?: 'events' | 'weights';
}
