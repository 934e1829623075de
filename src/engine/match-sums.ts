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
  private readonly tables: readonly Uint32Array[];
  /** Rows of the tables, where all have the same, and nothing but sums is asked for. */
  private readonly commonRows: Uint32Array | null;

  constructor({ entries, kinds, gathered }: Pick<Worklist, 'entries' | 'kinds' | 'gathered'>) {
    this.gathered = gathered;
    this.tables = gathered?.tables.map(({ words }) => words) ?? [];
    const rows = gathered?.rows ?? [];
    const sums = gathered?.tables.every(({ reduce, arms }) => reduce === 'sum' && arms === gathered.tables[0].arms);
    this.commonRows = sums && rows.every((row) => row === rows[0]) ? rows[0] : null;
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

  /** Adds what tables have for a choice at entry i. */
  gather(i: number, choice: number): void {
    if (this.gathered === null) return;
    const { tables, rows, armOf } = this.gathered;
    const arm = armOf === null ? choice : armOf[choice];
    const first = this.words.length;
    const { commonRows, columns } = this;
    if (commonRows !== null) {
      const at = commonRows[i] * tables[0].arms + arm;
      for (let n = 0; n < this.tables.length; n++) columns[first + n] += this.tables[n][at];
      return;
    }
    for (let n = 0; n < tables.length; n++) this.reduce(first + n, tables[n].words[rows[n][i] * tables[n].arms + arm]);
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
