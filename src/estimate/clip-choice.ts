/** A clipped estimator whose M is chosen for each policy: every M of the grid, and none, is computed in the same pass. */

import type { EstimatorSummands } from './estimator-summands.js';
import type { ChosenEstimator } from './estimators/choose.js';
import { slope } from './estimators/slope.js';
import type { IntervalChoice } from './interval/choose-interval.js';
import { type Estimate, type EstimateOptions, OneEstimate } from './one-estimate.js';
import type { BlockStatistics } from './sums/block-statistics.js';
import { largestOf } from './weights/weight-report.js';
import { clipped } from './weights/weight-rule.js';

export class ClipChoice {
  constructor(
    private readonly summands: EstimatorSummands,
    private readonly chosen: ChosenEstimator,
    readonly method: IntervalChoice,
    private readonly payoff: ConstructorParameters<typeof OneEstimate>[3],
  ) {}

  estimate(stats: BlockStatistics, policy: number, options: EstimateOptions): Estimate {
    const { summands, chosen, method, payoff } = this;
    const [largest] = largestOf(stats, policy, summands.largest);
    // What clips none of the policy's weights is no clipping.
    const clips = [...summands.clips(chosen).filter((most) => most < largest), null];
    const estimates = clips.map((clip) => {
      const one = clip === null ? chosen : { ...chosen, rule: clipped(clip) };
      return { ...new OneEstimate(summands, one, method, payoff).estimate(stats, policy, options), clip };
    });
    return slope(estimates);
  }
}
