/**
 * Where cells lie on the device. Pure: no device.
 *
 * A lane holds 4 · `fours` cells, a tile 64 lanes, a segment the tiles of a few consecutive blocks. The cells of a lane are of one block. A
 * tile scores the candidates of its pool, or, where its cells are of several ("mixed"), those of all. Events are sorted, where that takes
 * hardly more tiles, so that a lane's share their logged row and a tile's their pool.
 */

import type { Segment } from './entries.js';

export interface Layout {
  /** vec4s of cells of a lane. */
  readonly fours: number;
  /** Whether a lane's cells share their row, and a tile's their pool. */
  readonly sorted: boolean;
  /** Cell in each slot, −1 in padding. */
  readonly cellOf: Int32Array;
  /** Pool of each tile, −1: mixed. */
  readonly pools: readonly number[];
  /** Of each segment: first tile, last+1 tile, first row of sums, rows. */
  readonly segments: Uint32Array;
  /** Block of each row of sums. */
  readonly blocks: readonly number[];
  /** Of each lane: its block's place in the segment. */
  readonly places: Uint8Array;
}

/** What a layout goes by. */
export interface CellKeys {
  /** Pool of a cell; `null`: all have the same. */
  readonly pool: ((cell: number) => number) | null;
  /** Row that was logged; `null`: none is asked for. */
  readonly row: ((cell: number) => number) | null;
  /** Above every pool and row. */
  readonly most: number;
}

const LANES = 64;
/** Slots of a tile of four vec4s a lane. */
export const LARGEST_TILE = 1024;
/** Sorting may take so many times the tiles that it would take otherwise: a kernel is faster by more. */
const WORTH_SORTING = 1.25;

/** Segments of at most `length` cells and `places` blocks out of pieces that have one block each. */
export function joinSegments(pieces: readonly Segment[], length: number, places: number): Segment[][] {
  const joined: Segment[][] = [];
  let cells = Number.POSITIVE_INFINITY;
  for (const piece of pieces) {
    const size = piece.to - piece.from;
    const last = joined.at(-1);
    if (last !== undefined && last.length < places && cells + size <= length) last.push(piece);
    else {
      joined.push([piece]);
      cells = 0;
    }
    cells += size;
  }
  return joined;
}

/** Lays out the cells of segments, each of pieces that follow one another. */
export function layOut(segments: readonly (readonly Segment[])[], fours: number, keys: CellKeys): Layout {
  const lay = (sorted: boolean): Lanes => {
    const lanes = new Lanes(fours, keys);
    for (const segment of segments) lanes.addSegment(segment, sorted);
    return lanes;
  };
  if (keys.row === null) return lay(false).layout(false);
  const sorted = lay(true);
  const cells = segments.reduce((sum, pieces) => pieces.reduce((all, { from, to }) => all + to - from, sum), 0);
  if (sorted.slots <= cells * WORTH_SORTING) return sorted.layout(true);
  const plain = lay(false);
  const isPure = !plain.pools.includes(-1);
  return sorted.slots <= plain.slots * (isPure ? WORTH_SORTING : 2 * WORTH_SORTING)
    ? sorted.layout(true)
    : plain.layout(false);
}

/** Lanes in the making. */
class Lanes {
  readonly pools: number[] = [];
  private readonly size: number;
  private readonly lanes: Int32Array[] = [];
  private readonly places: number[] = [];
  private readonly segments: number[] = [];
  private readonly blocks: number[] = [];
  /** Group of each key while a segment is sorted. */
  private readonly groupOf: Int32Array;

  constructor(
    private readonly fours: number,
    private readonly keys: CellKeys,
  ) {
    this.size = 4 * fours;
    this.groupOf = new Int32Array(keys.most).fill(-1);
  }

  get slots(): number {
    return this.lanes.length * this.size;
  }

  addSegment(pieces: readonly Segment[], sorted: boolean): void {
    const { keys, segments, blocks } = this;
    const [first, last] = [pieces[0].from, pieces[pieces.length - 1].to];
    const tile = this.lanes.length / LANES;
    const cells = new Int32Array(last - first);
    for (let i = 0; i < cells.length; i++) cells[i] = first + i;
    const groups = keys.pool === null ? [cells] : this.group(cells, keys.pool);
    const poolOf = (some: Int32Array): number => (keys.pool === null ? 0 : keys.pool(some[0]));
    const rest: Int32Array[] = [];
    for (const group of groups) {
      this.addGroup(group, pieces, sorted ? keys.row : null);
      // What does not fill a tile goes with the rest of other pools, unless it fills most of one.
      const over = this.lanes.length % LANES;
      if (!sorted && groups.length > 1 && over < LANES / 2) {
        rest.push(...this.lanes.splice(this.lanes.length - over));
        this.places.length -= over;
      }
      this.endTiles(poolOf(group));
    }
    const left = rest.length === 0 ? new Int32Array(0) : concat(rest).sort();
    this.addGroup(left, pieces, null);
    this.endTiles(left.length > 0 && left.every((cell) => poolOf(left) === keys.pool?.(cell)) ? poolOf(left) : -1);
    segments.push(tile, this.lanes.length / LANES, blocks.length, pieces.length);
    for (const { block } of pieces) blocks.push(block);
  }

  /** Lanes of cells in ascending order, piece by piece and, where `row` is given, row by row. */
  private addGroup(cells: Int32Array, pieces: readonly Segment[], row: CellKeys['row']): void {
    let from = 0;
    pieces.forEach((piece, place) => {
      let to = pieces.length === 1 ? cells.length : from;
      while (to < cells.length && cells[to] < piece.to) to++;
      const own = cells.subarray(from, to);
      for (const alike of row === null ? [own] : this.group(own, row)) {
        for (let at = 0; at < alike.length; at += this.size) {
          this.lanes.push(alike.subarray(at, at + this.size));
          this.places.push(place);
        }
      }
      from = to;
    });
  }

  private endTiles(pool: number): void {
    const { lanes, places, pools } = this;
    while (lanes.length % LANES !== 0) {
      lanes.push(NOTHING);
      places.push(0);
    }
    while (pools.length < lanes.length / LANES) pools.push(pool);
  }

  /** Cells by key, in order of first sight, each group in the order of the cells. */
  private group(cells: Int32Array, key: (cell: number) => number): Int32Array[] {
    const { groupOf } = this;
    const seen: number[] = [];
    const sizes: number[] = [];
    const own = new Uint32Array(cells.length);
    for (let i = 0; i < cells.length; i++) {
      const k = key(cells[i]);
      let g = groupOf[k];
      if (g < 0) {
        g = seen.push(k) - 1;
        groupOf[k] = g;
        sizes.push(0);
      }
      own[i] = g;
      sizes[g]++;
    }
    for (const k of seen) groupOf[k] = -1;
    const groups: Int32Array[] = [];
    const next = new Uint32Array(sizes.length);
    const sorted = new Int32Array(cells.length);
    let start = 0;
    sizes.forEach((size, g) => {
      next[g] = start;
      groups.push(sorted.subarray(start, start + size));
      start += size;
    });
    for (let i = 0; i < cells.length; i++) sorted[next[own[i]]++] = cells[i];
    return groups;
  }

  layout(sorted: boolean): Layout {
    const { fours, lanes, pools, segments, blocks } = this;
    const cellOf = new Int32Array(this.slots).fill(-1);
    lanes.forEach((cells, lane) => {
      const at = (lane >> 6) * 256 * fours + (lane & 63) * 4;
      for (let i = 0; i < cells.length; i++) cellOf[at + (i >> 2) * 256 + (i & 3)] = cells[i];
    });
    const places = Uint8Array.from(this.places);
    return { fours, sorted, cellOf, pools, segments: Uint32Array.from(segments), blocks, places };
  }
}

const NOTHING = new Int32Array(0);

function concat(parts: readonly Int32Array[]): Int32Array {
  const out = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
