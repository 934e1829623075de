/**
 * Lays out cells in tiles for the linear kernel. Pure: no device.
 *
 * A tile is 256 or 512 slots of the choice matrix. Its cells share one pool where they can ("pure"); the rest go to tiles that
 * score the union of their pools ("mixed").
 */

import type { Screen } from '../../policy/screen.js';

/** Ranges of cells [from, to), each beginning where the last one ended. */
type Groups = readonly (readonly [number, number])[];

/** A tile's cells and their pool; −1: mixed. */
interface Tile {
  readonly cells: Int32Array;
  readonly pool: number;
}

/** Cells as the linear kernel reads them. */
export interface LinearChunk {
  /** Cell in each slot, −1 in padding. */
  readonly cellOf: Int32Array;
  readonly tiles: number;
  /** Slots of a tile. */
  readonly tile: number;
  /** First slot of each group (length groups + 1). */
  readonly groupSlots: readonly number[];
  readonly contexts: Float32Array;
  readonly index: Uint32Array;
  /** Offsets into `index`, in words. */
  readonly at: IndexOffsets;
  /** Largest norm of a context. */
  readonly largestNorm: number;
}

interface IndexOffsets {
  readonly tileTable: number;
  readonly armLists: number;
  readonly cellPools: number;
  readonly poolBits: number;
  /** Words of a pool's bit set. */
  readonly poolWords: number;
}

/**
 * Packs cells for the linear kernel.
 *
 * @param groups Ranges of cells, one after the other, whose slots must lie together (entries of one segment each); one
 *   range where cells are not entries.
 * @param eventOf Event that stands for a cell.
 * @param tile Slots of a tile.
 */
export function packLinear(
  screen: Screen,
  groups: Groups,
  eventOf: (cell: number) => number,
  tile: number,
): LinearChunk {
  const { pool } = screen.pools;
  const poolOf = pool === null ? null : (cell: number): number => pool[eventOf(cell)];
  const { tiles, groupSlots } = makeTiles(groups, poolOf, tile);
  const { contexts, largestNorm } = packContexts(screen, tiles, eventOf, tile);
  const cellOf = new Int32Array(tiles.length * tile).fill(-1);
  tiles.forEach(({ cells }, t) => {
    cellOf.set(cells, t * tile);
  });
  return {
    cellOf,
    tiles: tiles.length,
    tile,
    groupSlots,
    contexts,
    ...packIndex(screen, tiles, poolOf ?? (() => 0), tile),
    largestNorm,
  };
}

/** Tiles of all groups. With one pool for all they run on across group borders, so that none is left half empty. */
function makeTiles(
  groups: Groups,
  poolOf: ((cell: number) => number) | null,
  tile: number,
): { tiles: Tile[]; groupSlots: number[] } {
  const tiles: Tile[] = [];
  const groupSlots = [0];
  const [first, last] = [groups[0]?.[0] ?? 0, groups.at(-1)?.[1] ?? 0];
  if (poolOf === null) addTiles(tiles, first, last, null, tile);
  for (const [from, to] of groups) {
    if (poolOf !== null) addTiles(tiles, from, to, poolOf, tile);
    groupSlots.push(poolOf === null ? to - first : tiles.length * tile);
  }
  return { tiles, groupSlots };
}

/** Adds the tiles of cells from..to−1. */
function addTiles(
  tiles: Tile[],
  from: number,
  to: number,
  poolOf: ((cell: number) => number) | null,
  tile: number,
): void {
  const count = to - from;
  const cut = (cells: Int32Array, pool: (part: Int32Array) => number): void => {
    for (let i = 0; i < cells.length; i += tile) {
      const part = cells.subarray(i, Math.min(i + tile, cells.length));
      tiles.push({ cells: part, pool: pool(part) });
    }
  };
  if (poolOf === null) {
    const cells = new Int32Array(count);
    for (let i = 0; i < count; i++) cells[i] = from + i;
    cut(cells, () => 0);
    return;
  }
  const { pools, starts, sorted } = sortByPool(from, count, poolOf);
  const rest: number[] = [];
  for (let g = 0; g < pools.length; g++) {
    const cells = sorted.subarray(starts[g], starts[g + 1]);
    const whole = pools.length === 1 ? cells.length : cells.length - (cells.length % tile);
    cut(cells.subarray(0, whole), () => pools[g]);
    for (let i = whole; i < cells.length; i++) rest.push(cells[i]);
  }
  cut(Int32Array.from(rest), (part) => (part.every((cell) => poolOf(cell) === poolOf(part[0])) ? poolOf(part[0]) : -1));
}

/** Cells from..from+count−1, pool by pool in order of first sight; pool g holds `sorted[starts[g] .. starts[g+1])`. */
function sortByPool(
  from: number,
  count: number,
  poolOf: (cell: number) => number,
): { pools: number[]; starts: number[]; sorted: Int32Array } {
  const groupOf = new Map<number, number>();
  const group = new Int32Array(count);
  const pools: number[] = [];
  const sizes: number[] = [];
  let last = -1;
  let current = 0;
  for (let i = 0; i < count; i++) {
    const pool = poolOf(from + i);
    // Pools come in runs: look a group up only where the pool changes.
    if (pool !== last) {
      last = pool;
      current = groupOf.get(pool) ?? pools.length;
      if (current === pools.length) {
        groupOf.set(pool, current);
        pools.push(pool);
        sizes.push(0);
      }
    }
    group[i] = current;
    sizes[current]++;
  }
  const starts = [0];
  for (const size of sizes) starts.push(starts[starts.length - 1] + size);
  const next = starts.slice();
  const sorted = new Int32Array(count);
  for (let i = 0; i < count; i++) sorted[next[group[i]]++] = from + i;
  return { pools, starts, sorted };
}

/** Per tile: d rows of features, one per slot, then a row of error factors. */
function packContexts(
  screen: Screen,
  tiles: readonly Tile[],
  eventOf: (cell: number) => number,
  tile: number,
): Pick<LinearChunk, 'contexts' | 'largestNorm'> {
  const { dimension } = screen;
  const stride = (dimension + 1) * tile;
  const contexts = new Float32Array(tiles.length * stride);
  let largestNorm = 0;
  for (let t = 0; t < tiles.length; t++) {
    const { cells } = tiles[t];
    for (let i = 0; i < cells.length; i++) {
      const event = eventOf(cells[i]);
      const at = t * stride + i;
      screen.write(event, contexts, at, tile);
      const norm = screen.contextNorm(event);
      largestNorm = Math.max(largestNorm, norm);
      contexts[at + dimension * tile] = screen.errorFactor(norm);
    }
  }
  return { contexts, largestNorm };
}

/** Tile table, arm lists (one per pool or union of pools in use), and, for mixed tiles, pools of cells and their bit sets. */
function packIndex(
  screen: Screen,
  tiles: readonly Tile[],
  poolOf: (cell: number) => number,
  tile: number,
): Pick<LinearChunk, 'index' | 'at'> {
  const { offsets, arms } = screen.pools;
  const poolWords = Math.ceil(screen.rows / 32);
  const mixed = tiles.some(({ pool }) => pool < 0);
  const localPool = new Map<number, number>();
  const listOf = new Map<number, readonly [number, number]>();
  const lists: number[] = [];
  const table = new Uint32Array(tiles.length * 4);
  const cellPools = new Uint32Array(mixed ? tiles.length * tile : 0);
  const addList = (members: Uint32Array): readonly [number, number] => {
    const start = lists.length;
    for (const arm of members) lists.push(arm);
    return [start, members.length];
  };
  tiles.forEach(({ cells, pool }, t) => {
    let list = listOf.get(pool);
    if (pool < 0) list = addList(unionOfPools(screen, new Set(Array.from(cells, poolOf))));
    else if (list === undefined) {
      list = addList(arms.subarray(offsets[pool], offsets[pool + 1]));
      listOf.set(pool, list);
    }
    const [start, length] = list ?? [0, 0];
    table.set([start, length, pool < 0 ? 1 : 0, cells.length], t * 4);
    if (pool >= 0) return;
    cells.forEach((cell, i) => {
      const own = poolOf(cell);
      const local = localPool.get(own) ?? localPool.size;
      localPool.set(own, local);
      cellPools[t * tile + i] = local;
    });
  });
  const bits = new Uint32Array(localPool.size * poolWords);
  for (const [pool, local] of localPool) {
    for (let i = offsets[pool]; i < offsets[pool + 1]; i++)
      bits[local * poolWords + (arms[i] >>> 5)] |= 1 << (arms[i] & 31);
  }
  const armLists = table.length;
  const poolsAt = armLists + lists.length;
  const poolBits = poolsAt + cellPools.length;
  const index = new Uint32Array(poolBits + bits.length);
  index.set(table);
  index.set(lists, armLists);
  index.set(cellPools, poolsAt);
  index.set(bits, poolBits);
  return { index, at: { tileTable: 0, armLists, cellPools: poolsAt, poolBits, poolWords } };
}

/** Arms of any of the pools, ascending. */
function unionOfPools(screen: Screen, pools: ReadonlySet<number>): Uint32Array {
  const { offsets, arms } = screen.pools;
  const seen = new Set<number>();
  for (const pool of pools) for (let i = offsets[pool]; i < offsets[pool + 1]; i++) seen.add(arms[i]);
  return Uint32Array.from(seen).sort();
}
