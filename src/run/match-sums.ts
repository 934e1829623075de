/** Exact sums over the entries at which a policy matches: T, Σ k and Σ k² of a block. */

import { type BlockStatistics, LIMB } from '../estimate/block-statistics.js';
import { type Entries, squareLimbs } from './worklist.js';

/** Exact sums over matching entries. */
export class MatchSums {
  matches = 0;
  payoff = 0;
  squareHigh = 0;
  squareLow = 0;

  constructor(private readonly entries: Entries) {}

  add(i: number): void {
    const { folded, steps } = this.entries;
    if (folded !== null) {
      this.matches += folded.events[i];
      this.payoff += folded.payoff[i];
      if (folded.squareLow !== null && folded.squareHigh !== null)
        this.addSquare(folded.squareHigh[i], folded.squareLow[i]);
      return;
    }
    const k = steps === null ? 0 : steps[i];
    this.matches++;
    this.payoff += k;
    if (k > 1) {
      const square = squareLimbs(k);
      this.addSquare(square.high, square.low);
    } else this.addSquare(0, k);
  }

  private addSquare(high: number, low: number): void {
    this.squareLow += low;
    this.squareHigh += high;
    if (this.squareLow >= LIMB) {
      this.squareLow -= LIMB;
      this.squareHigh++;
    }
  }

  store(stats: BlockStatistics, at: number): void {
    stats.matches[at] += this.matches;
    stats.payoff[at] += this.payoff;
    if (stats.squareLow === null || stats.squareHigh === null) return;
    const low = stats.squareLow[at] + this.squareLow;
    const carry = low >= LIMB ? 1 : 0;
    stats.squareLow[at] = low - carry * LIMB;
    stats.squareHigh[at] += this.squareHigh + carry;
  }
}

/** Adds one match with payoff `k` steps to cell `at` of statistics. */
export function addMatch(stats: BlockStatistics, at: number, k: number): void {
  stats.matches[at]++;
  stats.payoff[at] += k;
  if (stats.squareLow === null || stats.squareHigh === null) return;
  const { high, low } = squareLimbs(k);
  const sum = stats.squareLow[at] + low;
  const carry = sum >= LIMB ? 1 : 0;
  stats.squareLow[at] = sum - carry * LIMB;
  stats.squareHigh[at] += high + carry;
}
