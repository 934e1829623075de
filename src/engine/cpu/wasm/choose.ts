/** Host side of choose.as.ts: one instance with a memory of its own. */

import { CHOOSE_WASM } from './choose.generated.js';
import { compileOnce, instantiate, Layout } from './memory.js';

interface Exports {
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
    doubts: number,
    capacity: number,
  ): number;
}

/** Sizes of the regions that a kernel instance needs. */
export interface ChooseShape {
  rows: number;
  dimension: number;
  quads: number;
  /** Slots that the doubtful list holds. */
  doubtful: number;
}

const module = compileOnce(CHOOSE_WASM);

/** f32 SIMD kernel with typed views of its memory. */
export class ChooseKernel {
  /** Inputs [quads][d][4]. */
  readonly y: Float32Array;
  readonly errors: Float32Array;
  /** Weights of the current policy [rows][d]. */
  readonly weights: Float32Array;
  /** Candidate rows. */
  readonly list: Uint32Array;
  readonly present: Uint32Array;
  readonly choices: Uint32Array;
  readonly doubtful: Uint32Array;
  private readonly exports: Exports;

  constructor(private readonly shape: ChooseShape) {
    const { rows, dimension, quads, doubtful } = shape;
    const layout = new Layout();
    const y = layout.region(quads * dimension * 16);
    const errors = layout.region(quads * 16);
    const weights = layout.region(rows * dimension * 4);
    const list = layout.region(rows * 4);
    const present = layout.region(quads * 16);
    const choices = layout.region(quads * 16);
    const doubts = layout.region(doubtful * 4);
    const memory = layout.memory();
    this.y = new Float32Array(memory.buffer, y, quads * dimension * 4);
    this.errors = new Float32Array(memory.buffer, errors, quads * 4);
    this.weights = new Float32Array(memory.buffer, weights, rows * dimension);
    this.list = new Uint32Array(memory.buffer, list, rows);
    this.present = new Uint32Array(memory.buffer, present, quads * 4);
    this.choices = new Uint32Array(memory.buffer, choices, quads * 4);
    this.doubtful = new Uint32Array(memory.buffer, doubts, doubtful);
    this.exports = instantiate<Exports>(module(), memory);
  }

  /**
   * Writes the choices of quads from..to−1 among the first `listLength` rows of `list`.
   *
   * @param doubts slots that lie in `doubtful` already.
   * @returns how many do then, or −1 where they are too many.
   */
  choose(from: number, to: number, listLength: number, bound: { norm: number; slack: number }, doubts: number): number {
    return this.exports.chooseRuns(
      this.y.byteOffset,
      this.errors.byteOffset,
      this.weights.byteOffset,
      this.shape.dimension,
      bound.norm,
      bound.slack,
      this.list.byteOffset,
      listLength,
      from,
      to,
      this.present.byteOffset,
      this.choices.byteOffset,
      this.doubtful.byteOffset,
      doubts,
      this.shape.doubtful,
    );
  }
}
