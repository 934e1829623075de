/** Confidence sequences of policies from their block statistics. */

import type { EstimatorSummands } from '../estimator-summands.js';
import type { ChosenEstimator } from '../estimators/choose.js';
import type { Interval } from '../interval/method.js';
import type { WeightedBounds } from '../interval/weighted/moments.js';
import { type EstimateOptions, OneEstimate } from '../one-estimate.js';
import type { PolicyNumbers } from '../policy-numbers.js';
import { type BlockStatistics, firstBlocks } from '../sums/block-statistics.js';
import type { PayoffScale } from '../sums/payoff-scale.js';
import { exactSum } from '../sums/whole-numbers.js';
import type { Looks } from './looks.js';
import type { PolicyLooks, SequenceBounds, SequenceMethod } from './method.js';

/** Which sequence, and when the log is looked at. */
export interface SequencePlan {
  readonly method: SequenceMethod;
  /** n* */
  readonly at: number;
  readonly looks: Looks;
}

export class PolicySequence {
  constructor(
    private readonly summands: EstimatorSummands,
    private readonly chosen: ChosenEstimator,
    private readonly payoff: { readonly scale: PayoffScale; readonly maxSteps: number },
  ) {}

  /** Of one policy after each look. @param options confidence is that of all looks together. */
  bounds(stats: BlockStatistics, policy: number, plan: SequencePlan, options: EstimateOptions): SequenceBounds {
    const { summands, chosen, payoff } = this;
    const { ends, events } = plan.looks;
    const until = (look: number): BlockStatistics => firstBlocks(stats, policy, ends[look]);
    const looks: PolicyLooks = {
      events,
      numbers: (look): PolicyNumbers => {
        const sumOf = (column: Float64Array): bigint => exactSum(column, 0, column.length);
        return summands.numbers(until(look), chosen.rule, sumOf, BigInt(events[look]));
      },
      interval: (look, bounds: WeightedBounds): Interval => {
        const method = { name: 'effective-clopper-pearson', summary: plan.method.summary, bounds } as const;
        const one = new OneEstimate(summands, chosen, { name: method.name, bounds: method }, payoff);
        return one.estimate(until(look), 0, options).interval;
      },
      range: [payoff.scale.low, payoff.scale.high],
      unweighted: chosen.rule === null && !chosen.estimator.usesModel,
      mostWeight: options.mostWeight,
    };
    return plan.method.bounds(looks, { delta: 1 - options.confidence, at: plan.at });
  }
}
