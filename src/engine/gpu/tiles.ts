/** Packs what the kernels read of laid out cells: contexts, lists of rows, lanes. Pure: no device. In WGSL: shaders/lib/scores.wgsl. */

import type { Screen } from '../../policy/screen.js';
import type { Layout } from './layout.js';

/** Tables of `index`, by their first word. */
export interface IndexOffsets {
  readonly lanes: number;
  readonly tileTable: number;
  readonly lists: number;
  /** Logged row of each slot, where lanes are not sorted. */
  readonly rowOfSlot: number;
  readonly cellPools: number;
  readonly poolBits: number;
  /** Words of a pool's bit set. */
  readonly poolWords: number;
}

export interface PackedIndex {
  readonly index: Uint32Array;
  readonly at: IndexOffsets;
  /** Whether a tile has several pools. */
  readonly mixed: boolean;
  /** Whether every tile lists all rows. */
  readonly whole: boolean;
}

/** Tables one after the other, and where each begins. */
function joined(tables: readonly ArrayLike<number>[]): { index: Uint32Array; at: number[] } {
  const at: number[] = [];
  let length = 0;
  for (const table of tables) {
    at.push(length);
    length += table.length;
  }
  const index = new Uint32Array(length);
  tables.forEach((table, i) => {
    index.set(table, at[i]);
  });
  return { index, at };
}

/**
 * Writes, per tile, d rows of features, one per slot, then a row of error factors, −1 where there is no cell. Returns the largest norm.
 *
 * @param contexts d + 1 numbers for each slot, of whatever values; what has no cell stays a finite number.
 */
export function packContexts(
  screen: Screen,
  { cellOf, fours }: Layout,
  eventOf: (cell: number) => number,
  contexts: Float32Array,
): number {
  const { dimension } = screen;
  const tile = 256 * fours;
  let largestNorm = 0;
  for (let first = 0, row = 0; first < cellOf.length; first += tile, row += (dimension + 1) * tile) {
    const factors = row + dimension * tile;
    for (let i = 0; i < tile; i++) {
      const cell = cellOf[first + i];
      if (cell < 0) {
        contexts[factors + i] = -1;
        continue;
      }
      const event = eventOf(cell);
      screen.write(event, contexts, row + i, tile);
      const norm = screen.contextNorm(event);
      if (norm > largestNorm) largestNorm = norm;
      contexts[factors + i] = screen.errorFactor(norm);
    }
  }
  return largestNorm;
}

/** Segments and lanes: logged row of a lane's events, where they share it, and the place of their block. */
export function packLanes(layout: Layout, rowOf: (cell: number) => number, nothing: number): readonly Uint32Array[] {
  const { cellOf, fours, sorted, places, segments } = layout;
  const lanes = Uint32Array.from(places, (place, lane) => {
    const cell = cellOf[(lane >> 6) * 256 * fours + (lane & 63) * 4];
    return (place << 16) | (sorted && cell >= 0 ? rowOf(cell) : nothing);
  });
  return [segments, lanes];
}

/** Lists of rows (one per pool or union of pools in use), and, for mixed tiles, pools of cells and their bit sets. */
export function packIndex(
  screen: Screen,
  layout: Layout,
  eventOf: (cell: number) => number,
  rowOf: ((cell: number) => number) | null,
): PackedIndex {
  const { offsets, arms, pool } = screen.pools;
  const { cellOf, fours, sorted } = layout;
  const tile = 256 * fours;
  const poolOf = (cell: number): number => (pool === null ? 0 : pool[eventOf(cell)]);
  const mixed = layout.pools.includes(-1);
  const localPool = new Map<number, number>();
  const cellPools = new Uint32Array(mixed ? cellOf.length : 0);
  const table = new Uint32Array(layout.pools.length * 3);
  const lists: number[] = [];
  const listOf = new Map<number, readonly [number, number]>();
  layout.pools.forEach((pool, t) => {
    let list = pool < 0 ? undefined : listOf.get(pool);
    if (list === undefined) {
      const members =
        pool < 0
          ? unionOfPools(screen, new Set(cells(layout, t).map(poolOf)))
          : arms.subarray(offsets[pool], offsets[pool + 1]);
      list = [lists.length, members.length];
      for (const row of members) lists.push(row);
      listOf.set(pool, list);
    }
    table.set([...list, pool < 0 ? 1 : 0], t * 3);
    if (pool >= 0) return;
    for (let slot = t * tile; slot < (t + 1) * tile; slot++) {
      if (cellOf[slot] < 0) continue;
      const own = poolOf(cellOf[slot]);
      const local = localPool.get(own) ?? localPool.size;
      localPool.set(own, local);
      cellPools[slot] = local;
    }
  });
  const poolWords = Math.ceil(screen.rows / 32);
  const bits = new Uint32Array(localPool.size * poolWords);
  for (const [pool, local] of localPool) {
    for (let i = offsets[pool]; i < offsets[pool + 1]; i++)
      bits[local * poolWords + (arms[i] >>> 5)] |= 1 << (arms[i] & 31);
  }
  const rows = sorted || rowOf === null ? [] : Uint32Array.from(cellOf, (cell) => (cell < 0 ? 0 : rowOf(cell)));
  const lanes = rowOf === null ? [[], []] : packLanes(layout, rowOf, arms[0] ?? 0);
  const { index, at } = joined([...lanes, table, lists, rows, cellPools, bits]);
  const [, lanesAt, tileTable, listsAt, rowOfSlot, poolsAt, poolBits] = at;
  return {
    index,
    at: { lanes: lanesAt, tileTable, lists: listsAt, rowOfSlot, cellPools: poolsAt, poolBits, poolWords },
    mixed,
    whole: layout.pools.every((_, t) => table[t * 3 + 1] === screen.rows),
  };
}

/** Cells of a tile. */
function cells({ cellOf, fours }: Layout, tile: number): number[] {
  return [...cellOf.subarray(tile * 256 * fours, (tile + 1) * 256 * fours)].filter((cell) => cell >= 0);
}

/** Rows of any of the pools, ascending. */
function unionOfPools(screen: Screen, pools: ReadonlySet<number>): Uint32Array {
  const { offsets, arms } = screen.pools;
  const seen = new Set<number>();
  for (const pool of pools) for (let i = offsets[pool]; i < offsets[pool + 1]; i++) seen.add(arms[i]);
  return Uint32Array.from(seen).sort();
}
