/** From block statistics to the rows of the result. */

import type { Estimates } from '../estimate/estimates.js';
import { totals } from '../estimate/estimators/replay-totals.js';
import type { EstimateOptions } from '../estimate/one-estimate.js';
import type { PolicyStanding } from '../estimate/selection/select.js';
import type { SequencePlan } from '../estimate/sequence/policy-sequence.js';
import type { Totals } from '../estimate/sums/exact-sums.js';
import type { PayoffScale } from '../estimate/sums/payoff-scale.js';
import type { EvaluatedPolicies } from '../run/policy-sums.js';
import { blockRows } from './block-rows.js';
import type { PolicyResult } from './result.js';

/** Name and totals of each policy, as its estimate takes them. */
export function* policyTotals(evaluated: readonly EvaluatedPolicies[]): Generator<{ name: string; sums: Totals }> {
  for (const { policies, names, stats, first } of evaluated) {
    for (let p = 0; p < policies; p++) yield { name: names[p], sums: first?.[p] ?? totals(stats, p) };
  }
}

/**
 * Rows of all policies: best value first, policies without a value last, equal values by index.
 *
 * @param standings what is said of all of them at once, by index; empty: nothing is.
 * @param blocks the payoffs' scale, where rows are to have statistics per block.
 * @param sequence where they are to have bounds after each look.
 */
export function estimatePolicies(
  estimates: Estimates,
  evaluated: readonly EvaluatedPolicies[],
  options: EstimateOptions,
  standings: readonly PolicyStanding[],
  blocks: PayoffScale | null,
  sequence: SequencePlan | null = null,
): PolicyResult[] {
  const rows: PolicyResult[] = [];
  for (const { policies, names, family, kind, stats, first } of evaluated) {
    for (let p = 0; p < policies; p++) {
      const estimate = estimates.estimate(stats, p, options, first?.[p], kind === 'drawn');
      const row: PolicyResult = {
        index: rows.length,
        name: names[p],
        family: family as PolicyResult['family'],
        ...estimate,
        ...standings[rows.length],
      };
      if (first) {
        const consumed = (first[p] ?? totals(stats, p)).events;
        Object.assign(row, { consumed, complete: first[p] !== null });
      }
      if (sequence !== null) row.sequence = estimates.sequence(stats, p, sequence, options, kind === 'drawn');
      if (blocks !== null) row.blocks = blockRows(blocks, stats, p);
      rows.push(row);
    }
  }
  return rows.sort(
    (a, b) => (b.value ?? Number.NEGATIVE_INFINITY) - (a.value ?? Number.NEGATIVE_INFINITY) || a.index - b.index,
  );
}
