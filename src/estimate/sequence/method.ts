/** What a confidence sequence is: shared types of this folder. */

import type { Estimator } from '../estimators/estimator.js';
import type { Interval } from '../interval/method.js';
import type { WeightedBounds } from '../interval/weighted/moments.js';
import type { PolicyNumbers } from '../policy-numbers.js';

/** Bounds of a policy's value after each look, in payoffs and within their range. */
export interface SequenceBounds {
  /** Lower bound after each look. */
  lower: number[];
  /** Upper bound after each look. */
  upper: number[];
}

/** One policy as a method sees it. */
export interface PolicyLooks {
  /** n after each look, ascending. */
  readonly events: readonly number[];
  /** Sums over all events up to a look. */
  readonly numbers: (look: number) => PolicyNumbers;
  /** The interval that the estimator would have after a look, by these bounds. */
  readonly interval: (look: number, bounds: WeightedBounds) => Interval;
  /** [low, high] of payoffs. */
  readonly range: readonly [low: number, high: number];
  /** Matches count alike, and nothing but matches counts: replay. */
  readonly unweighted: boolean;
  /** No weight can be larger, as declared; `null`: nothing was. */
  readonly mostWeight: number | null;
}

/** What must not depend on the log, or it would be another sequence for a longer one. */
export interface SequenceLevel {
  /** α: how often the value may lie outside at any look, ever. In (0, 1). */
  readonly delta: number;
  /** n*: the number of events at which bounds are to be tightest. */
  readonly at: number;
}

/** One confidence sequence, as users see it. */
export interface SequenceMethod {
  readonly name: string;
  /** One line for help texts and reports. */
  readonly summary: string;
  /** Estimators that it is for. */
  readonly fits: (estimator: Estimator) => boolean;
  readonly bounds: (policy: PolicyLooks, level: SequenceLevel) => SequenceBounds;
}
