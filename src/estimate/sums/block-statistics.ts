/**
 * Block statistics: the one result that every engine returns.
 *
 * For policy p and block b: n[b] events, T[p,b] matches, and the sum (or maximum) of each match column over the matches.
 * Everything else is a function of these and never rereads the log; merging is addition (or the maximum).
 */

import type { Archive } from '../../archive.js';
import { EngineError } from '../../errors.js';
import type { ColumnKind, Reduction } from './summands.js';

/** What engines return: for each policy and block the matches, and the sum or maximum of each match column over them. */
export interface BlockStatistics {
  /** P */
  readonly policies: number;
  /** B */
  readonly blocks: number;
  /** n[b], length B. */
  readonly events: Float64Array;
  /** T[p,b], [P, B] row-major. */
  readonly matches: Float64Array;
  /** What each of the columns is, and whether it was summed. */
  readonly kinds: readonly ColumnKind[];
  /** Of each column its sums or maxima, [P, B]: exact integers below 2⁵³ (MAX_BLOCK_EVENTS). */
  readonly columns: readonly Float64Array[];
}

const ownColumn = (length: number): Float64Array => new Float64Array(length);

/** Zeroed statistics. @param make zeroed numbers, elsewhere than in memory of this thread's own. */
export function emptyBlockStatistics(
  policies: number,
  events: Float64Array,
  kinds: readonly ColumnKind[],
  make: (length: number) => Float64Array = ownColumn,
): BlockStatistics {
  const size = policies * events.length;
  return {
    policies,
    blocks: events.length,
    events,
    matches: make(size),
    kinds,
    columns: kinds.map(() => make(size)),
  };
}

/** Matches and columns through an archive; n[b] is the plan's. */
export function carryStatistics(archive: Archive, stats: BlockStatistics): void {
  archive.array(stats.matches);
  for (const column of stats.columns) archive.array(column);
}

/** Policies first..last−1 as statistics of their own, on the same memory. */
export function slicePolicies(stats: BlockStatistics, first: number, last: number): BlockStatistics {
  const cut = (column: Float64Array): Float64Array => column.subarray(first * stats.blocks, last * stats.blocks);
  return { ...stats, policies: last - first, matches: cut(stats.matches), columns: stats.columns.map(cut) };
}

/** One policy over its first blocks, as statistics of their own, on the same memory. */
export function firstBlocks(stats: BlockStatistics, policy: number, blocks: number): BlockStatistics {
  const row = policy * stats.blocks;
  const cut = (column: Float64Array): Float64Array => column.subarray(row, row + blocks);
  const events = stats.events.subarray(0, blocks);
  return { ...stats, policies: 1, blocks, events, matches: cut(stats.matches), columns: stats.columns.map(cut) };
}

/**
 * Adds the matches and columns of `part` into `into`, policies `policyOffset..`, blocks `blockOffset..`: how tiles, chunks,
 * shards and machines are merged. n[b] is the plan's and is left alone.
 *
 * @throws EngineError where `part` does not fit, or has other columns.
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
  add(into, part, policyOffset, (b) => b + blockOffset);
}

/**
 * Adds the statistics of a batch of a log to those of the whole.
 *
 * @param of block of `into` of each block of `part`.
 */
export function addBatchStatistics(into: BlockStatistics, part: BlockStatistics, of: Uint32Array): void {
  if (part.policies !== into.policies) throw unfit();
  addPartStatistics(into, part, of, 0);
}

/** Adds those of some policies in some blocks. @param of as there. @param first policy of `into` of those of `part`. */
export function addPartStatistics(into: BlockStatistics, part: BlockStatistics, of: Uint32Array, first: number): void {
  const fits = first + part.policies <= into.policies && of.length === part.blocks;
  if (!fits || of.some((b) => b >= into.blocks)) throw unfit();
  add(into, part, first, (b) => of[b]);
}

function unfit(): EngineError {
  return new EngineError('block statistics of a batch do not fit those of the log');
}

function add(
  into: BlockStatistics,
  part: BlockStatistics,
  policyOffset: number,
  blockOf: (block: number) => number,
): void {
  const names = ({ kinds }: BlockStatistics): string => kinds.map(({ name }) => name).join(', ');
  if (names(into) !== names(part))
    throw new EngineError(`statistics of ${names(part)} cannot be merged into statistics of ${names(into)}`);
  const merge = (to: Float64Array, from: Float64Array, reduce: Reduction): void => {
    for (let p = 0; p < part.policies; p++) {
      for (let b = 0; b < part.blocks; b++) {
        const value = from[p * part.blocks + b];
        const at = (p + policyOffset) * into.blocks + blockOf(b);
        to[at] = reduce === 'sum' ? to[at] + value : Math.max(to[at], value);
      }
    }
  };
  merge(into.matches, part.matches, 'sum');
  for (const [c, { reduce }] of into.kinds.entries()) merge(into.columns[c], part.columns[c], reduce);
}
