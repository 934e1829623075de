/**
 * Where an event's logged arm is counted. Under uniform logging it is uniform on its candidates, so events are only compared
 * within a stratum: one candidate set, or, where there are very many sets, all sets of one size, arm by rank.
 */

import type { EventLog, PoolTable } from '../../event-log.js';

/** Entries of the candidate sets up to which each set is a stratum of its own. */
const MOST_ENTRIES = 4096;

export class Slots {
  /** Stratum s holds slots `starts[s] .. starts[s+1])`, one for each of its candidates. */
  readonly starts: Uint32Array;
  /** Stratum of each slot. */
  readonly stratumOf: Uint32Array;
  /** Arm of each slot; `null`: slots are ranks, as sets are merged by size. */
  readonly arms: Uint32Array | null;
  /** Stratum of each pool. */
  private readonly stratum: Uint32Array;

  constructor(pools: PoolTable) {
    const { offsets, count } = pools;
    const sizeOf = (s: number): number => offsets[s + 1] - offsets[s];
    if (pools.arms.length <= MOST_ENTRIES || count === 1) {
      this.arms = pools.arms;
      this.starts = offsets;
      this.stratum = Uint32Array.from({ length: count }, (_, s) => s);
    } else {
      this.arms = null;
      const sizes = [...new Set(Array.from({ length: count }, (_, s) => sizeOf(s)))].sort((a, b) => a - b);
      const numberOf = new Map(sizes.map((size, i) => [size, i]));
      this.stratum = Uint32Array.from({ length: count }, (_, s) => numberOf.get(sizeOf(s)) ?? 0);
      this.starts = new Uint32Array(sizes.length + 1);
      for (const [i, size] of sizes.entries()) this.starts[i + 1] = this.starts[i] + size;
    }
    this.stratumOf = new Uint32Array(this.width);
    for (let s = 0; s < this.strata; s++) this.stratumOf.fill(s, this.starts[s], this.starts[s + 1]);
  }

  /** Number of slots. */
  get width(): number {
    return this.starts[this.starts.length - 1];
  }

  get strata(): number {
    return this.starts.length - 1;
  }

  /** Slots of events [from, to) of a batch, from their entries. */
  fill({ pools: { pool, offsets } }: EventLog, from: number, to: number, entries: Uint32Array, out: Uint32Array): void {
    const { starts, stratum } = this;
    for (let t = from; t < to; t++) {
      const s = pool === null ? 0 : pool[t];
      out[t - from] = this.arms === null ? starts[stratum[s]] + entries[t - from] - offsets[s] : entries[t - from];
    }
  }
}

/** Pairs of pool and arm whose places are kept. */
const MOST_PAIRS = 2 ** 16;

/** Places of arms in `pools.arms`: found by search, or once for every pair where these are few. */
export class Entries {
  /** `pools.arms` of the table, which batches of a log share. */
  private of: Uint32Array | null = null;
  private known: Uint32Array | null = null;

  /** Places of the logged arms of events [from, to), into `out[0 ..]`. */
  fill({ arm, arms: { ids }, pools }: EventLog, from: number, to: number, out: Uint32Array): void {
    const { pool, offsets, arms } = pools;
    if (pool === null && arms.length === offsets[1] && arms[arms.length - 1] === arms.length - 1) {
      // Every arm is a candidate: it stands at its index.
      for (let t = from; t < to; t++) out[t - from] = arm[t];
      return;
    }
    if (arms !== this.of) {
      this.of = arms;
      this.known = knownPlaces(pools, ids.length);
    }
    const { known } = this;
    for (let t = from; t < to; t++) {
      const s = pool === null ? 0 : pool[t];
      out[t - from] = known?.[s * ids.length + arm[t]] ?? placeOf(arms, offsets[s], offsets[s + 1], arm[t]);
    }
  }
}

/** Place of each arm in each pool, [pools, K], where it is a candidate; `null` where that is too large a table. */
function knownPlaces({ count, offsets, arms }: PoolTable, K: number): Uint32Array | null {
  if (count * K > MOST_PAIRS) return null;
  const places = new Uint32Array(count * K);
  for (let s = 0; s < count; s++) for (let i = offsets[s]; i < offsets[s + 1]; i++) places[s * K + arms[i]] = i;
  return places;
}

/** Where `arm` stands in the ascending run `arms[low .. high)`, which holds it. */
function placeOf(arms: Uint32Array, low: number, high: number, arm: number): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (arms[middle] < arm) low = middle + 1;
    else high = middle;
  }
  return low;
}
