/** Host side of linear.as.ts: one instance with a memory of its own, laid out region by region. */

import { LINEAR_WASM } from './linear.generated.js';
import { compileOnce, instantiate, Layout } from './memory.js';

interface Exports {
  chooseQuads(
    x: number,
    w: number,
    d: number,
    list: number,
    listLength: number,
    from: number,
    to: number,
    choices: number,
  ): void;
}

/** Sizes of the regions that a kernel instance needs. */
interface LinearShape {
  arms: number;
  dimension: number;
  /** Largest number of quads (four events each) in a chunk. */
  quads: number;
}

const module = compileOnce(LINEAR_WASM);

/** SIMD kernel for linear policies with typed views of its memory. */
export class LinearKernel {
  /** Contexts [quads][d][4]. */
  readonly x: Float64Array;
  /** Weights of the current policy [K][d]. */
  readonly weights: Float64Array;
  /** Chosen arm of each event. */
  readonly choices: Uint32Array;
  private readonly list: Uint32Array;
  private readonly exports: Exports;
  private readonly dimension: number;

  constructor({ arms, dimension, quads }: LinearShape) {
    const layout = new Layout();
    const x = layout.region(quads * dimension * 32);
    const weights = layout.region(arms * dimension * 8);
    const list = layout.region(arms * 4);
    const choices = layout.region(quads * 16);
    const memory = layout.memory();
    this.x = new Float64Array(memory.buffer, x, quads * dimension * 4);
    this.weights = new Float64Array(memory.buffer, weights, arms * dimension);
    this.list = new Uint32Array(memory.buffer, list, arms);
    this.choices = new Uint32Array(memory.buffer, choices, quads * 4);
    this.dimension = dimension;
    this.exports = instantiate<Exports>(module(), memory);
  }

  /** Writes `choices` of quads from..to−1 among `candidates`, which ascend. */
  choose(from: number, to: number, candidates: Uint32Array): void {
    this.list.set(candidates);
    this.exports.chooseQuads(
      this.x.byteOffset,
      this.weights.byteOffset,
      this.dimension,
      this.list.byteOffset,
      candidates.length,
      from,
      to,
      this.choices.byteOffset,
    );
  }
}
