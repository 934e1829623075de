/** What decides the trees of a chunk. */

import type { PolicyBound } from '../wasm/screen.js';
import type { TreeChunk } from './plan.js';

export interface ChunkDecider {
  readonly kernel: {
    /** What is added up, [policies][blocks][2 · blockPairs][low word, high word]. */
    readonly sums: Uint32Array;
    /** Of the last policy: doubtful slots, events that were looked at, scores of quads of events, scores of quads of boxes. */
    readonly counts: Uint32Array;
  };
  /** Takes another chunk. */
  load(chunk: TreeChunk): void;
  /**
   * Decides the trees of the chunk for policy p, and adds up what comes of it as the sums of place n.
   *
   * @param flat without looking at boxes, where that can be tried.
   * @returns false where f32 leaves too many in doubt: then the sums are incomplete.
   */
  decide(p: number, n: number, bound: PolicyBound, flat: boolean): boolean;
}
