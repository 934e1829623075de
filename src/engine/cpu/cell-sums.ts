/**
 * What a choice at a cell is worth in a block: sums of columns and tables for every (block, cell, arm), so that a policy's statistics
 * are looked up where it chooses and nothing need be compared. Worth its memory where most arms were logged in most cells.
 */

import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import { sharedNumbers } from '../shared.js';
import type { Worklist } from '../worklist.js';

export interface CellSums {
  /** Block b has rows `starts[b] .. starts[b+1])`, one for each of its cells. */
  readonly starts: Float64Array;
  /** Cell of each row, [R]. */
  readonly cell: Uint32Array;
  /** K: arms (or feature rows) of all entries are below it. */
  readonly arms: number;
  /** W: events, and columns. */
  readonly width: number;
  /** Events, then what each column comes to, [R, K + 1, W]; all zeros for arms without an entry, and for arm K. */
  readonly sums: Float64Array;
}

/** Places over entries from which comparing is better. */
const SPARSE = 8;

/** The sums of folded entries; `null` where there are no such entries, or too few of them. */
export function cellSums({ entries, cells }: Worklist): CellSums | null {
  const { count, starts, arm, cell, folded, columns } = entries;
  if (folded === null || cell === null || count === 0) return null;
  const arms = arm.reduce((most, a) => Math.max(most, a), 0) + 1;
  const rowOf = new Int32Array(cells).fill(-1);
  const rowStarts = new Float64Array(starts.length);
  const rows: number[] = [];
  const entryRow = new Uint32Array(count);
  for (let b = 0; b + 1 < starts.length; b++) {
    for (let i = starts[b]; i < starts[b + 1]; i++) {
      const c = cell[i];
      if (rowOf[c] < rowStarts[b]) rowOf[c] = rows.push(c) - 1;
      entryRow[i] = rowOf[c];
    }
    rowStarts[b + 1] = rows.length;
  }
  if (rows.length * (arms + 1) > count * SPARSE) return null;
  const width = 1 + columns;
  const sums = sharedNumbers(rows.length * (arms + 1) * width);
  for (let i = 0; i < count; i++) {
    const at = (entryRow[i] * (arms + 1) + arm[i]) * width;
    for (let c = 0; c < width; c++) sums[at + c] = folded[i * width + c];
  }
  return { starts: rowStarts, cell: Uint32Array.from(rows), arms, width, sums };
}

/** Adds what the choices of some policies come to: row by row, so that a row stays in the first-level cache for all of them. */
export class ChoiceSums {
  private policies = 0;
  /** Where each policy's choice lies in a row, [C, P]. */
  private places = new Uint32Array(0);
  /** What one column, and another, comes to, [P] each. */
  private one = new Float64Array(0);
  private other = new Float64Array(0);

  constructor(private readonly cellSums: CellSums) {}

  /** Takes choices of policies at all cells, policy p's from `choices[first + p * stride]` on. */
  load(policies: number, cells: number, choices: Uint16Array | Uint32Array, first: number, stride: number): void {
    const { arms, width } = this.cellSums;
    if (this.places.length < policies * cells) this.places = new Uint32Array(policies * cells);
    if (this.one.length < policies) [this.one, this.other] = [new Float64Array(policies), new Float64Array(policies)];
    this.policies = policies;
    for (let p = 0; p < policies; p++) {
      for (let c = 0, at = first + p * stride; c < cells; c++, at++) {
        // "No arm" is beyond all of them.
        this.places[c * policies + p] = Math.min(choices[at], arms) * width;
      }
    }
  }

  /** Adds block b to the statistics of policies `first`, `first + 1`, …. */
  add(b: number, stats: BlockStatistics, first: number): void {
    const columns = [stats.matches, ...stats.columns];
    const numbers = Array.from(columns.keys());
    const isMaximum = (c: number): boolean => c > 0 && stats.kinds[c - 1].reduce === 'max';
    const sums = numbers.filter((c) => !isMaximum(c));
    const store = (c: number, values: Float64Array): void => {
      for (let p = 0; p < this.policies; p++) {
        const at = (first + p) * stats.blocks + b;
        columns[c][at] = isMaximum(c) ? Math.max(columns[c][at], values[p]) : columns[c][at] + values[p];
      }
    };
    for (let n = 0; n < sums.length; n += 2) {
      const [c, next] = [sums[n], sums[n + 1]];
      // Two at a time take hardly longer than one.
      this.addUp(b, c, next ?? c);
      store(c, this.one);
      if (next !== undefined) store(next, this.other);
    }
    for (const c of numbers.filter(isMaximum)) {
      this.findMost(b, c);
      store(c, this.one);
    }
  }

  private addUp(b: number, c: number, next: number): void {
    const { places, one, other, policies } = this;
    const { starts, cell, arms, width, sums } = this.cellSums;
    one.fill(0);
    other.fill(0);
    for (let r = starts[b]; r < starts[b + 1]; r++) {
      const row = r * (arms + 1) * width;
      const from = cell[r] * policies;
      for (let p = 0; p < policies; p++) {
        const place = row + places[from + p];
        one[p] += sums[place + c];
        other[p] += sums[place + next];
      }
    }
  }

  private findMost(b: number, c: number): void {
    const { places, one, policies } = this;
    const { starts, cell, arms, width, sums } = this.cellSums;
    one.fill(0);
    for (let r = starts[b]; r < starts[b + 1]; r++) {
      const row = r * (arms + 1) * width + c;
      for (let p = 0; p < policies; p++) one[p] = Math.max(one[p], sums[row + places[cell[r] * policies + p]]);
    }
  }
}
