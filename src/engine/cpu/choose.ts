/** Choices of scored policies at cells that many events share, in f32 where it can prove them. */

import type { Screen } from '../../policy/screen.js';
import { ScreenedQuads } from './screened-quads.js';

export class ScreenChooser {
  private readonly quads: ScreenedQuads;
  private eventOf: (i: number) => number = (i) => i;

  /** @param chunk most cells at a time. */
  constructor(
    private readonly screen: Screen,
    chunk: number,
  ) {
    this.quads = new ScreenedQuads(screen, chunk);
  }

  /** Packs `count` cells, grouped by pool; false where the groups are too small for that. @param eventOf an event of each. */
  load(count: number, eventOf: (i: number) => number): boolean {
    const { pool } = this.screen.pools;
    this.eventOf = eventOf;
    return this.quads.load(count, (i) => (pool === null ? 0 : pool[eventOf(i)]), eventOf);
  }

  /** Writes the rows that policy p chooses to `out`, cell i at `out[at + i]`; false where f32 cannot tell. */
  choose(p: number, out: Uint32Array, at: number): boolean {
    const { kernel, order } = this.quads;
    if (!this.quads.choose(p)) return false;
    const { slots } = order;
    const { choices } = kernel;
    for (let s = 0; s < slots.length; s++) {
      const slot = slots[s];
      if (slot >= 0) out[at + slot] = choices[s];
    }
    for (let i = 0; i < kernel.counts[1]; i++) {
      const position = slots[kernel.doubtful[i]];
      out[at + position] = this.screen.choice(p, this.eventOf(position));
    }
    return true;
  }
}
