/**
 * Block statistics of policies that draw their arm: the sums that other policies have over their matches, with weights π/p of every
 * event in place of 1/p of matches, and expected predictions in place of those of the chosen arm. What estimators make of them is the
 * same. A match is an event whose arm the policy might have drawn.
 */

import { type BlockPlan, blockEvents } from '../estimate/blocks/blocks.js';
import type { EstimatorSummands } from '../estimate/estimator-summands.js';
import type { Predictions } from '../estimate/event-numbers.js';
import { type BlockStatistics, emptyBlockStatistics } from '../estimate/sums/block-statistics.js';
import type { EventLog } from '../log/event-log.js';
import { candidateRange, type DrawnPolicies, type Probabilities } from '../policy/drawn/drawn.js';

/** Events at a time: their numbers stay in cache. */
const SLICE = 4096;

/** What the caller does between two slices. @param decisions that were made. */
export type Pause = (decisions: number) => Promise<void>;

/** Statistics of the policies on a batch of a log. */
export async function drawnStatistics(
  log: EventLog,
  plan: BlockPlan,
  { policies, probabilities }: DrawnPolicies,
  summands: EstimatorSummands,
  predictions: Predictions | null,
  pause: Pause,
): Promise<BlockStatistics> {
  const stats = emptyBlockStatistics(policies, blockEvents(plan), summands.kinds);
  const probabilitiesOf = slicer(log, probabilities, predictions);
  for (let policy = 0; policy < policies; policy++) {
    for (let b = 0; b < plan.blocks; b++) {
      for (let from = plan.starts[b]; from < plan.starts[b + 1]; from += SLICE) {
        const to = Math.min(plan.starts[b + 1], from + SLICE);
        const events = Uint32Array.from({ length: to - from }, (_, i) => plan.order?.[from + i] ?? from + i);
        const { logged, expected } = probabilitiesOf(policy, events);
        const batch = slice(log, events, logged);
        const rows = predictions === null ? null : sliceRows(predictions, events);
        add(stats, policy * plan.blocks + b, logged, summands.drawnColumns(batch, rows, expected));
        await pause(events.length);
      }
    }
  }
  return stats;
}

/** π of each event's logged arm, and the predictions that are expected: Σ_a π(a) q̂(a). */
function slicer(
  log: EventLog,
  { logged, candidates }: Probabilities,
  predictions: Predictions | null,
): (policy: number, events: Uint32Array) => { logged: Float64Array; expected: Float64Array | null } {
  if (predictions === null)
    return (policy, events) => ({
      logged: Float64Array.from(events, (event) => logged(policy, event)),
      expected: null,
    });
  if (candidates === null) throw new RangeError('predictions are of no use without the probability of every candidate');
  const { pools, arm } = log;
  const arms = log.arms.ids.length;
  const each = new Float64Array(arms);
  return (policy, events) => {
    const [own, expected] = [new Float64Array(events.length), new Float64Array(events.length)];
    for (let i = 0; i < events.length; i++) {
      const event = events[i];
      candidates(policy, event, each);
      const [from, to] = candidateRange(log, event);
      const at = (predictions.row === null ? event : predictions.row[event]) * arms;
      for (let c = from; c < to; c++) {
        const probability = each[c - from];
        if (pools.arms[c] === arm[event]) own[i] = probability;
        // What is never drawn may have no prediction.
        if (probability > 0) expected[i] += probability * predictions.values[at + pools.arms[c]];
      }
    }
    return { logged: own, expected };
  };
}

/** The events as estimators see them, their propensities divided by π. */
function slice(log: EventLog, events: Uint32Array, logged: Float64Array) {
  const { payoff, propensity, pools } = log;
  return {
    events: events.length,
    // What it never draws is no match: it has no weight, and its payoff is left out.
    payoff: { ...payoff, steps: Uint32Array.from(events, (t, i) => (logged[i] > 0 ? payoff.steps[t] : 0)) },
    propensity: propensity === null ? null : Float64Array.from(events, (t, i) => propensity[t] / logged[i]),
    arms: log.arms,
    arm: Uint32Array.from(events, (t) => log.arm[t]),
    pools: { ...pools, pool: pools.pool === null ? null : Uint32Array.from(events, (t) => pools.pool?.[t] ?? 0) },
  };
}

function sliceRows(predictions: Predictions, events: Uint32Array): Predictions {
  const { row } = predictions;
  return { ...predictions, row: row === null ? events : Uint32Array.from(events, (t) => row[t]) };
}

function add(
  { matches, columns, kinds }: BlockStatistics,
  at: number,
  logged: Float64Array,
  made: ReturnType<EstimatorSummands['drawnColumns']>,
): void {
  for (const probability of logged) if (probability > 0) matches[at]++;
  made.forEach(({ words }, c) => {
    const isSum = kinds[c].reduce === 'sum';
    let reduced = columns[c][at];
    for (const word of words) reduced = isSum ? reduced + word : Math.max(reduced, word);
    columns[c][at] = reduced;
  });
}
