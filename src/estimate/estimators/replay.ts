/** Replay as one of the estimators: its sums are those of `replay-totals.ts`. */

import { defaultInterval, findInterval, payoffInterval } from '../interval/index.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import type { Totals } from '../sums/exact-sums.js';
import { isBinary } from '../sums/payoff-scale.js';
import type { Estimate, EstimateOptions, Estimator, EstimatorRun } from './estimator.js';
import { estimateOf, replayColumns, replayKinds, totals } from './replay-totals.js';

/** As results hold it. */
export interface ReplayDescription {
  name: 'replay';
  algorithm: 1 | 2;
  /** T of Algorithm 1. */
  validEvents: number | null;
}

export const replay: Estimator<ReplayDescription> = {
  name: 'replay',
  summary: 'the mean payoff of matching events; for uniformly logged events',
  needs: 'uniform logging',
  tells: 'payoff',
  interval: (asked, binary) => findInterval(asked ?? defaultInterval(binary), binary).name,
  open: ({ payoff }, _events, validEvents): EstimatorRun<ReplayDescription> => ({
    kinds: replayKinds(payoff),
    columns: (batch) => replayColumns({ ...payoff, steps: batch.payoff.steps }),
    estimate: (stats, policy, options, first) => estimate(payoff, stats, policy, options, first),
    description: { name: 'replay', algorithm: validEvents === null ? 2 : 1, validEvents },
    warnings: () => [],
    carry() {},
  }),
};

function estimate(
  { scale, maxSteps }: Parameters<Estimator['open']>[0]['payoff'],
  stats: BlockStatistics,
  policy: number,
  { method, confidence, effectiveArms }: EstimateOptions,
  first?: Totals | null,
): Estimate {
  const sums = first ?? totals(stats, policy);
  const context = { binary: isBinary(scale, maxSteps), effectiveArms };
  return { ...estimateOf(sums, scale), interval: payoffInterval(method, sums, scale, confidence, context) };
}
