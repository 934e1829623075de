/** Packs cells into quads: four at a time with one pool, features side by side, as the linear kernels read them. */

import type { DecisionLog } from '../policy/linear/cpu.js';

/** Quads from..to−1 of a chunk, all of one pool. */
export interface PoolRun {
  readonly pool: number;
  readonly from: number;
  readonly to: number;
}

/** Positions of a chunk, grouped by pool; −1 pads the last quad of a group. */
export interface QuadOrder {
  readonly runs: readonly PoolRun[];
  /** Position (relative to the chunk) of each of 4 · quads slots, or −1. */
  readonly slots: Int32Array;
  readonly quads: number;
}

/** Groups `count` positions by pool. `poolOf(i)` is the pool of position i. Groups follow the order of first sight. */
export function groupByPool(count: number, poolOf: (i: number) => number): QuadOrder {
  const groups = new Map<number, number[]>();
  let last = -1;
  let group: number[] = [];
  for (let i = 0; i < count; i++) {
    const pool = poolOf(i);
    if (pool !== last) {
      last = pool;
      const known = groups.get(pool);
      group = known ?? [];
      if (known === undefined) groups.set(pool, group);
    }
    group.push(i);
  }
  let quads = 0;
  for (const members of groups.values()) quads += Math.ceil(members.length / 4);
  const slots = new Int32Array(quads * 4).fill(-1);
  const runs: PoolRun[] = [];
  let quad = 0;
  for (const [pool, members] of groups) {
    slots.set(members, quad * 4);
    const to = quad + Math.ceil(members.length / 4);
    runs.push({ pool, from: quad, to });
    quad = to;
  }
  return { runs, slots, quads };
}

/** Writes contexts [quads][d][4] for the slots; pads become zeros. `eventOf(i)` is the event of position i. */
export function packContexts(
  log: DecisionLog,
  order: QuadOrder,
  eventOf: (i: number) => number,
  out: Float64Array,
): void {
  const { dimension, values, row } = log.contexts;
  for (let s = 0; s < order.slots.length; s++) {
    const position = order.slots[s];
    let to = (s >> 2) * dimension * 4 + (s & 3);
    if (position < 0) {
      for (let j = 0; j < dimension; j++, to += 4) out[to] = 0;
      continue;
    }
    const event = eventOf(position);
    let from = (row === null ? event : row[event]) * dimension;
    for (let j = 0; j < dimension; j++, to += 4) out[to] = values[from++];
  }
}
