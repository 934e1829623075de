/**
 * Block statistics of policies that draw their arm: the sums that other policies have over their matches, with weights π/p of every
 * event in place of 1/p of matches, and expected predictions in place of those of the chosen arm. What estimators make of them is the
 * same. A match is an event whose arm the policy might have drawn.
 */

import { type BlockPlan, blockEvents } from '../estimate/blocks/blocks.js';
import type { EstimatorSummands } from '../estimate/estimator-summands.js';
import type { EventNumbers, Predictions } from '../estimate/event-numbers.js';
import { type BlockStatistics, emptyBlockStatistics } from '../estimate/sums/block-statistics.js';
import { NO_OVERLAP_KIND, NO_OVERLAP_STEPS } from '../estimate/weights/no-overlap.js';
import type { EventLog } from '../log/event-log.js';
import { candidateRange, type DrawnPolicies, type Probabilities } from '../policy/drawn/drawn.js';
import type { RunOptions } from './contract.js';
import { Pauses } from './pauses.js';

/** Events at a time: their numbers stay in cache. */
const SLICE = 4096;

/** Statistics of the policies on a batch of a log. @param unlogged 1 for each candidate arm that was never logged; `null`: none. */
export async function drawnStatistics(
  log: EventLog,
  plan: BlockPlan,
  { policies, probabilities }: DrawnPolicies,
  summands: EstimatorSummands,
  predictions: Predictions | null,
  unlogged: Uint32Array | null,
  options: RunOptions,
): Promise<BlockStatistics> {
  const overlap = unlogged === null || probabilities.candidates === null ? [] : [NO_OVERLAP_KIND];
  const stats = emptyBlockStatistics(policies, blockEvents(plan), [...summands.kinds, ...overlap]);
  const pauses = new Pauses(options);
  const slices = [...slicesOf(log, plan, predictions)];
  for (let policy = 0; policy < policies; policy++) {
    for (const { blocks, events, numbers, rows } of slices) {
      const { logged, expected, unseen } = draw(log, probabilities, policy, events, rows, unlogged);
      const columns = summands.drawnColumns(weighted(numbers, logged), rows, expected);
      const made = [...columns.map(({ words }) => words), ...unseen];
      for (const range of blocks) add(stats, policy * plan.blocks + range.block, logged, made, range);
      if (pauses.count(events.length)) await pauses.yieldToEventLoop();
    }
  }
  pauses.report();
  return stats;
}

/** Some events, as estimators see them. */
interface Slice {
  readonly blocks: readonly BlockRange[];
  readonly events: Uint32Array;
  readonly numbers: EventNumbers;
  readonly rows: Predictions | null;
}

/** Events of a slice that are of one block. */
interface BlockRange {
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

function* slicesOf(
  log: EventLog,
  { blocks, starts, order }: BlockPlan,
  predictions: Predictions | null,
): Generator<Slice> {
  const all = order ?? Uint32Array.from({ length: log.events }, (_, t) => t);
  const { payoff, pools, arms } = log;
  let block = 0;
  for (let from = 0; from < starts[blocks]; from += SLICE) {
    const to = Math.min(starts[blocks], from + SLICE);
    const events = all.subarray(from, to);
    const pick = <Column extends Uint32Array | Float64Array>(column: Column): Column =>
      (order === null
        ? column.subarray(from, to)
        : column.subarray(0, to - from).map((_, i) => column[events[i]])) as Column;
    const numbers = {
      ...{ events: events.length, arms, arm: pick(log.arm) },
      payoff: { ...payoff, steps: pick(payoff.steps) },
      propensity: log.propensity === null ? null : pick(log.propensity),
      pools: { ...pools, pool: pools.pool === null ? null : pick(pools.pool) },
    };
    const rows =
      predictions === null ? null : { ...predictions, row: predictions.row === null ? events : pick(predictions.row) };
    const ranges: BlockRange[] = [];
    while (block < blocks && starts[block + 1] <= from) block++;
    for (let b = block; b < blocks && starts[b] < to; b++)
      ranges.push({ block: b, from: Math.max(from, starts[b]) - from, to: Math.min(to, starts[b + 1]) - from });
    yield { blocks: ranges, events, numbers, rows };
  }
}

/** What a policy draws at each event. */
interface Drawn {
  /** π of the logged arm. */
  readonly logged: Float64Array;
  /** Where there are predictions the one that is expected: Σ_a π(a) q̂(a). */
  readonly expected: Float64Array | null;
  /** A column with π of what was never logged, in steps; none where nothing is such, or that is not known. */
  readonly unseen: readonly Uint32Array[];
}

function draw(
  log: EventLog,
  { logged, candidates }: Probabilities,
  policy: number,
  events: Uint32Array,
  predictions: Predictions | null,
  unlogged: Uint32Array | null,
): Drawn {
  const own = new Float64Array(events.length);
  if (candidates === null || (predictions === null && unlogged === null)) {
    if (predictions !== null)
      throw new RangeError('predictions are of no use without the probability of every candidate');
    for (let i = 0; i < events.length; i++) own[i] = logged(policy, events[i]);
    return { logged: own, expected: null, unseen: [] };
  }
  const { pools, arm } = log;
  const arms = log.arms.ids.length;
  const { row, values } = predictions ?? { row: null, values: null };
  const each = new Float64Array(arms);
  const expected = values === null ? null : new Float64Array(events.length);
  const unseen = unlogged === null ? null : new Uint32Array(events.length);
  for (let i = 0; i < events.length; i++) {
    const event = events[i];
    candidates(policy, event, each);
    const [from, to] = candidateRange(log, event);
    const at = (row === null ? event : row[i]) * arms;
    let never = 0;
    for (let c = from; c < to; c++) {
      const [probability, a] = [each[c - from], pools.arms[c]];
      if (a === arm[event]) own[i] = probability;
      if (unlogged !== null) never += probability * unlogged[a];
      // What is never drawn may have no prediction.
      if (expected !== null && values !== null && probability > 0) expected[i] += probability * values[at + a];
    }
    // Sums of probabilities may be above 1 by what rounding left.
    if (unseen !== null) unseen[i] = Math.round(Math.min(1, never) * NO_OVERLAP_STEPS);
  }
  return { logged: own, expected, unseen: unseen === null ? [] : [unseen] };
}

/** The events with their propensities divided by π, so that weights are π/p. */
function weighted({ payoff, propensity, ...numbers }: EventNumbers, logged: Float64Array): EventNumbers {
  let { steps } = payoff;
  const divided = propensity === null ? null : new Float64Array(logged.length);
  for (let i = 0; i < logged.length; i++) {
    if (divided !== null && propensity !== null) divided[i] = propensity[i] / logged[i];
    if (logged[i] > 0 || steps[i] === 0) continue;
    // What it never draws is no match: it has no weight, and its payoff is left out.
    if (steps === payoff.steps) steps = steps.slice();
    steps[i] = 0;
  }
  return { ...numbers, payoff: { ...payoff, steps }, propensity: divided };
}

function add(
  { matches, columns, kinds }: BlockStatistics,
  at: number,
  logged: Float64Array,
  made: readonly Uint32Array[],
  { from, to }: BlockRange,
): void {
  for (let i = from; i < to; i++) if (logged[i] > 0) matches[at]++;
  for (let c = 0; c < made.length; c++) {
    const words = made[c];
    let reduced = columns[c][at];
    if (kinds[c].reduce === 'max') for (let i = from; i < to; i++) reduced = Math.max(reduced, words[i]);
    else for (let i = from; i < to; i++) reduced += words[i];
    columns[c][at] = reduced;
  }
}
