/** From block statistics to the rows of the result. */

import { type Totals, totals } from '../estimate/block-statistics.js';
import { payoffInterval } from '../estimate/interval/index.js';
import { isBinary } from '../estimate/payoff-scale.js';
import { estimateOf } from '../estimate/replay.js';
import type { EventLog } from '../log/event-log.js';
import type { EvaluatedPolicies } from '../run/policy-sums.js';
import { blockRows } from './block-rows.js';
import type { PolicyResult } from './result.js';

export interface EstimateOptions {
  method: string;
  confidence: number;
  blockStatistics?: boolean;
}

/** What of a log estimates depend on. */
export interface EstimateContext extends Pick<EventLog['payoff'], 'scale' | 'maxSteps'> {
  /** L / Σ 1/|A_t| */
  readonly effectiveArms: number;
}

/** Name and totals of each policy, as its estimate takes them. */
export function* policyTotals(evaluated: readonly EvaluatedPolicies[]): Generator<{ name: string; sums: Totals }> {
  for (const { policies, names, stats, first } of evaluated) {
    for (let p = 0; p < policies; p++) yield { name: names[p], sums: first?.[p] ?? totals(stats, p) };
  }
}

/** Rows of all policies: best value first, policies without a value last, equal values by index. */
export function estimatePolicies(
  { scale, maxSteps, effectiveArms }: EstimateContext,
  evaluated: readonly EvaluatedPolicies[],
  options: EstimateOptions,
): PolicyResult[] {
  const context = { binary: isBinary(scale, maxSteps), effectiveArms };
  const rows: PolicyResult[] = [];
  for (const { policies, names, family, stats, first } of evaluated) {
    for (let p = 0; p < policies; p++) {
      const sums = first?.[p] ?? totals(stats, p);
      const row: PolicyResult = {
        index: rows.length,
        name: names[p],
        family,
        ...estimateOf(sums, scale),
        interval: payoffInterval(options.method, sums, scale, options.confidence, context),
      };
      if (first) Object.assign(row, { consumed: sums.events, complete: first[p] !== null });
      if (options.blockStatistics) row.blocks = blockRows(scale, stats, p);
      rows.push(row);
    }
  }
  return rows.sort(
    (a, b) => (b.value ?? Number.NEGATIVE_INFINITY) - (a.value ?? Number.NEGATIVE_INFINITY) || a.index - b.index,
  );
}
