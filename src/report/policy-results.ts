/** From block statistics to the rows of the result. */

import { totals } from '../estimate/block-statistics.js';
import type { BlockPlan } from '../estimate/blocks.js';
import { payoffInterval } from '../estimate/interval/index.js';
import { basePayoff, isBinary, stepSize, totalPayoff } from '../estimate/payoff-scale.js';
import { estimateOf } from '../estimate/replay.js';
import { type Match, validEvents } from '../estimate/valid-events.js';
import type { EventLog } from '../log/event-log.js';
import { referenceChoice } from '../policy/reference.js';
import type { Evaluated } from '../run/verify.js';
import type { PolicyResult } from './result.js';

export interface EstimateOptions {
  method: string;
  confidence: number;
  /** T of Algorithm 1; absent: Algorithm 2. */
  validEvents?: number;
  blockStatistics?: boolean;
}

/** Rows of all policies: best value first, policies without a value last, equal values by index. */
export function estimatePolicies(
  log: EventLog,
  plan: BlockPlan,
  evaluated: readonly Evaluated[],
  options: EstimateOptions,
): PolicyResult[] {
  const { scale, maxSteps } = log.payoff;
  const context = { binary: isBinary(scale, maxSteps), effectiveArms: effectiveArms(log) };
  const rows: PolicyResult[] = [];
  for (const { batch, stats } of evaluated) {
    const choose = referenceChoice(batch, log);
    function* rescan(policy: number, from: number, to: number): Generator<Match> {
      for (let t = from; t < to; t++)
        if (choose(policy, t) === log.arm[t]) yield { event: t, steps: log.payoff.steps[t] };
    }
    for (let p = 0; p < batch.policies; p++) {
      const first = options.validEvents === undefined ? null : validEvents(stats, plan, p, options.validEvents, rescan);
      const sums = first ?? totals(stats, p);
      const row: PolicyResult = {
        index: rows.length,
        name: batch.names[p],
        family: batch.family,
        ...estimateOf(sums, scale),
        interval: payoffInterval(options.method, sums, scale, options.confidence, context),
      };
      if (first !== null) Object.assign(row, { consumed: first.events, complete: first.complete });
      if (options.blockStatistics) row.blocks = blockRows(log, stats, p);
      rows.push(row);
    }
  }
  return rows.sort(
    (a, b) => (b.value ?? Number.NEGATIVE_INFINITY) - (a.value ?? Number.NEGATIVE_INFINITY) || a.index - b.index,
  );
}

/** Statistics per block in payoff units: T, Σ r, Σ r². */
function blockRows(log: EventLog, stats: Evaluated['stats'], p: number): NonNullable<PolicyResult['blocks']> {
  const { scale } = log.payoff;
  const step = stepSize(scale);
  const offset = basePayoff(scale);
  const blocks = Array.from({ length: stats.blocks }, (_, b) => totals(stats, p, b, b + 1));
  return {
    matches: blocks.map(({ matches }) => matches),
    payoff: blocks.map(({ matches, payoff }) => totalPayoff(scale, matches, payoff)),
    // Σ (offset + k·step)² from Σ k and Σ k².
    payoffSquared: blocks.map(
      ({ matches, payoff, square }) => matches * offset * offset + 2 * offset * step * payoff + step * step * square,
    ),
  };
}

/** L / Σ 1/|A_t|: the number of arms as matches see it. */
function effectiveArms(log: EventLog): number {
  const { pool, offsets } = log.pools;
  if (log.events === 0) return Math.max(1, log.arms.ids.length);
  if (pool === null) return offsets[1] - offsets[0];
  const inverse = Float64Array.from({ length: log.pools.count }, (_, s) => 1 / (offsets[s + 1] - offsets[s]));
  let expected = 0;
  for (let t = 0; t < log.events; t++) expected += inverse[pool[t]];
  return log.events / expected;
}
