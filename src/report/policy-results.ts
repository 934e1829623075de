/** From block statistics to the rows of the result. */

import { totals } from '../estimate/block-statistics.js';
import type { BlockPlan } from '../estimate/blocks.js';
import { payoffInterval } from '../estimate/interval/index.js';
import { isBinary } from '../estimate/payoff-scale.js';
import { estimateOf } from '../estimate/replay.js';
import { type Match, validEvents } from '../estimate/valid-events.js';
import { effectiveArms } from '../log/effective-arms.js';
import type { EventLog } from '../log/event-log.js';
import { referenceChoice } from '../policy/reference.js';
import type { Evaluated } from '../run/verify.js';
import { blockRows } from './block-rows.js';
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
      if (options.blockStatistics) row.blocks = blockRows(scale, stats, p);
      rows.push(row);
    }
  }
  return rows.sort(
    (a, b) => (b.value ?? Number.NEGATIVE_INFINITY) - (a.value ?? Number.NEGATIVE_INFINITY) || a.index - b.index,
  );
}
