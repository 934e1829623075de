/**
 * Block statistics: the one result that every engine returns (DESIGN: one structure carries the whole system).
 *
 * For policy p and block b: n[b] events, T[p,b] matches, G[p,b] = Σ k and Q[p,b] = Σ k² over matches, with k the
 * payoff in whole steps. Everything else is a function of these and never rereads the log; merging is addition.
 */

import type { Archive } from '../archive.js';
import { EngineError } from '../errors.js';
import { ExactSums, LIMB, type Totals } from './exact-sums.js';

export { LIMB, type Totals } from './exact-sums.js';

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

/** Matches and payoffs through an archive; n[b] is the plan's. */
export function carryStatistics(archive: Archive, stats: BlockStatistics): void {
  for (const column of [stats.matches, stats.payoff, stats.squareHigh, stats.squareLow])
    if (column !== null) archive.array(column);
}

/** Sums blocks `from..to−1` of one policy exactly, so the result does not depend on the split. */
export function totals(stats: BlockStatistics, policy: number, from = 0, to = stats.blocks): Totals {
  const sums = new ExactSums();
  addBlocks(sums, stats, policy, from, to);
  return sums.totals();
}

/** Adds blocks `from..to−1` of one policy to `sums`. */
export function addBlocks(sums: ExactSums, stats: BlockStatistics, policy: number, from: number, to: number): void {
  const { squareHigh, squareLow } = stats;
  const base = policy * stats.blocks;
  for (let b = from; b < to; b++) {
    const i = base + b;
    const high = squareHigh === null ? null : squareHigh[i];
    const low = squareLow === null ? null : squareLow[i];
    sums.addBlock(stats.events[b], stats.matches[i], stats.payoff[i], high, low);
  }
}

/**
 * Adds the matches and payoffs of `part` into `into`, policies `policyOffset..`, blocks `blockOffset..`: how tiles, chunks,
 * shards and machines are merged. n[b] is the plan's and is left alone. A cell of the sum must keep Σ k below 2⁵³
 * (MAX_BLOCK_EVENTS).
 *
 * @throws EngineError where `part` does not fit, or where its squares would be lost in 0/1 statistics.
 */
export function addBlockStatistics(
  into: BlockStatistics,
  part: BlockStatistics,
  policyOffset = 0,
  blockOffset = 0,
): void {
  if (policyOffset + part.policies > into.policies || blockOffset + part.blocks > into.blocks) {
    throw new EngineError(
      `block statistics of ${part.policies} policies × ${part.blocks} blocks at (${policyOffset}, ${blockOffset}) do not fit into ${into.policies} × ${into.blocks}`,
    );
  }
  if (into.squareLow === null && part.squareLow !== null) {
    throw new EngineError(
      'statistics of general payoffs cannot be merged into statistics of 0/1 payoffs, which hold no squares',
    );
  }
  add(into, part, policyOffset, (b) => b + blockOffset);
}

/**
 * Adds the statistics of a stretch of a log to those of the whole.
 *
 * @param of block of `into` of each block of `part`.
 */
export function addStretchStatistics(into: BlockStatistics, part: BlockStatistics, of: Uint32Array): void {
  if (part.policies !== into.policies || of.length !== part.blocks || of.some((b) => b >= into.blocks))
    throw new EngineError('block statistics of a stretch do not fit those of the log');
  add(into, part, 0, (b) => of[b]);
}

function add(
  into: BlockStatistics,
  part: BlockStatistics,
  policyOffset: number,
  blockOf: (block: number) => number,
): void {
  for (let p = 0; p < part.policies; p++) {
    for (let b = 0; b < part.blocks; b++) {
      const from = p * part.blocks + b;
      const to = (p + policyOffset) * into.blocks + blockOf(b);
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
