/** Matches of policies and replicas, as the check of what is due looks at them. */

import type { ReplayOutcome, ReplayWork } from '../engine/learner-contract.js';
import type { MatchCount } from '../estimate/due-matches.js';
import type { EvaluatedPolicies } from '../run/policy-sums.js';

/** Over the whole log, also under Algorithm 1: block statistics are those of all events. */
export function matchCounts(evaluated: readonly EvaluatedPolicies[], events: number): MatchCount[] {
  return evaluated.flatMap(({ policies, names, kind, stats }) =>
    Array.from({ length: policies }, (_, p) => ({
      name: names[p],
      events,
      matches: sumOf(stats.matches, p * stats.blocks, stats.blocks),
      // Scores are those of candidates; what is named in advance need not be a candidate.
      mayPass: kind === 'matrix',
    })),
  );
}

/**
 * Of the events that each replica was shown. Where candidate sets differ in size, those up to the T-th valid event may be others
 * than the log has on average, so that nothing can be said of Algorithm 1.
 */
export function replicaMatchCounts(
  { replicas, settings, rules, head }: Pick<ReplayWork, 'replicas' | 'settings' | 'rules' | 'head'>,
  { stats, consumed }: ReplayOutcome,
): MatchCount[] {
  const { offsets, pool } = head.pools;
  const size = offsets[1] - offsets[0];
  if (rules.validEvents !== null && pool !== null && offsets.some((end, s) => s > 0 && end - offsets[s - 1] !== size))
    return [];
  return replicas.map(({ setting }, row) => ({
    name: settings[setting].name,
    events: consumed[row],
    matches: sumOf(stats.matches, row * stats.blocks, stats.blocks),
    mayPass: settings[setting].algorithm === null,
  }));
}

function sumOf(values: Float64Array, from: number, length: number): number {
  let sum = 0;
  for (let i = from; i < from + length; i++) sum += values[i];
  return sum;
}
