/**
 * Block statistics: the one result that every engine returns (DESIGN: one structure carries the whole system).
 *
 * For policy p and block b: n[b] events, T[p,b] matches, G[p,b] = Σ k and Q[p,b] = Σ k² over matches, with k the
 * payoff in whole steps. Everything else is a function of these and never rereads the log; merging is addition.
 */

import { EngineError } from '../errors.js';

/** 2³²: the weight of the high limb of a square sum. */
export const LIMB = 4294967296;

export interface BlockStatistics {
  /** P */
  readonly policies: number;
  /** B */
  readonly blocks: number;
  /** n[b], length B. */
  readonly events: Float64Array;
  /** T[p,b], [P, B] row-major. */
  readonly matches: Float64Array;
  /** G[p,b] = Σ k, exact integers below 2⁵³, [P, B]. */
  readonly payoff: Float64Array;
  /**
   * Q[p,b] = Σ k² = high · 2³² + low, both [P, B], low < 2³². For 0/1 steps Q = G and both are `null`.
   */
  readonly squareHigh: Float64Array | null;
  readonly squareLow: Float64Array | null;
}

/** Zeroed statistics. `binary`: steps are 0 or 1, so squares are not stored. */
export function emptyBlockStatistics(policies: number, events: Float64Array, binary: boolean): BlockStatistics {
  const blocks = events.length;
  const size = policies * blocks;
  return {
    policies,
    blocks,
    events,
    matches: new Float64Array(size),
    payoff: new Float64Array(size),
    squareHigh: binary ? null : new Float64Array(size),
    squareLow: binary ? null : new Float64Array(size),
  };
}

/** Totals of one policy over blocks `from..to−1`. `square` is Σ k² as the nearest f64; the others are exact. */
export interface Totals {
  events: number;
  matches: number;
  payoff: number;
  square: number;
}

/** Sums blocks exactly: the limbs of Q are carried before they are combined, so the result does not depend on the split. */
export function totals(stats: BlockStatistics, policy: number, from = 0, to = stats.blocks): Totals {
  let events = 0;
  let matches = 0;
  let payoff = 0;
  let low = 0;
  let middle = 0;
  let high = 0;
  const base = policy * stats.blocks;
  for (let b = from; b < to; b++) {
    events += stats.events[b];
    matches += stats.matches[base + b];
    payoff += stats.payoff[base + b];
    if (stats.squareLow !== null && stats.squareHigh !== null) {
      low += stats.squareLow[base + b];
      const h = stats.squareHigh[base + b];
      const carry = Math.floor(h / LIMB);
      middle += h - carry * LIMB;
      high += carry;
    }
  }
  if (payoff > Number.MAX_SAFE_INTEGER) {
    throw new EngineError(`the payoff steps of policy ${policy} sum to ${payoff}, beyond exact integers (2^53); declare a coarser payoff step`);
  }
  if (stats.squareLow === null) return { events, matches, payoff, square: payoff };
  middle += Math.floor(low / LIMB);
  low %= LIMB;
  high += Math.floor(middle / LIMB);
  middle %= LIMB;
  return { events, matches, payoff, square: (high * LIMB + middle) * LIMB + low };
}

/** Adds `part` into `into`, policies `policyOffset..`, blocks `blockOffset..`. Used to merge tiles, chunks, shards and machines. */
export function addBlockStatistics(into: BlockStatistics, part: BlockStatistics, policyOffset = 0, blockOffset = 0): void {
  for (let p = 0; p < part.policies; p++) {
    for (let b = 0; b < part.blocks; b++) {
      const from = p * part.blocks + b;
      const to = (p + policyOffset) * into.blocks + b + blockOffset;
      into.matches[to] += part.matches[from];
      into.payoff[to] += part.payoff[from];
      if (into.squareLow === null || into.squareHigh === null) continue;
      // 0/1 parts (Q = G) may be merged into general ones.
      const low = into.squareLow[to] + (part.squareLow === null ? part.payoff[from] : part.squareLow[from]);
      const carry = Math.floor(low / LIMB);
      into.squareLow[to] = low - carry * LIMB;
      into.squareHigh[to] += carry + (part.squareHigh === null ? 0 : part.squareHigh[from]);
    }
  }
}
