/** Arms as they are shown: the feature rows (versions of arms) of candidate sets and of logged arms. */

import { u32Column } from './build/memory.js';
import type { ArmFeatureTable, EventLog, PoolTable } from './event-log.js';

/** What to do where a log lacks arm features. */
export const ARM_FEATURES_HINT =
  'read a log in a format that has them (vw and dsjson with features of actions, r6a), or give `armFeatures` or `candidateFeatures` to logFromColumns';

/** What of a log says which rows its events show. */
export type ShownRows = Pick<EventLog, 'pools'> & {
  readonly armFeatures: Pick<ArmFeatureTable, 'row'> | null;
};

/** Place in `pools.arms` of an arm of a pool, or −1. */
export function poolPlace({ offsets, arms }: Pick<PoolTable, 'offsets' | 'arms'>, pool: number, arm: number): number {
  let low = offsets[pool];
  const end = offsets[pool + 1];
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (arms[middle] < arm) low = middle + 1;
    else high = middle;
  }
  return low < end && arms[low] === arm ? low : -1;
}

/** Pools that list feature rows in place of arms. Rows are ordered by arm, so they too ascend within a pool. */
export function rowPools({ pools, armFeatures }: ShownRows): PoolTable {
  const row = armFeatures?.row ?? null;
  return row === null ? pools : { ...pools, arms: row };
}

const cache = new WeakMap<EventLog, Uint32Array>();

/** Feature row that each event's pool shows for the logged arm, length L; the logged arms where no arm has versions. */
export function loggedRows(log: EventLog): Uint32Array {
  const row = log.armFeatures?.row ?? null;
  if (row === null) return log.arm;
  let rows = cache.get(log);
  if (rows === undefined) {
    rows = u32Column(log.events);
    const { pools, arm } = log;
    for (let t = 0; t < log.events; t++) {
      rows[t] = row[poolPlace(pools, pools.pool === null ? 0 : pools.pool[t], arm[t])];
    }
    cache.set(log, rows);
  }
  return rows;
}
