/** Host side of screen.as.ts: one instance with a memory of its own. */

import { compileOnce, instantiate, Layout } from './memory.js';
import { SCREEN_WASM } from './screen.generated.js';

interface Exports {
  screenRuns(
    y: number,
    errors: number,
    w: number,
    d: number,
    norm: number,
    slack: number,
    list: number,
    listLength: number,
    runs: number,
    runCount: number,
    present: number,
    matched: number,
    doubtful: number,
    capacity: number,
    counts: number,
  ): number;
  chooseRuns(
    y: number,
    errors: number,
    w: number,
    d: number,
    norm: number,
    slack: number,
    list: number,
    listLength: number,
    from: number,
    to: number,
    present: number,
    choices: number,
    doubtful: number,
    capacity: number,
    counts: number,
    tables: number,
    rows: number,
    logged: number,
    matched: number,
    sums: number,
  ): number;
}

/** Sizes of the regions that a kernel instance needs. */
interface ScreenShape {
  rows: number;
  dimension: number;
  quads: number;
  /** Slots that the doubtful list holds. */
  doubtful: number;
  /** Numbers of the chosen rows are to be added up. */
  tables: boolean;
}

/** A policy's part of the error bound, and what flushed subnormals add. */
export interface PolicyBound {
  readonly norm: number;
  readonly slack: number;
}

const module = compileOnce(SCREEN_WASM);
const RUN_WORDS = 3;

/** f32 SIMD kernels with typed views of their memory. */
export class ScreenKernel {
  /** Inputs [quads][d][4]. */
  readonly y: Float32Array;
  readonly errors: Float32Array;
  /** Weights of the current policy [rows][d]. */
  readonly weights: Float32Array;
  /** Candidate rows; for matches in the order in which they are tried. One place more than there are rows. */
  readonly list: Uint32Array;
  /** (logged row, first quad, last quad + 1) of each run. */
  readonly runs: Uint32Array;
  readonly present: Uint32Array;
  /** Slots that match, written by `match`. */
  readonly matched: Uint32Array;
  /** Chosen row of each slot, written by `choose`. */
  readonly choices: Uint32Array;
  readonly doubtful: Uint32Array;
  /** How many slots lie in `matched` and in `doubtful`. */
  readonly counts: Uint32Array;
  /** Logged row of each slot, and four numbers of each slot and row; empty where there are no tables. */
  readonly logged: Uint32Array;
  readonly tables: Uint32Array;
  /** Sums of these, each of two words. */
  readonly sums: Uint32Array;
  private readonly exports: Exports;

  constructor(private readonly shape: ScreenShape) {
    const { rows, dimension, quads } = shape;
    const layout = new Layout();
    const y = layout.region(quads * dimension * 16);
    const errors = layout.region(quads * 16);
    const weights = layout.region(rows * dimension * 4);
    const list = layout.region((rows + 1) * 4);
    const runs = layout.region(quads * RUN_WORDS * 4);
    const present = layout.region(quads * 16);
    const matched = layout.region(quads * 16);
    const choices = layout.region(quads * 16);
    const doubtful = layout.region(shape.doubtful * 4);
    const counts = layout.region(8);
    const slots = shape.tables ? quads * 4 : 0;
    const logged = layout.region(slots * 4);
    const tables = layout.region(slots * rows * 16);
    const sums = layout.region(32);
    const memory = layout.memory();
    this.y = new Float32Array(memory.buffer, y, quads * dimension * 4);
    this.errors = new Float32Array(memory.buffer, errors, quads * 4);
    this.weights = new Float32Array(memory.buffer, weights, rows * dimension);
    this.list = new Uint32Array(memory.buffer, list, rows + 1);
    this.runs = new Uint32Array(memory.buffer, runs, quads * RUN_WORDS);
    this.present = new Uint32Array(memory.buffer, present, quads * 4);
    this.matched = new Uint32Array(memory.buffer, matched, quads * 4);
    this.choices = new Uint32Array(memory.buffer, choices, quads * 4);
    this.doubtful = new Uint32Array(memory.buffer, doubtful, shape.doubtful);
    this.counts = new Uint32Array(memory.buffer, counts, 2);
    this.logged = new Uint32Array(memory.buffer, logged, slots);
    this.tables = new Uint32Array(memory.buffer, tables, slots * rows * 4);
    this.sums = new Uint32Array(memory.buffer, sums, 8);
    this.exports = instantiate<Exports>(module(), memory);
  }

  /**
   * Looks for matches in runs from..to−1 among the first `listLength` rows of `list`, appending to `matched` and `doubtful`.
   *
   * @returns false where the doubtful ones are too many.
   */
  match(from: number, to: number, listLength: number, { norm, slack }: PolicyBound): boolean {
    // The kernel reads rows in pairs.
    if (listLength > 0) this.list[listLength] = this.list[listLength - 1];
    const complete = this.exports.screenRuns(
      this.y.byteOffset,
      this.errors.byteOffset,
      this.weights.byteOffset,
      this.shape.dimension,
      norm,
      slack,
      this.list.byteOffset,
      listLength,
      this.runs.byteOffset + from * RUN_WORDS * 4,
      to - from,
      this.present.byteOffset,
      this.matched.byteOffset,
      this.doubtful.byteOffset,
      this.shape.doubtful,
      this.counts.byteOffset,
    );
    return complete !== 0;
  }

  /**
   * Writes the choices of quads from..to−1 among the first `listLength` rows of `list`, appending to `doubtful`; with tables adds to
   * `sums` and appends to `matched` too.
   *
   * @returns false where the doubtful ones are too many.
   */
  choose(from: number, to: number, listLength: number, { norm, slack }: PolicyBound): boolean {
    const complete = this.exports.chooseRuns(
      this.y.byteOffset,
      this.errors.byteOffset,
      this.weights.byteOffset,
      this.shape.dimension,
      norm,
      slack,
      this.list.byteOffset,
      listLength,
      from,
      to,
      this.present.byteOffset,
      this.choices.byteOffset,
      this.doubtful.byteOffset,
      this.shape.doubtful,
      this.counts.byteOffset,
      this.shape.tables ? this.tables.byteOffset : 0,
      this.shape.rows,
      this.logged.byteOffset,
      this.matched.byteOffset,
      this.sums.byteOffset,
    );
    return complete !== 0;
  }
}
