/**
 * Choices of scored policies at cells that many events share, in f32 with the screen's proved error bound; the doubtful ones
 * are left to the reference.
 */

import { LARGEST_NORM, roundUp } from '../../policy/linear/kernel.js';
import type { Screen } from '../../policy/screen.js';
import { DOUBTFUL_SHARE, groupQuads, packBounds, packContexts, type QuadOrder, WORTH_GROUPING } from './quads.js';
import { ChooseKernel } from './wasm/choose.js';

export class ScreenChooser {
  private readonly kernel: ChooseKernel;
  private order: QuadOrder = { runs: [], slots: new Int32Array(0), quads: 0 };
  private largestNorm = 0;
  private eventOf: (i: number) => number = (i) => i;

  /** @param chunk most cells at a time. */
  constructor(
    private readonly screen: Screen,
    chunk: number,
  ) {
    const { rows, dimension } = screen;
    const quads = Math.ceil((chunk / 4) * WORTH_GROUPING) + 1;
    this.kernel = new ChooseKernel({ rows, dimension, quads, doubtful: Math.ceil(chunk / DOUBTFUL_SHARE) });
  }

  /** Packs `count` cells, grouped by pool; false where the groups are too small for that. @param eventOf an event of each. */
  load(count: number, eventOf: (i: number) => number): boolean {
    const { kernel, screen } = this;
    const { pool } = screen.pools;
    const order = groupQuads(count, (i) => (pool === null ? 0 : pool[eventOf(i)]));
    if (order.quads > (count / 4) * WORTH_GROUPING + 1) return false;
    this.order = order;
    this.eventOf = eventOf;
    packContexts(screen, order, eventOf, kernel.y);
    this.largestNorm = packBounds(screen, order, eventOf, kernel);
    return true;
  }

  /** Writes the rows that policy p chooses to `out`, cell i at `out[at + i]`; false where f32 cannot tell. */
  choose(p: number, out: Uint32Array, at: number): boolean {
    const { kernel, screen, order } = this;
    const { offsets, arms } = screen.pools;
    const norm = screen.norm(p);
    // Zeros tie everywhere; beyond the largest norm f32 might overflow.
    if (norm === 0 || norm > LARGEST_NORM || this.largestNorm > LARGEST_NORM) return false;
    kernel.weights.set(screen.weights(p));
    const bound = { norm: roundUp(norm), slack: screen.slack(this.largestNorm, norm) };
    let doubts = 0;
    for (const { key, from, to } of order.runs) {
      kernel.list.set(arms.subarray(offsets[key], offsets[key + 1]));
      doubts = kernel.choose(from, to, offsets[key + 1] - offsets[key], bound, doubts);
      if (doubts < 0) return false;
    }
    for (let s = 0; s < order.slots.length; s++) if (order.slots[s] >= 0) out[at + order.slots[s]] = kernel.choices[s];
    for (let i = 0; i < doubts; i++) {
      const position = order.slots[kernel.doubtful[i]];
      out[at + position] = screen.choice(p, this.eventOf(position));
    }
    return true;
  }
}
