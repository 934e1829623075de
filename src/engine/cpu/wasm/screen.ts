/** Host side of screen.as.ts: one instance with a memory of its own. */

import { compileOnce, instantiate, Layout } from './memory.js';
import { SCREEN_WASM } from './screen.generated.js';

interface Exports {
  screenRuns(
    x: number,
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
}

/** Sizes of the regions that a kernel instance needs. */
export interface ScreenShape {
  arms: number;
  dimension: number;
  quads: number;
  runs: number;
  /** Slots that the doubtful list holds. */
  doubtful: number;
}

const module = compileOnce(SCREEN_WASM);
const RUN_WORDS = 3;

/** f32 SIMD kernel with typed views of its memory. */
export class ScreenKernel {
  /** Contexts [quads][d][4]. */
  readonly x: Float32Array;
  readonly errors: Float32Array;
  /** Weights of the current policy [K][d]. */
  readonly weights: Float32Array;
  /** Candidate arms in trial order; one place more than K. */
  readonly list: Uint32Array;
  /** (logged arm, first quad, last quad + 1) of each run. */
  readonly runs: Uint32Array;
  readonly present: Uint32Array;
  readonly matched: Uint32Array;
  readonly doubtful: Uint32Array;
  /** How many slots lie in `matched` and in `doubtful`. */
  readonly counts: Uint32Array;
  private readonly exports: Exports;

  constructor(private readonly shape: ScreenShape) {
    const { arms, dimension, quads } = shape;
    const layout = new Layout();
    const x = layout.region(quads * dimension * 16);
    const errors = layout.region(quads * 16);
    const weights = layout.region(arms * dimension * 4);
    const list = layout.region((arms + 1) * 4);
    const runs = layout.region(shape.runs * RUN_WORDS * 4);
    const present = layout.region(quads * 16);
    const matched = layout.region(quads * 16);
    const doubtful = layout.region(shape.doubtful * 4);
    const counts = layout.region(8);
    const memory = layout.memory();
    this.x = new Float32Array(memory.buffer, x, quads * dimension * 4);
    this.errors = new Float32Array(memory.buffer, errors, quads * 4);
    this.weights = new Float32Array(memory.buffer, weights, arms * dimension);
    this.list = new Uint32Array(memory.buffer, list, arms + 1);
    this.runs = new Uint32Array(memory.buffer, runs, shape.runs * RUN_WORDS);
    this.present = new Uint32Array(memory.buffer, present, quads * 4);
    this.matched = new Uint32Array(memory.buffer, matched, quads * 4);
    this.doubtful = new Uint32Array(memory.buffer, doubtful, shape.doubtful);
    this.counts = new Uint32Array(memory.buffer, counts, 2);
    this.exports = instantiate<Exports>(module(), memory);
  }

  /**
   * Screens runs from..to−1 against the first `listLength` arms of `list`, appending to `matched` and `doubtful`.
   *
   * @returns false where the doubtful ones are too many.
   */
  screen(from: number, to: number, listLength: number, bound: { norm: number; slack: number }): boolean {
    // The kernel reads arms in pairs.
    if (listLength > 0) this.list[listLength] = this.list[listLength - 1];
    const complete = this.exports.screenRuns(
      this.x.byteOffset,
      this.errors.byteOffset,
      this.weights.byteOffset,
      this.shape.dimension,
      bound.norm,
      bound.slack,
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
}
