/** Adds up what the choices of policies come to, block by block. */

import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import type { ChoiceLists } from './choice-lists.js';

export class ChoiceSums {
  /** Of one policy, [B, W]. */
  private readonly sums: Float64Array;

  constructor(
    private readonly lists: ChoiceLists,
    private readonly blocks: number,
  ) {
    this.sums = new Float64Array(blocks * lists.columns.length);
  }

  /** Adds all cells' choices of a policy, `choices[from]` and on, to its statistics. */
  add(cells: number, choices: Uint16Array | Uint32Array, from: number, stats: BlockStatistics, policy: number): void {
    const { arms, starts, block, numbers, columns, summed } = this.lists;
    const { sums } = this;
    const width = columns.length;
    sums.fill(0);
    for (let c = 0; c < cells; c++) {
      const choice = choices[from + c];
      // "No arm" is beyond all of them.
      if (choice >= arms) continue;
      const end = starts[c * arms + choice + 1];
      for (let i = starts[c * arms + choice]; i < end; i++) {
        let at = block[i] * width;
        let number = i * width;
        for (let n = 0; n < summed; n += 2, at += 2, number += 2) {
          sums[at] += numbers[number];
          sums[at + 1] += numbers[number + 1];
        }
        for (let n = summed; n < width; n++, at++, number++) if (numbers[number] > sums[at]) sums[at] = numbers[number];
      }
    }
    columns.forEach((c, n) => {
      if (c !== null) this.store(c < 0 ? stats.matches : stats.columns[c], policy * this.blocks, n);
    });
  }

  /** Puts column n into those of the statistics. */
  private store(column: Float64Array, at: number, n: number): void {
    const { columns, summed } = this.lists;
    const { sums } = this;
    const width = columns.length;
    if (n < summed) for (let b = 0; b < this.blocks; b++) column[at + b] += sums[b * width + n];
    else for (let b = 0; b < this.blocks; b++) column[at + b] = Math.max(column[at + b], sums[b * width + n]);
  }
}
