/** Candidate sets, stored once each. */

import { WordInterner } from './build/interner.js';
import { u32Column } from './build/memory.js';
import type { PoolTable } from './event-log.js';

/** The table of a log whose events all have the same candidates. @param arms ascending arm indices. */
export function sharedPool(arms: ArrayLike<number>): PoolTable {
  const column = u32Column(arms.length);
  for (let i = 0; i < arms.length; i++) column[i] = arms[i];
  const offsets = u32Column(2);
  offsets[1] = arms.length;
  return { count: 1, offsets, arms: column, pool: null };
}

/** The table of a log of `count` arms whose events name no candidates: all arms are. */
export function everyArm(count: number): PoolTable {
  return { ...sharedPool(Array.from({ length: count }, (_, a) => a)), allArms: 0 };
}

/** Size of all candidate sets; `null`: they differ. */
export function setSize({ count, offsets }: Pick<PoolTable, 'count' | 'offsets'>): number | null {
  const size = offsets[1] - offsets[0];
  for (let set = 1; set < count; set++) if (offsets[set + 1] - offsets[set] !== size) return null;
  return size;
}

/** Why a candidate list is not a set of arms, or its pool. */
export type PoolResult =
  | { readonly pool: number }
  | { readonly fault: 'empty' }
  | { readonly fault: 'repeated'; readonly arm: number };

/** Collects the candidate lists of events. */
export class PoolPacker {
  private readonly sets = new WordInterner();
  /** Lists as they were given, in any order, so that a list seen before is not sorted again. */
  private readonly lists = new WordInterner();
  private readonly results: PoolResult[] = [];
  private readonly ofEvent: Uint32Array;
  /** Sets that events have, in order of first appearance, and the place of each set there (−1: no event has it). */
  private readonly used: number[] = [];
  private readonly places: number[] = [];
  private count = 0;

  /** @param capacity the most events that may be pushed, between two calls of `take` where there are any. */
  constructor(capacity: number) {
    this.ofEvent = u32Column(capacity);
  }

  /** Pool of the candidates `arms[from .. to)`, in any order. */
  intern(arms: ArrayLike<number>, from: number, to: number): PoolResult {
    const list = this.lists.intern(arms, from, to);
    if (list === this.results.length) this.results.push(this.makePool(this.lists.list(list)));
    return this.results[list];
  }

  private makePool(list: Int32Array): PoolResult {
    if (list.length === 0) return { fault: 'empty' };
    const sorted = Uint32Array.from(list).sort();
    for (let i = 1; i < sorted.length; i++) {
      if (sorted[i] === sorted[i - 1]) return { fault: 'repeated', arm: sorted[i] };
    }
    return { pool: this.sets.intern(sorted, 0, sorted.length) };
  }

  /** True where `arm` is a member of `pool`. */
  has(pool: number, arm: number): boolean {
    return this.sets.includes(pool, arm);
  }

  /** Arm indices of a pool, ascending. */
  members(pool: number): readonly number[] {
    return [...this.sets.list(pool)];
  }

  /** The next event's pool. */
  push(pool: number): void {
    const { places, used } = this;
    while (places.length <= pool) places.push(-1);
    if (places[pool] < 0) places[pool] = used.push(pool) - 1;
    this.ofEvent[this.count++] = places[pool];
  }

  /** Pools of the events since the last call, numbered as in the table; valid until the next `push`. */
  take(): Uint32Array {
    const taken = this.ofEvent.subarray(0, this.count);
    this.count = 0;
    return taken;
  }

  /** The table. Sets that no event of the log has are left out. @param allArms K, the pool of an empty log. */
  finish(allArms: number): PoolTable {
    const { used, sets } = this;
    if (used.length === 0) return everyArm(allArms);
    if (used.length === 1) return { ...sharedPool(sets.list(used[0])), allArms: null };
    const offsets = u32Column(used.length + 1);
    for (const [s, set] of used.entries()) offsets[s + 1] = offsets[s] + sets.list(set).length;
    const arms = u32Column(offsets[used.length]);
    for (const [s, set] of used.entries()) arms.set(sets.list(set), offsets[s]);
    return { count: used.length, offsets, arms, pool: this.ofEvent.subarray(0, this.count), allArms: null };
  }
}
