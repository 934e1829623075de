/** The entries of a table that some events refer to, numbered anew by first appearance. */

import { GrowingU32 } from '../build/growing.js';
import { u32Column } from '../build/memory.js';
import type { ArmFeatureTable, ContextTable, PoolTable } from '../event-log.js';
import { pickRows } from './pick.js';

export class UsedEntries {
  private readonly number: Int32Array;
  private readonly old = new GrowingU32();

  /** @param entries of the table. */
  constructor(private readonly entries: number) {
    this.number = new Int32Array(entries).fill(-1);
  }

  /** New number of an entry, which the next event refers to. */
  use(entry: number): number {
    const { number, old } = this;
    if (number[entry] < 0) {
      number[entry] = old.length;
      old.push(entry);
    }
    return number[entry];
  }

  /** Numbers the references of events anew, in place. */
  renumber(references: Uint32Array): void {
    for (let t = 0; t < references.length; t++) references[t] = this.use(references[t]);
  }

  /** Old numbers of the entries in use, by new ones; `null` where these are all entries, as they were. */
  order(): Uint32Array | null {
    const order = this.old.column();
    return order.length === this.entries && order.every((entry, i) => entry === i) ? null : order;
  }
}

/** A table of distinct contexts with the rows in use only. */
export function usedContexts(contexts: ContextTable, used: UsedEntries): ContextTable {
  const order = used.order();
  if (order === null) return contexts;
  return { ...contexts, rows: order.length, values: pickRows(contexts.values, contexts.dimension, order) };
}

/** Candidate sets in use only, with the versions of arm features that they hold. */
export function usedPools(
  pools: PoolTable,
  armFeatures: ArmFeatureTable | null,
  used: UsedEntries,
): { pools: PoolTable; armFeatures: ArmFeatureTable | null } {
  const order = used.order();
  if (order === null) return { pools, armFeatures };
  const offsets = u32Column(order.length + 1);
  for (const [s, old] of order.entries()) offsets[s + 1] = offsets[s] + pools.offsets[old + 1] - pools.offsets[old];
  const gather = (entries: Uint32Array): Uint32Array => {
    const gathered = u32Column(offsets[order.length]);
    for (const [s, old] of order.entries())
      gathered.set(entries.subarray(pools.offsets[old], pools.offsets[old + 1]), offsets[s]);
    return gathered;
  };
  const row = armFeatures?.row ?? null;
  const { allArms } = pools;
  const all = typeof allArms === 'number' ? order.indexOf(allArms) : -1;
  return {
    pools: {
      count: order.length,
      offsets,
      arms: gather(pools.arms),
      pool: order.length === 1 ? null : pools.pool,
      ...(allArms === undefined ? {} : { allArms: all < 0 ? null : all }),
    },
    armFeatures: armFeatures === null || row === null ? armFeatures : { ...armFeatures, row: gather(row) },
  };
}
