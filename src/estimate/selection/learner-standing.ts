/**
 * Where a learner stands by blocks of the one log that its replicas share: the mean of their per-trial payoffs, and how far each block moves it.
 *
 * An event tells a learner what to do next, so that events are not independent; but given what a replica knew before it, an event's payoff
 * is off its mean by chance alone (a martingale difference). Errors between blocks are thus those of what the decisions of these runs were
 * worth. What other runs on another log would have learned is in no block: `runsDiffer` tells where replicas are so unlike that it matters.
 *
 * Neighbouring blocks are compared with each other and not with the mean, as a learner that gets better is no error.
 */

import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf';
import { totals } from '../estimators/replay-totals.js';
import { type ReplicaSummary, summarizeReplicas } from '../estimators/replicas.js';
import type { Interval } from '../interval/method.js';
import { effectiveClopperPearson } from '../interval/weighted/effective-clopper-pearson.js';
import { weightedInterval } from '../interval/weighted/index.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import { meanPayoff, type PayoffScale, stepSize } from '../sums/payoff-scale.js';
import { gathered, type Standing, scaleOf } from './standing.js';

export interface LearnerStanding extends Standing {
  /** Pairs of neighbouring blocks in one of which a replica retained an event. */
  readonly pairs: number;
  /** Mean over replicas of the variance of one's value, between the events that it retained; 0 without any. */
  readonly within: number;
  readonly summary: ReplicaSummary;
}

/** Fewer replicas cannot tell whether they differ by chance. */
export const FEW_REPLICAS = 10;
/** With this probability some learner is said to differ where none does. */
const FALSE_ALARM = 0.01;

/** @param stats replay's, [R, B]. @param rows of the replicas of the learner. @param confidence of the interval over replicas. */
export function learnerStanding(
  stats: BlockStatistics,
  rows: readonly number[],
  scale: PayoffScale,
  confidence: number,
): LearnerStanding {
  const { blocks, matches: retained } = stats;
  const range: Interval = [scale.low, scale.high];
  const pairs = Math.ceil(blocks / 2);
  const sum = new Float64Array(pairs);
  const seen = new Uint8Array(pairs);
  const values: (number | null)[] = [];
  const step = stepSize(scale);
  let [within, trials] = [0, 0];
  for (const row of rows) {
    const { matches, payoff, centred } = totals(stats, row);
    const value = meanPayoff(scale, matches, payoff);
    values.push(value);
    if (value === null) continue;
    trials += matches;
    // One event tells of no variance: it may be as large as it can.
    within += matches === 1 ? (range[1] - range[0]) ** 2 / 4 : (centred * step ** 2) / ((matches - 1) * matches);
    pairInfluences(stats, row, { matches, payoff }).forEach((psi, b) => {
      sum[b] += psi;
    });
    for (let b = 0; b < blocks; b++) if (retained[row * blocks + b] > 0) seen[b >> 1] = 1;
  }
  const summary = summarizeReplicas(values, range, confidence);
  const { mean: value, estimates: replicas } = summary;
  const told = { summary, pairs: seen.reduce((a, b) => a + b, 0), within: within / Math.max(1, replicas) };
  if (value === null) return { ...told, value, influence: gathered(sum), scale: 0, degrees: null, bounds: () => range };
  const all = sum.map((psi) => (psi * step) / replicas);
  const influence = gathered(all);
  const span = scale.high - scale.low;
  const moments = {
    value: (value - scale.low) / span,
    // Where few events paid, those of neighbours may cancel out: so many replicas know no more than if they shared nothing.
    variance: Math.max(scaleOf(all) ** 2, told.within / replicas) / span ** 2,
    independentVariance: null,
    degrees: told.pairs - 1,
    // Replicas share events: all of them tell of no fewer than one does.
    ess: trials / replicas,
    edge: value === scale.low ? (0 as const) : value === scale.high ? (1 as const) : null,
    ...{ largest: null, events: Number.NaN, mostWeight: null, redrawn: () => new Float64Array(0) },
  };
  const bounds = (delta: number): Interval =>
    weightedInterval({ bounds: effectiveClopperPearson }, moments, range, 1 - delta);
  return { ...told, value, influence, scale: scaleOf(influence), degrees: moments.degrees, bounds };
}

/** By how much more the first block of each pair moves the mean than the second, in steps; [⌈B/2⌉]. */
function pairInfluences(
  { blocks, matches, columns: [payoff] }: BlockStatistics,
  row: number,
  all: { readonly matches: number; readonly payoff: number },
): Float64Array {
  const mean = all.payoff / all.matches;
  const pairs = new Float64Array(Math.ceil(blocks / 2));
  for (let b = 0; b < blocks; b++) {
    const i = row * blocks + b;
    const psi = (payoff[i] - mean * matches[i]) / all.matches;
    pairs[b >> 1] += b % 2 === 0 ? psi : -psi;
  }
  return pairs;
}

/**
 * Replicas differ by more than what they met explains: they learned different things, by what each happened to see first. As they share
 * events they differ by less otherwise: chance alone says so of any learner with a probability of about 1 % at most.
 *
 * @param learners that are asked about together. @returns `null`: replicas are too few, or alike, so that they cannot tell.
 */
export function runsDiffer({ summary, within }: LearnerStanding, learners: number): boolean | null {
  const { std, estimates } = summary;
  if (estimates < FEW_REPLICAS || std === null || std === 0 || within === 0) return null;
  const degrees = estimates - 1;
  return 1 - chiSquareCdf((degrees * std ** 2) / within, degrees) < FALSE_ALARM / learners;
}
