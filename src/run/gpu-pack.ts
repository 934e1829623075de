/**
 * Packs cells and entries for the GPU. Pure: no device.
 *
 * Slots are the columns of the choice matrix. Linear cells are laid out in tiles of 512 slots; a tile's cells share one
 * pool where they can ("pure"), and the rest go to tiles that score the union of their pools ("mixed").
 */

import type { EventLog } from '../log/event-log.js';
import { errorFactor, normOf } from '../policy/linear/kernel.js';
import { TILE } from './gpu-kernels.js';
import type { Entries } from './worklist.js';

/** Tile: 512 slots, of which the first `cells` are in use. */
interface Tile {
  readonly cells: readonly number[];
  /** Pool of a pure tile; −1: mixed. */
  readonly pool: number;
}

/** Cells of one chunk as the linear kernel reads them. */
export interface LinearChunk {
  /** Cell in each slot, −1 in padding. */
  readonly cellOf: Int32Array;
  readonly tiles: number;
  readonly contexts: Float32Array;
  readonly index: Uint32Array;
  /** Offsets into `index`, in words. */
  readonly at: {
    readonly tileTable: number;
    readonly armLists: number;
    readonly cellPools: number;
    readonly poolBits: number;
    readonly poolWords: number;
  };
  /** Largest norm of a context. */
  readonly largestNorm: number;
}

/** Distributes cells `groups[g][0] .. groups[g][1]` to tiles, so that no tile spans two groups. */
function makeTiles(
  groups: readonly (readonly [number, number])[],
  poolOf: (cell: number) => number,
): { tiles: Tile[]; groupTiles: number[] } {
  const tiles: Tile[] = [];
  const groupTiles = [0];
  for (const [from, to] of groups) {
    const byPool = new Map<number, number[]>();
    for (let cell = from; cell < to; cell++) {
      const pool = poolOf(cell);
      const members = byPool.get(pool);
      if (members === undefined) byPool.set(pool, [cell]);
      else members.push(cell);
    }
    const rest: number[] = [];
    for (const [pool, members] of byPool) {
      const whole = byPool.size === 1 ? members.length : members.length - (members.length % TILE);
      for (let i = 0; i < whole; i += TILE) tiles.push({ cells: members.slice(i, Math.min(i + TILE, whole)), pool });
      for (let i = whole; i < members.length; i++) rest.push(members[i]);
    }
    for (let i = 0; i < rest.length; i += TILE) {
      const cells = rest.slice(i, i + TILE);
      const pool = poolOf(cells[0]);
      tiles.push({ cells, pool: cells.every((cell) => poolOf(cell) === pool) ? pool : -1 });
    }
    groupTiles.push(tiles.length);
  }
  return { tiles, groupTiles };
}

/**
 * Packs cells for the linear kernel.
 *
 * @param groups Ranges of cells that must not share a tile (entries of one segment each); one range where cells are
 *   not entries.
 * @param eventOf Event that stands for a cell.
 * @returns The chunk, and for each group its first tile (length groups + 1).
 */
export function packLinear(
  log: EventLog,
  groups: readonly (readonly [number, number])[],
  eventOf: (cell: number) => number,
): { chunk: LinearChunk; groupTiles: number[] } {
  const { contexts, pools } = log;
  const { dimension, values } = contexts;
  const poolOf = (cell: number): number => (pools.pool === null ? 0 : pools.pool[eventOf(cell)]);
  const { tiles, groupTiles } = makeTiles(groups, poolOf);
  const cellOf = new Int32Array(tiles.length * TILE).fill(-1);
  const rows = dimension + 1;
  const packed = new Float32Array(tiles.length * rows * TILE);
  let largestNorm = 0;
  tiles.forEach((tile, t) => {
    cellOf.set(tile.cells, t * TILE);
    const base = t * rows * TILE;
    tile.cells.forEach((cell, i) => {
      const event = eventOf(cell);
      const at = (contexts.row === null ? event : contexts.row[event]) * dimension;
      for (let j = 0; j < dimension; j++) packed[base + j * TILE + i] = values[at + j];
      const norm = normOf(values, at, dimension);
      largestNorm = Math.max(largestNorm, norm);
      packed[base + dimension * TILE + i] = errorFactor(dimension, norm);
    });
  });
  const { index, at } = packIndex(log, tiles, poolOf);
  return { chunk: { cellOf, tiles: tiles.length, contexts: packed, index, at, largestNorm }, groupTiles };
}

/** Tile table, arm lists (one per pool or union of pools in use), and, for mixed tiles, pools of cells and their bit sets. */
function packIndex(
  log: EventLog,
  tiles: readonly Tile[],
  poolOf: (cell: number) => number,
): Pick<LinearChunk, 'index' | 'at'> {
  const { offsets, arms } = log.pools;
  const poolWords = Math.ceil(log.arms.ids.length / 32);
  const mixed = tiles.some((tile) => tile.pool < 0);
  const localPool = new Map<number, number>();
  const lists: number[] = [];
  const listOf = new Map<number, readonly [number, number]>();
  const table = new Uint32Array(tiles.length * 4);
  const cellPools = new Uint32Array(mixed ? tiles.length * TILE : 0);
  tiles.forEach((tile, t) => {
    let list = tile.pool < 0 ? undefined : listOf.get(tile.pool);
    if (list === undefined) {
      const members =
        tile.pool < 0
          ? unionOfPools(log, new Set(tile.cells.map(poolOf)))
          : arms.subarray(offsets[tile.pool], offsets[tile.pool + 1]);
      list = [lists.length, members.length];
      for (const arm of members) lists.push(arm);
      if (tile.pool >= 0) listOf.set(tile.pool, list);
    }
    table.set([list[0], list[1], tile.pool < 0 ? 1 : 0, tile.cells.length], t * 4);
    if (tile.pool >= 0) return;
    tile.cells.forEach((cell, i) => {
      const pool = poolOf(cell);
      let local = localPool.get(pool);
      if (local === undefined) {
        local = localPool.size;
        localPool.set(pool, local);
      }
      cellPools[t * TILE + i] = local;
    });
  });
  const bits = new Uint32Array(localPool.size * poolWords);
  for (const [pool, local] of localPool) {
    for (let i = offsets[pool]; i < offsets[pool + 1]; i++)
      bits[local * poolWords + (arms[i] >>> 5)] |= 1 << (arms[i] & 31);
  }
  const at = {
    tileTable: 0,
    armLists: table.length,
    cellPools: table.length + lists.length,
    poolBits: table.length + lists.length + cellPools.length,
    poolWords,
  };
  const index = new Uint32Array(at.poolBits + bits.length);
  index.set(table);
  index.set(lists, at.armLists);
  index.set(cellPools, at.cellPools);
  index.set(bits, at.poolBits);
  return { index, at };
}

/** Arms of any of the pools, ascending. */
function unionOfPools(log: EventLog, pools: ReadonlySet<number>): Uint32Array {
  const { offsets, arms } = log.pools;
  const seen = new Set<number>();
  for (const pool of pools) for (let i = offsets[pool]; i < offsets[pool + 1]; i++) seen.add(arms[i]);
  return Uint32Array.from(seen).sort();
}

/** Entries of a chunk as the match kernel reads them. */
export interface EntryChunk {
  readonly data: Uint32Array;
  /** First and last+1 entry of each segment. */
  readonly segments: Uint32Array;
  /** Block of each segment. */
  readonly block: readonly number[];
}

/** Entries of a segment: positions in `Entries`, all of one block. */
export interface Segment {
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

/** Cuts entries from..to−1 at block borders and every `length` entries. */
export function cutSegments(entries: Entries, from: number, to: number, length: number): Segment[] {
  const segments: Segment[] = [];
  for (let block = 0; block + 1 < entries.starts.length; block++) {
    const end = Math.min(to, entries.starts[block + 1]);
    for (let start = Math.max(from, entries.starts[block]); start < end; start += length) {
      segments.push({ block, from: start, to: Math.min(end, start + length) });
    }
  }
  return segments;
}

/** Words of a logged arm that no choice equals: padding between segments. */
const NEVER = 0xfffe_0000;

/**
 * Packs entries whose slot is their own position: `positions[i]` is the entry in slot i, −1 in padding.
 *
 * @param groupSlots First slot of each segment (length segments + 1).
 */
export function packDirectEntries(
  entries: Entries,
  segments: readonly Segment[],
  positions: Int32Array,
  groupSlots: readonly number[],
): EntryChunk {
  const data = new Uint32Array(positions.length * 2);
  for (let i = 0; i < positions.length; i++) {
    const entry = positions[i];
    data[i * 2] = entry < 0 ? NEVER : entries.arm[entry];
    data[i * 2 + 1] = entry < 0 || entries.steps === null ? 0 : entries.steps[entry];
  }
  const bounds = new Uint32Array(segments.length * 2);
  segments.forEach((_, s) => bounds.set([groupSlots[s], groupSlots[s + 1]], s * 2));
  return { data, segments: bounds, block: segments.map((segment) => segment.block) };
}

/** Packs entries from..to−1 that point at slots of cells decided before. */
export function packCellEntries(
  entries: Entries,
  segments: readonly Segment[],
  from: number,
  to: number,
  slotOf: (cell: number) => number,
): EntryChunk {
  const { arm, cell, steps, folded } = entries;
  const stride = folded === null ? 3 : 8;
  const data = new Uint32Array((to - from) * stride);
  for (let i = from; i < to; i++) {
    let at = (i - from) * stride;
    data[at++] = arm[i];
    data[at++] = slotOf(cell === null ? i : cell[i]);
    if (folded === null) {
      data[at] = steps === null ? 0 : steps[i];
      continue;
    }
    data[at++] = folded.events[i];
    data[at++] = folded.payoff[i] % 4294967296;
    data[at++] = Math.floor(folded.payoff[i] / 4294967296);
    if (folded.squareLow === null || folded.squareHigh === null) continue;
    data[at++] = folded.squareLow[i];
    data[at++] = folded.squareHigh[i] % 4294967296;
    data[at] = Math.floor(folded.squareHigh[i] / 4294967296);
  }
  const bounds = new Uint32Array(segments.length * 2);
  segments.forEach((segment, s) => bounds.set([segment.from - from, segment.to - from], s * 2));
  return { data, segments: bounds, block: segments.map((segment) => segment.block) };
}
