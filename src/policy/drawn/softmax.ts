/**
 * Softmax of scores: π(a|x) ∝ exp(s_a / T). As T → 0 the candidate with the largest score, equal ones alike. A score that overflows to
 * NaN counts as −∞, as it does where the largest is chosen.
 */

import type { EventLog } from '../../log/event-log.js';
import type { ScoredPolicies } from '../compiled.js';
import { scoredFamily } from '../scored-families.js';
import { cellAt } from './chosen.js';
import { candidateRange, type Probabilities } from './drawn.js';

/** Probabilities that are kept for one policy: 64 MiB. */
const MOST_KEPT = 2 ** 23;

/** @param temperature T > 0. */
export function softmaxProbabilities(compiled: ScoredPolicies, temperature: number, log: EventLog): Probabilities {
  const family = scoredFamily(compiled);
  const { pools, arm } = log;
  const cells = family.cells(compiled, log);
  const cellOf = cellAt(cells);
  let width = 0;
  for (let set = 0; set < pools.count; set++) width = Math.max(width, pools.offsets[set + 1] - pools.offsets[set]);
  // Where contexts do not repeat, nothing is asked for twice but by the same event.
  const repeats = cells.count < log.events && cells.count * width <= MOST_KEPT;
  const rows = repeats ? cells.count : 1;
  const kept = new Float64Array(rows * width);
  const owner = new Float64Array(rows).fill(-1);
  let inHand = -1;
  const rowOf = (policy: number, event: number): number => {
    if (policy !== inHand) {
      owner.fill(-1);
      inHand = policy;
    }
    const cell = cellOf(event);
    const row = repeats ? cell : 0;
    if (owner[row] !== cell) {
      const [from, to] = candidateRange(log, event);
      const out = kept.subarray(row * width, row * width + to - from);
      family.scoreCandidates(compiled, log, policy, event, out);
      softmax(out, temperature);
      owner[row] = cell;
    }
    return row * width;
  };
  return {
    logged: (policy, event) => {
      const at = rowOf(policy, event);
      const [from, to] = candidateRange(log, event);
      for (let i = from; i < to; i++) if (pools.arms[i] === arm[event]) return kept[at + i - from];
      return 0;
    },
    candidates: (policy, event, out) => {
      const at = rowOf(policy, event);
      const [from, to] = candidateRange(log, event);
      for (let i = 0; i < to - from; i++) out[i] = kept[at + i];
    },
  };
}

/** Scores become probabilities, in place. */
export function softmax(scores: Float64Array, temperature: number): void {
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores) if (score > most) most = score;
  // No score can be compared: the first candidate, as where the largest is chosen.
  if (most === Number.NEGATIVE_INFINITY) {
    scores.fill(0).fill(1, 0, 1);
    return;
  }
  let sum = 0;
  for (let i = 0; i < scores.length; i++) {
    const power = scores[i] === most ? 1 : Math.exp((scores[i] - most) / temperature);
    scores[i] = Number.isNaN(power) ? 0 : power;
    sum += scores[i];
  }
  for (let i = 0; i < scores.length; i++) scores[i] /= sum;
}
