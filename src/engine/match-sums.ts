/** Exact sums over the entries at which a policy matches: how many events, and what each match column comes to. */

import type { BlockStatistics } from '../estimate/sums/block-statistics.js';
import type { Gathered, Worklist } from './worklist.js';

export class MatchSums {
  private matches = 0;
  private readonly columns: Float64Array;
  private readonly words: readonly Uint32Array[];
  private readonly folded: Float64Array | null;
  private readonly isMaximum: readonly boolean[];

  private readonly gathered: Gathered | null;
  /** Where tables have a choice. */
  private offsets = new Uint32Array(0);

  constructor({ entries, kinds, gathered }: Pick<Worklist, 'entries' | 'kinds' | 'gathered'>) {
    this.gathered = gathered;
    this.words = entries.words ?? [];
    this.folded = entries.folded;
    this.isMaximum = kinds.map(({ reduce }) => reduce === 'max');
    this.columns = new Float64Array(kinds.length);
  }

  /** Adds entry i. */
  add(i: number): void {
    const { columns, words, folded } = this;
    if (folded === null) {
      this.matches++;
      for (let c = 0; c < words.length; c++) this.reduce(c, words[c][i]);
      return;
    }
    const at = i * (columns.length + 1);
    this.matches += folded[at];
    for (let c = 0; c < columns.length; c++) this.reduce(c, folded[at + 1 + c]);
  }

  /** Adds entries that are events, column by column. @param count of them. */
  addEvents(entries: Uint32Array, count: number): void {
    const { columns, words, isMaximum } = this;
    this.matches += count;
    for (let c = 0; c < words.length; c++) {
      const column = words[c];
      let reduced = columns[c];
      if (isMaximum[c]) for (let i = 0; i < count; i++) reduced = Math.max(reduced, column[entries[i]]);
      else for (let i = 0; i < count; i++) reduced += column[entries[i]];
      columns[c] = reduced;
    }
  }

  /** Adds what tables have for choices, entry by entry. @param count of them. */
  gather(entries: Uint32Array, choices: Uint32Array, count: number): void {
    if (this.gathered === null) return;
    const { tables, armOf } = this.gathered;
    if (this.offsets.length < count) this.offsets = new Uint32Array(count);
    const { offsets, columns, isMaximum } = this;
    for (const { words, stride, rows, arms, columns: own } of tables) {
      for (let i = 0; i < count; i++) {
        const arm = armOf === null ? choices[i] : armOf[choices[i]];
        offsets[i] = (rows[entries[i]] * arms + arm) * stride;
      }
      own.forEach((c, n) => {
        const table = words[n];
        let [reduced, other] = [columns[c], 0];
        if (isMaximum[c]) for (let i = 0; i < count; i++) reduced = Math.max(reduced, table[offsets[i]]);
        else {
          // Two sums: none waits for the other.
          let i = 0;
          for (; i + 1 < count; i += 2) {
            reduced += table[offsets[i]];
            other += table[offsets[i + 1]];
          }
          if (i < count) other += table[offsets[i]];
        }
        columns[c] = reduced + other;
      });
    }
  }

  /** Adds to the sum of a column. */
  addTotal(c: number, total: number): void {
    this.columns[c] += total;
  }

  private reduce(c: number, value: number): void {
    const { columns } = this;
    if (!this.isMaximum[c]) columns[c] += value;
    else if (value > columns[c]) columns[c] = value;
  }

  /** Puts what was added since the last call into the statistics at `at`. */
  store(stats: BlockStatistics, at: number): void {
    stats.matches[at] += this.matches;
    stats.columns.forEach((column, c) => {
      column[at] = this.isMaximum[c] ? Math.max(column[at], this.columns[c]) : column[at] + this.columns[c];
    });
    this.matches = 0;
    this.columns.fill(0);
  }
}
