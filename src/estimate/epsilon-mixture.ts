/**
 * ε-greedy mixtures from the sums of the policies that they mix with uniform draws, where all events have as many candidates: weights
 * are (1 − ε + ε/|A|)/p at a match and ε/(|A| p) elsewhere, and what is elsewhere is all events but the matches. So sums of any ε
 * follow, exactly but for their last step, without another look at the log.
 */

import type { EstimatorSummands } from './estimator-summands.js';
import { type BlockStatistics, emptyBlockStatistics } from './sums/block-statistics.js';
import { type Product, productSum } from './sums/products.js';
import type { WeightedProducts } from './weighted-products.js';
import { NO_OVERLAP_KIND, NO_OVERLAP_STEPS } from './weights/no-overlap.js';
import { bitsOf, floatOf } from './weights/weight-report.js';

/** How often the weight is a factor. */
const POWERS: Readonly<Record<keyof WeightedProducts, 1 | 2>> = { w: 1, wy: 1, wyy: 1, ww: 2, wwy: 2, wwyy: 2 };

/**
 * @param base of the policies that are mixed, columns of `from`.
 * @param all the same columns over all events, [1, B].
 * @returns statistics of the mixtures, columns of `to`.
 */
export function mixtures(
  base: BlockStatistics,
  all: BlockStatistics,
  [from, to]: readonly [from: EstimatorSummands, to: EstimatorSummands],
  epsilon: number,
  candidates: number,
): BlockStatistics {
  const { policies, blocks, events } = base;
  const overlap = from.kinds.length;
  const hasOverlap = base.columns.length > overlap;
  const stats = emptyBlockStatistics(policies, events, [...to.kinds, ...(hasOverlap ? [NO_OVERLAP_KIND] : [])]);
  const [share, whole] = fraction(epsilon);
  // Of a weight, over `divisor`: at a match, and elsewhere.
  const divisor = whole * BigInt(candidates);
  const [match, elsewhere] = [(whole - share) * BigInt(candidates) + share, share];
  const steps = from.fullWeights.exponent - to.fullWeights.exponent;
  const names = Object.keys(POWERS) as (keyof WeightedProducts)[];
  for (let policy = 0; policy < policies; policy++) {
    for (let b = 0; b < blocks; b++) {
      const at = policy * blocks + b;
      stats.matches[at] = events[b];
      for (let c = 0; c < to.replayColumns; c++) stats.columns[c][at] = all.columns[c][b];
      for (const c of [0, 1]) {
        const [own, any] = [base.columns[from.largest + c][at], all.columns[from.largest + c][b]];
        const most = Math.max(
          floatOf(own) * (1 - epsilon + epsilon / candidates),
          (floatOf(any) * epsilon) / candidates,
        );
        stats.columns[to.largest + c][at] = bitsOf(most);
      }
      if (hasOverlap) {
        const [own, any] = [BigInt(base.columns[overlap][at]), BigInt(all.columns[overlap][b])];
        const drawn = ((whole - share) * BigInt(candidates) * own + share * any) * BigInt(NO_OVERLAP_STEPS);
        stats.columns[to.kinds.length][at] = Number(scaled(drawn, divisor, 0));
      }
      for (const name of names) {
        const power = BigInt(POWERS[name]);
        const product = from.fullWeights.products[name];
        const own = productSum(product, base, (column) => BigInt(column[at]));
        const rest = productSum(product, all, (column) => BigInt(column[b])) - own;
        const sum = match ** power * own + elsewhere ** power * rest;
        put(stats, at, to.fullWeights.products[name], scaled(sum, divisor ** power, POWERS[name] * steps));
      }
    }
  }
  return stats;
}

/** x = numerator / denominator, exactly. */
function fraction(x: number): [numerator: bigint, denominator: bigint] {
  let [numerator, power] = [x, 0n];
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    power++;
  }
  return [BigInt(numerator), 1n << power];
}

/** n / d · 2^power, to the nearest whole number. */
function scaled(n: bigint, d: bigint, power: number): bigint {
  const [top, bottom] = power >= 0 ? [n << BigInt(power), d] : [n, d << BigInt(-power)];
  return (2n * top + bottom) / (2n * bottom);
}

function put({ columns }: BlockStatistics, at: number, { at: first, words }: Product, sum: bigint): void {
  for (let word = 0; word < words; word++) {
    // The last word takes what is left: sums are of more bits than their terms.
    const rest = sum >> BigInt(32 * word);
    columns[first + word][at] = Number(word === words - 1 ? rest : rest & 0xffffffffn);
  }
}
