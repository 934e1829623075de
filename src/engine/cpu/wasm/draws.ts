/** Host side of draws.as.ts: all draws of a problem in a memory of its own, and rows batch by batch. */

import { type DrawMaxima, type DrawProblem, type Draws, LANES } from '../../../estimate/selection/draws.js';
import { DRAWS_WASM } from './draws.generated.js';
import { compileOnce, instantiate, Layout } from './memory.js';

interface Exports {
  maxima(
    multipliers: number,
    groups: number,
    pairs: number,
    rows: number,
    rowCount: number,
    first: number,
    perSum: number,
    offset: number,
    spread: number,
    twoSided: number,
    oneSided: number,
    most: number,
    best: number,
  ): void;
  sumsOf(multipliers: number, group: number, pairs: number, rows: number, rowCount: number, sums: number): void;
}

/** Rows side by side. */
const FOUR = 4;
/** Rows of a batch: they stay in a core's own cache while all draws go by. */
export const BATCH = 256;

const module = compileOnce(DRAWS_WASM);

/** Running maxima of draws, batch by batch of rows. */
export class DrawsKernel {
  private readonly draws: LaidOut;
  private readonly perSum: Float32Array;
  private readonly offset: Int32Array;
  private readonly spread: Float32Array;
  private readonly twoSided: Float32Array;
  private readonly oneSided: Float32Array;
  private readonly most: Float32Array;
  private readonly best: Uint32Array;

  constructor(private readonly problem: DrawProblem) {
    const lanes = Math.ceil(problem.draws / LANES) * LANES;
    this.draws = new LaidOut(problem, BATCH, [BATCH, BATCH, BATCH, lanes, lanes, lanes, lanes]);
    const { buffer, at } = this.draws;
    this.perSum = new Float32Array(buffer, at[0], BATCH);
    this.offset = new Int32Array(buffer, at[1], BATCH);
    this.spread = new Float32Array(buffer, at[2], BATCH);
    this.twoSided = new Float32Array(buffer, at[3], lanes);
    this.oneSided = new Float32Array(buffer, at[4], lanes).fill(Number.NEGATIVE_INFINITY);
    this.most = new Float32Array(buffer, at[5], lanes).fill(Number.NEGATIVE_INFINITY);
    this.best = new Uint32Array(buffer, at[6], lanes);
  }

  /** Goes on with rows `first..last−1`, {@link BATCH} of them at most. */
  add(first: number, last: number): void {
    const { stride, influences, perSum, offset, spread } = this.problem;
    const { rows, multipliers, groups, exports } = this.draws;
    const count = Math.ceil((last - first) / FOUR) * FOUR;
    for (let i = 0; i < count; i++) {
      // The last one fills up the four: the same once more changes no maximum.
      const row = Math.min(first + i, last - 1);
      rows.set(influences.subarray(row * stride, (row + 1) * stride), i * stride);
      this.perSum[i] = perSum[row];
      this.offset[i] = offset[row];
      this.spread[i] = spread[row];
    }
    exports.maxima(
      multipliers,
      groups,
      stride / 2,
      rows.byteOffset,
      count,
      first,
      this.perSum.byteOffset,
      this.offset.byteOffset,
      this.spread.byteOffset,
      this.twoSided.byteOffset,
      this.oneSided.byteOffset,
      this.most.byteOffset,
      this.best.byteOffset,
    );
  }

  maxima(): DrawMaxima {
    const { draws } = this.problem;
    return {
      twoSided: this.twoSided.slice(0, draws),
      oneSided: this.oneSided.slice(0, draws),
      best: this.best.slice(0, draws),
    };
  }
}

/** Sums of all rows, eight draws at a time. */
export class SumsKernel {
  private readonly laidOut: LaidOut;
  private readonly sums: Int32Array;
  private readonly count: number;

  /** @param rows [P][stride] */
  constructor(
    private readonly draws: Draws,
    rows: Int16Array,
  ) {
    this.count = rows.length / draws.stride;
    this.laidOut = new LaidOut(draws, this.count, [this.count * LANES]);
    this.sums = new Int32Array(this.laidOut.buffer, this.laidOut.at[0], this.count * LANES);
    this.laidOut.rows.set(rows);
  }

  /** Of draws 8·group .. 8·group + 7: [P][8]; valid until the next call. */
  of(group: number): Int32Array {
    const { multipliers, rows, exports } = this.laidOut;
    exports.sumsOf(multipliers, group, this.draws.stride / 2, rows.byteOffset, this.count, this.sums.byteOffset);
    return this.sums;
  }
}

/** Multipliers as the kernels read them, room for rows, and further regions. */
class LaidOut {
  readonly buffer: ArrayBuffer;
  readonly exports: Exports;
  readonly groups: number;
  /** Address. */
  readonly multipliers: number;
  readonly rows: Int16Array;
  /** Addresses of further regions. */
  readonly at: readonly number[];

  /** @param words of each further region. */
  constructor(
    { draws, stride, multipliers }: Pick<Draws, 'draws' | 'stride' | 'multipliers'>,
    rows: number,
    words: readonly number[],
  ) {
    this.groups = Math.ceil(draws / LANES);
    const lanes = this.groups * LANES;
    const layout = new Layout();
    this.multipliers = layout.region(lanes * stride * 2);
    const own = layout.region(rows * stride * 2);
    this.at = words.map((count) => layout.region(count * 4));
    const memory = layout.memory();
    this.buffer = memory.buffer;
    this.rows = new Int16Array(this.buffer, own, rows * stride);
    this.exports = instantiate<Exports>(module(), memory);
    const to = new Int16Array(this.buffer, this.multipliers, lanes * stride);
    // Pairs of blocks of eight draws lie side by side.
    for (let d = 0; d < draws; d++) {
      const group = Math.floor(d / LANES) * LANES * stride + (d % LANES) * 2;
      for (let b = 0; b < stride; b++) to[group + (b >> 1) * LANES * 2 + (b & 1)] = multipliers[d * stride + b];
    }
  }
}
