/** Host side of joint.as.ts: one instance with a memory of its own. */

import { JOINT_WASM } from './joint.generated.js';
import { compileOnce, instantiate, Layout } from './memory.js';

interface Exports {
  scoreItems(phi: number, w: number, d: number, groups: number, scores: number): void;
}

/** Items of a group. */
export const GROUP = 8;

const module = compileOnce(JOINT_WASM);

/** SIMD kernel for exact scores of two policies at a time, with typed views of its memory. */
export class JointKernel {
  /** Components [groups][D][8]. */
  readonly phi: Float64Array;
  /** Weights of two policies [2][D]. */
  readonly weights: Float64Array;
  private readonly scores: Float64Array;
  private readonly exports: Exports;

  /** @param groups most groups of eight items. */
  constructor(
    private readonly dimension: number,
    groups: number,
  ) {
    const layout = new Layout();
    const phi = layout.region(groups * dimension * GROUP * 8);
    const weights = layout.region(2 * dimension * 8);
    const scores = layout.region(2 * groups * GROUP * 8);
    const memory = layout.memory();
    this.phi = new Float64Array(memory.buffer, phi, groups * dimension * GROUP);
    this.weights = new Float64Array(memory.buffer, weights, 2 * dimension);
    this.scores = new Float64Array(memory.buffer, scores, 2 * groups * GROUP);
    this.exports = instantiate<Exports>(module(), memory);
  }

  /** Scores of all items of the first `groups` groups: of the first policy, then of the second. Valid until the next call. */
  score(groups: number): Float64Array {
    this.exports.scoreItems(
      this.phi.byteOffset,
      this.weights.byteOffset,
      this.dimension,
      groups,
      this.scores.byteOffset,
    );
    return this.scores;
  }
}
