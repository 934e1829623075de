/** A run of events as the kernels read it: packed on the host, no device. */

import type { ContextTable, EventLog } from '../../log/event-log.js';
import type { ReplayTrack } from '../learner-contract.js';
import type { Features } from './learner-kernel.js';

/** Words of an event: local arm, payoff steps, local pool, rank of the arm in its pool | pool size << 16. */
export const EVENT_WORDS = 4;

/** Widest pool that fits the upper half of a word. */
export const MOST_CANDIDATES = 0xffff;

/** Events from..from + events − 1. Arms and pools are numbered anew within the chunk: only those in it. */
export interface Chunk {
  /** Number of the chunk, from 0. */
  readonly number: number;
  readonly from: number;
  /** Index of the first one in the whole log: draws are numbered by it. */
  readonly firstEvent: number;
  readonly count: number;
  readonly events: Uint32Array;
  /** Arms, then a bit set of them for each pool, then the first events of epochs. */
  readonly tables: Uint32Array;
  readonly arms: number;
  readonly pools: number;
  readonly poolTable: number;
  readonly poolWords: number;
  readonly epochTable: number;
  readonly epochs: number;
}

/**
 * Where the chunk that begins at `from` ends: after `most` events at the latest. A run of `own` events or more with one pool
 * is a chunk of its own, since kernels are simpler and faster where all lanes have the same candidates.
 */
export function chunkEnd({ pools: { pool } }: EventLog, from: number, end: number, most: number, own: number): number {
  const last = Math.min(from + most, end);
  if (pool === null) return last;
  for (let start = from, t = from + 1; t <= last; t++) {
    if (t < last && pool[t] === pool[start]) continue;
    if (t - start >= own) return start === from ? t : start;
    start = t;
  }
  return last;
}

export function packChunk({ log, epochs }: ReplayTrack, number: number, from: number, to: number): Chunk {
  const count = to - from;
  const { pools, localPool } = poolsOf(log, from, to);
  const { arms, localArm } = armsOf(log, pools);
  const poolWords = Math.ceil(arms.length / 32);
  const begins =
    epochs === null ? new Uint32Array(0) : epochs.subarray(lowerBound(epochs, from), lowerBound(epochs, to));
  const poolTable = arms.length;
  const epochTable = poolTable + pools.length * poolWords;
  const tables = new Uint32Array(epochTable + begins.length);
  tables.set(arms);
  const { offsets, arms: members } = log.pools;
  for (let s = 0; s < pools.length; s++) {
    for (let i = offsets[pools[s]]; i < offsets[pools[s] + 1]; i++) {
      const arm = localArm[members[i]];
      tables[poolTable + s * poolWords + (arm >>> 5)] |= 1 << (arm & 31);
    }
  }
  for (let i = 0; i < begins.length; i++) tables[epochTable + i] = begins[i] - from;
  return {
    number,
    from,
    firstEvent: (log.firstEvent ?? 0) + from,
    count,
    events: packEvents(log, from, to, localPool, localArm),
    tables,
    arms: arms.length,
    pools: pools.length,
    poolTable,
    poolWords,
    epochTable,
    epochs: begins.length,
  };
}

/** Pools that the chunk's events have, by first appearance, and the place of each. */
function poolsOf({ pools: { pool } }: EventLog, from: number, to: number) {
  const localPool = new Map<number, number>();
  if (pool === null) localPool.set(0, 0);
  else for (let t = from; t < to; t++) if (!localPool.has(pool[t])) localPool.set(pool[t], localPool.size);
  return { pools: [...localPool.keys()], localPool };
}

/** Arms of those pools, ascending, so that local indices break ties as global ones do. */
function armsOf({ arms, pools }: EventLog, used: readonly number[]) {
  const localArm = new Uint32Array(arms.ids.length);
  for (const s of used) for (let i = pools.offsets[s]; i < pools.offsets[s + 1]; i++) localArm[pools.arms[i]] = 1;
  const list: number[] = [];
  for (let a = 0; a < localArm.length; a++) {
    if (localArm[a] === 0) continue;
    localArm[a] = list.length;
    list.push(a);
  }
  return { arms: list, localArm };
}

function packEvents(
  { arm, payoff, pools }: EventLog,
  from: number,
  to: number,
  localPool: ReadonlyMap<number, number>,
  localArm: Uint32Array,
): Uint32Array {
  const words = new Uint32Array((to - from) * EVENT_WORDS);
  for (let t = from, at = 0; t < to; t++, at += EVENT_WORDS) {
    const s = pools.pool === null ? 0 : pools.pool[t];
    const first = pools.offsets[s];
    const last = pools.offsets[s + 1];
    words[at] = localArm[arm[t]];
    words[at + 1] = payoff.steps[t];
    words[at + 2] = localPool.get(s) ?? 0;
    words[at + 3] = (lowerBound(pools.arms, arm[t], first, last) - first) | ((last - first) << 16);
  }
  return words;
}

/** Width of a row of context features: a multiple of 4. */
export function featureStride(dimension: number): number {
  return Math.ceil(dimension / 4) * 4;
}

const singleTables = new WeakMap<ContextTable, boolean>();

/**
 * True where an f32 holds every context exactly, so that no lower parts are needed. Looked at once for each log; of a log
 * that is gone through batch by batch, by its head.
 */
export function contextsAreSingle({ contexts }: EventLog): boolean {
  let known = singleTables.get(contexts);
  if (known === undefined) {
    const { values } = contexts;
    // Of a head without events nothing is known but the type, and f64 is taken where f32 does not hold all.
    known = values instanceof Float32Array || (values.length > 0 && values.every((x) => Math.fround(x) === x));
    singleTables.set(contexts, known);
  }
  return known;
}

/** Features of the chunk's events; contexts as rows of f32, and behind all of them their lower parts unless `single`. */
export function packFeatures(log: EventLog, { from, count }: Chunk, features: Features, single: boolean): Uint32Array {
  if (features === 'none') return new Uint32Array(0);
  if (features !== 'contexts') {
    const code = log.keys.get(features.segment)?.code;
    if (code === undefined) throw new RangeError(`the log has no key column ${features.segment}`);
    return code.slice(from, from + count);
  }
  const { dimension, values, row } = log.contexts;
  const stride = featureStride(dimension);
  const words = new Float32Array(count * stride * (single ? 1 : 2));
  for (let i = 0; i < count; i++) {
    const source = (row === null ? from + i : row[from + i]) * dimension;
    for (let j = 0; j < dimension; j++) {
      const x = values[source + j];
      words[i * stride + j] = x;
      if (!single) words[(count + i) * stride + j] = x - Math.fround(x);
    }
  }
  return new Uint32Array(words.buffer);
}

/** First place in ascending `list[from..to)` whose value is at least `value`. */
function lowerBound(list: Uint32Array, value: number, from = 0, to = list.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
