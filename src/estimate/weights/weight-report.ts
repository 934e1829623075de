/** How the weights of a policy's matches are spread: what every weighted value rests on. */

import type { EventNumbers } from '../event-numbers.js';
import type { PolicyNumbers, WeightedSums } from '../policy-numbers.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import type { PayoffScale } from '../sums/payoff-scale.js';
import { totalPayoff } from '../sums/payoff-scale.js';
import type { ColumnKind, MatchColumn } from '../sums/summands.js';
import { newWords, quotient } from '../sums/whole-numbers.js';

/** As results hold it. */
export interface WeightReport {
  /** Kish's effective sample size, (Σ w)²/Σ w². */
  ess: number;
  /** Σ w / L, of events that stand for several Σ c w / Σ c: 1, but for chance, where propensities are right and the policy chooses what the logging policy may. */
  mean: number;
  /** The largest weight, to seven digits. */
  largest: number;
  /** Its share of Σ w. */
  largestShare: number;
  /**
   * Share of the events at which the policy chooses a candidate that was logged at no event, or draws one on average: no weight says
   * what it would have earned. Absent: such arms exist, and of the policy nothing is known but the probabilities of logged arms.
   */
  noOverlap?: number;
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

/** f32 numbers ≥ 0 are ordered as their bits are. */
export function bitsOf(value: number): number {
  float[0] = value;
  return word[0];
}

export function floatOf(bits: number): number {
  word[0] = bits;
  return float[0];
}

/** Maxima over matches: of weights, and of weighted payoffs above the lowest. */
export const LARGEST_KINDS: readonly ColumnKind[] = [
  { name: 'largest weight', reduce: 'max' },
  { name: 'largest weighted payoff', reduce: 'max' },
];

export function largestColumns({ events, propensity, payoff }: EventNumbers, low: number): MatchColumn[] {
  const columns = LARGEST_KINDS.map((kind) => ({ ...kind, words: newWords(events) }));
  for (let t = 0; t < events; t++) {
    const weight = 1 / (propensity?.[t] ?? Number.NaN);
    columns[0].words[t] = bitsOf(weight);
    columns[1].words[t] = bitsOf(Math.max(0, weight * (totalPayoff(payoff.scale, 1, payoff.steps[t]) - low)));
  }
  return columns;
}

/** @param first of these columns. */
export function largestOf({ blocks, columns }: BlockStatistics, policy: number, first: number): [number, number] {
  const most = (column: Float64Array): number => {
    let largest = 0;
    for (let b = 0; b < blocks; b++) largest = Math.max(largest, column[policy * blocks + b]);
    return floatOf(largest);
  };
  return [most(columns[first]), most(columns[first + 1])];
}

/** @param noOverlap share of the events at which the policy chooses what was never logged; `null`: it is not known. */
export function weightReport(
  { events, steps }: Pick<PolicyNumbers, 'events' | 'steps'>,
  { w, ww, one }: WeightedSums,
  largest: number,
  noOverlap: number | null = 0,
): WeightReport {
  const sum = quotient(w, one * steps);
  const overlap = noOverlap === null ? {} : { noOverlap };
  if (sum === 0) return { ess: 0, mean: 0, largest: 0, largestShare: 0, ...overlap };
  return {
    ess: quotient(w * w, ww),
    mean: quotient(w, one * events),
    largest,
    // A single match is all of it, which an f32 may miss by its rounding.
    largestShare: Math.min(1, largest / sum),
    ...overlap,
  };
}

/** Share of Σ w (r − low) that the heaviest event has; 0 where nothing was earned. */
export function payoffShare({ steps, payoffs }: PolicyNumbers, scale: PayoffScale, largest: number): number {
  const { w, wy, one, inPayoffs } = payoffs();
  const earned = inPayoffs(wy, one * steps) - scale.low * quotient(w, one * steps);
  return earned <= 0 ? 0 : Math.min(1, largest / earned);
}
