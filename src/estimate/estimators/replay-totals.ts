/**
 * The replay estimate (Li, Chu, Langford & Wang, WSDM 2011, Algorithm 2): the mean payoff of the events at which the
 * policy chose the logged arm. Unbiased for i.i.d. events logged by a uniformly random policy.
 *
 * Its match columns are k, the payoff in whole steps, and k², of which one word holds all where k < 2¹⁶. For 0/1 steps k² is k.
 */

import type { CountedPart } from '../blocks/rates.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import { ExactSums, type Totals } from '../sums/exact-sums.js';
import { meanPayoff, type PayoffScale, totalPayoff } from '../sums/payoff-scale.js';
import type { ColumnSum } from '../sums/products.js';
import { type ColumnKind, kindsOf, type MatchColumn, mappedColumn } from '../sums/summands.js';
import { quotient } from '../sums/whole-numbers.js';

/** The estimate of one policy by replay. */
export interface ReplayEstimate {
  /** T */
  matches: number;
  /** Ĝ = Σ V r, in payoff units. */
  payoff: number;
  /** ĝ = Ĝ / T, in payoff units; `null` without matches, which say nothing about the policy. */
  value: number | null;
}

const WORD = 2 ** 32;
/** k² of the largest k that one word holds. */
const ONE_WORD = 2 ** 16;

/** Payoffs of a log in whole steps. */
export interface PayoffSteps {
  /** [L] */
  readonly steps: Uint32Array;
  /** The largest in the whole log, of which these may be a part. */
  readonly maxSteps: number;
}

/** Names of the words of k², where it is more than k. */
const SQUARES = ['payoff²', 'payoff², high word'] as const;

/** Columns that replay needs: k, then the words of k² from low to high. */
export function replayColumns({ steps, maxSteps }: PayoffSteps): MatchColumn[] {
  const columns: MatchColumn[] = [{ name: 'payoff', reduce: 'sum', words: steps }];
  if (maxSteps > 1) columns.push(mappedColumn(SQUARES[0], steps, squareLow));
  if (maxSteps >= ONE_WORD) columns.push(mappedColumn(SQUARES[1], steps, squareHigh));
  return columns;
}

/** Their kinds. */
export function replayKinds({ maxSteps }: Pick<PayoffSteps, 'maxSteps'>): ColumnKind[] {
  return kindsOf(replayColumns({ steps: new Uint32Array(0), maxSteps }));
}

/** k² mod 2³², for k < 2³². */
function squareLow(k: number): number {
  return Math.imul(k, k) >>> 0;
}

/** ⌊k² / 2³²⌋, for k < 2³². */
function squareHigh(k: number): number {
  const high = Math.floor(k / ONE_WORD);
  const low = k % ONE_WORD;
  // k² = high²·2³² + 2·high·low·2¹⁶ + low², and the last two together are below 2⁵⁰.
  return high * high + Math.floor((2 * high * low * ONE_WORD + low * low) / WORD);
}

/** Adds one match with payoff `k` steps to cell `at` of replay's statistics. */
export function addMatch({ matches, columns: [payoff, low, high] }: BlockStatistics, at: number, k: number): void {
  matches[at]++;
  payoff[at] += k;
  if (low !== undefined) low[at] += squareLow(k);
  if (high !== undefined) high[at] += squareHigh(k);
}

/** Sums blocks `from..to−1` of one policy exactly, so the result does not depend on the split. */
export function totals(stats: BlockStatistics, policy: number, from = 0, to = stats.blocks): Totals {
  const sums = new ExactSums();
  addBlocks(sums, stats, policy, from, to);
  return sums.totals();
}

/** Adds blocks `from..to−1` of one policy to `sums`. */
export function addBlocks(sums: ExactSums, stats: BlockStatistics, policy: number, from: number, to: number): void {
  const { events, matches, columns, kinds } = stats;
  const [payoff] = columns;
  const [low, high] = SQUARES.map((name, i) => (kinds[i + 1]?.name === name ? columns[i + 1] : undefined));
  const base = policy * stats.blocks;
  for (let b = from; b < to; b++) {
    const i = base + b;
    sums.addBlock(events[b], matches[i], payoff[i], high?.[i] ?? 0, (low ?? payoff)[i]);
  }
}

/** Σ c k and Σ c² (k − k̄)² from these columns, of whatever steps of c: k² is k for 0/1 steps, and of one or two words. */
export function countedTotals(
  parts: readonly CountedPart[],
  columns: number,
  sumOf: ColumnSum,
): Pick<Totals, 'matches' | 'payoff' | 'centred'> {
  let [matches, payoff, cc, cPayoff, squares] = [0n, 0n, 0n, 0n, 0n];
  for (const { count, stats } of parts) {
    const own = sumOf(stats.matches);
    const [sum, low = sum, high = 0n] = stats.columns.slice(0, columns).map(sumOf);
    const twice = count * count;
    matches += count * own;
    payoff += count * sum;
    cc += twice * own;
    cPayoff += twice * sum;
    squares += twice * (low + (high << 32n));
  }
  const about = matches * (matches * squares - 2n * payoff * cPayoff) + payoff * payoff * cc;
  const centred = matches === 0n ? 0 : quotient(about, matches * matches);
  return { matches: Number(matches), payoff: Number(payoff), centred };
}

/** Algorithm 2: the estimate of one policy from the whole log. */
export function replayEstimate(stats: BlockStatistics, policy: number, scale: PayoffScale): ReplayEstimate {
  return estimateOf(totals(stats, policy), scale);
}

/** The estimate that totals stand for, whichever algorithm and events they come from. */
export function estimateOf({ matches, payoff }: Totals, scale: PayoffScale): ReplayEstimate {
  return { matches, payoff: totalPayoff(scale, matches, payoff), value: meanPayoff(scale, matches, payoff) };
}
