/** Host side of linear.as.ts: one instance with a memory of its own, laid out region by region. */

import { LINEAR_WASM } from './linear.generated.js';
import { compileOnce, instantiate, Layout } from './memory.js';

interface Exports {
  matchQuads(
    x: number,
    w: number,
    d: number,
    list: number,
    listLength: number,
    logged: number,
    from: number,
    to: number,
    matched: number,
    matches: number,
  ): number;
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
export interface LinearShape {
  arms: number;
  dimension: number;
  /** Largest number of quads (four events each) in a chunk. */
  quads: number;
}

/** Padding of a quad in `logged`: never matches. */
export const PAD = 0xffffffff;

const module = compileOnce(LINEAR_WASM);

/** SIMD kernel for linear policies with typed views of its memory. */
export class LinearKernel {
  /** Contexts [quads][d][4]. */
  readonly x: Float64Array;
  /** Weights of the current policy [K][d]. */
  readonly weights: Float64Array;
  /** Candidate arms in trial order; one place more than K. */
  readonly list: Uint32Array;
  readonly logged: Uint32Array;
  /** Slots that match, written by `match`. */
  readonly matched: Uint32Array;
  /** Chosen arm of each event, written by `choose`. */
  readonly choices: Uint32Array;
  private readonly exports: Exports;
  private readonly dimension: number;

  constructor({ arms, dimension, quads }: LinearShape) {
    const layout = new Layout();
    const x = layout.region(quads * dimension * 32);
    const weights = layout.region(arms * dimension * 8);
    const list = layout.region((arms + 1) * 4);
    const logged = layout.region(quads * 16);
    const matched = layout.region(quads * 16);
    const choices = layout.region(quads * 16);
    const memory = layout.memory();
    this.x = new Float64Array(memory.buffer, x, quads * dimension * 4);
    this.weights = new Float64Array(memory.buffer, weights, arms * dimension);
    this.list = new Uint32Array(memory.buffer, list, arms + 1);
    this.logged = new Uint32Array(memory.buffer, logged, quads * 4);
    this.matched = new Uint32Array(memory.buffer, matched, quads * 4);
    this.choices = new Uint32Array(memory.buffer, choices, quads * 4);
    this.dimension = dimension;
    this.exports = instantiate<Exports>(module(), memory);
  }

  /**
   * Appends the matches of quads from..to−1 to the `matches` that `matched` holds, trying the first `listLength` arms of
   * `list`; returns how many it holds then.
   */
  match(from: number, to: number, listLength: number, matches: number): number {
    // The kernel reads arms in pairs.
    if (listLength > 0) this.list[listLength] = this.list[listLength - 1];
    return this.exports.matchQuads(
      this.x.byteOffset,
      this.weights.byteOffset,
      this.dimension,
      this.list.byteOffset,
      listLength,
      this.logged.byteOffset,
      from,
      to,
      this.matched.byteOffset,
      matches,
    );
  }

  /** Writes `choices` of quads from..to−1; `list` must be ascending. */
  choose(from: number, to: number, listLength: number): void {
    this.exports.chooseQuads(
      this.x.byteOffset,
      this.weights.byteOffset,
      this.dimension,
      this.list.byteOffset,
      listLength,
      from,
      to,
      this.choices.byteOffset,
    );
  }
}
