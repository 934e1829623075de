/** Users and keys of several files: the union of their levels, sorted as readers sort. */

import { u32Column } from '../../log/build/memory.js';
import { sortIds } from '../../names/order.js';
import { type Codes, simplified } from '../recoding.js';

export class LevelMerger {
  private readonly numbers = new Map<string, number>();
  private readonly codes: Uint32Array[] = [];

  /** The next file's levels. */
  add(levels: readonly string[]): void {
    const { numbers } = this;
    const codes = u32Column(levels.length);
    for (const [i, level] of levels.entries()) {
      let number = numbers.get(level);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(level, number);
      }
      codes[i] = number;
    }
    this.codes.push(codes);
  }

  /** The levels, and what the codes of each file become. */
  finish(): { levels: string[]; codes: Codes[] } {
    const { numbers } = this;
    const levels = sortIds([...numbers.keys()]);
    const rank = new Uint32Array(levels.length);
    for (const [i, level] of levels.entries()) rank[numbers.get(level) ?? 0] = i;
    const codes = this.codes.map((one) => simplified(one.map((number) => rank[number])));
    return { levels, codes };
  }
}
