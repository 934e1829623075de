/** What an estimator is: what it needs of a log, its match columns, and a value with its interval from their sums. */

import type { Carried } from '../../archive.js';
import type { Interval, IntervalName } from '../interval/index.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import type { Totals } from '../sums/exact-sums.js';
import type { PayoffScale } from '../sums/payoff-scale.js';
import type { ColumnKind, Summand } from '../sums/summands.js';

/** What estimators see of a log, or of a batch of one. */
export interface EventNumbers {
  /** L, or events of the batch. */
  readonly events: number;
  readonly payoff: {
    readonly scale: PayoffScale;
    /** [L], whole steps. */
    readonly steps: Uint32Array;
    /** The largest of the whole log. */
    readonly maxSteps: number;
  };
  /** p_t of the logged arm, [L]; `null`: not logged. */
  readonly propensity: Float64Array | null;
  /** Ids of the K arms. */
  readonly arms: { readonly ids: readonly string[] };
  /** The logged arm, [L]. */
  readonly arm: Uint32Array;
  /** Candidate sets: set s is arms[offsets[s] .. offsets[s + 1]); `pool` is the set of each event, `null`: 0. */
  readonly pools: { readonly offsets: Uint32Array; readonly arms: Uint32Array; readonly pool: Uint32Array | null };
}

/** How intervals are to be, and what they depend on beside a policy's own sums. */
export interface EstimateOptions {
  /** Name of the interval. */
  readonly method: IntervalName;
  /** In (0, 1). */
  readonly confidence: number;
  /** L / Σ 1/|A_t| */
  readonly effectiveArms: number;
}

/** One policy by one estimator. */
export interface Estimate {
  /** T: events at which the policy chose the logged arm. */
  matches: number;
  /** Σ V r, where the estimator goes by it. */
  payoff?: number;
  /** `null` where no event matched: nothing is known of the policy. */
  value: number | null;
  /** Where the estimator has one; `null`: it is not known. */
  standardError?: number | null;
  /** [lower, upper] within the payoff range, which it is where nothing is known. */
  interval: Interval;
}

/** An estimator at work on one log: first it sees all events, batch by batch, then it makes columns of them. */
export interface EstimatorRun<Description = { readonly name: string }> extends Carried {
  /** Takes note of what must be known of all events before columns are made; absent: nothing must. */
  readonly survey?: (batch: EventNumbers) => void;
  /** Of its columns; known when all events were seen. */
  readonly kinds: readonly ColumnKind[];
  columns(batch: EventNumbers): Summand[];
  /** @param first Algorithm 1: totals of the first T matches, in place of the policy's statistics. */
  estimate(stats: BlockStatistics, policy: number, options: EstimateOptions, first?: Totals | null): Estimate;
  /** How it is named in results. */
  readonly description: Description;
  /** About the log, where its columns may not be what they seem. */
  warnings(): string[];
}

/** One estimator, as users see it; `Description` is what results hold of it. */
export interface Estimator<Description extends { name: string } = { name: string }> {
  readonly name: Description['name'];
  /** One line for help texts and reports. */
  readonly summary: string;
  /** Unbiased where arms were drawn uniformly, or where propensities say how they were drawn. */
  readonly needs: 'uniform logging' | 'propensities';
  /** What it tells of a policy beside value and interval. */
  readonly tells: 'payoff' | 'standardError';
  /**
   * Name of the interval to use. @param binary every payoff is 0 or 1.
   * @throws InputError for one that does not exist, or does not fit.
   */
  interval(asked: string | undefined, binary: boolean): IntervalName;
  /** @param log its events, or none of them. @param validEvents T of Algorithm 1; `null`: Algorithm 2. */
  open(
    log: Pick<EventNumbers, 'payoff' | 'arms'>,
    events: number,
    validEvents: number | null,
  ): EstimatorRun<Description>;
}
