/** ψ of each block: how far it moves a policy's value. */

import type { EstimatorSummands } from '../estimator-summands.js';
import type { ChosenEstimator } from '../estimators/choose.js';
import type { PolicyNumbers } from '../policy-numbers.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import { exactSum } from '../sums/whole-numbers.js';
import { scaleOf } from './standing.js';

/** @param numbers of all blocks. @returns [B], in payoffs. */
export function influences(
  summands: EstimatorSummands,
  chosen: ChosenEstimator,
  stats: BlockStatistics,
  policy: number,
  numbers: PolicyNumbers,
): Float64Array {
  const { influence } = chosen.estimator;
  if (influence === undefined) return leftOut(summands, chosen, stats, policy);
  const { blocks, events, matches, columns, kinds } = stats;
  const row = policy * blocks;
  const psi = new Float64Array(blocks);
  const size = new Float64Array(blocks);
  const add = (column: Float64Array, at: number, each: number): void => {
    if (each === 0) return;
    for (let b = 0; b < blocks; b++) {
      const part = each * column[at + b];
      psi[b] += part;
      size[b] += Math.abs(part);
    }
  };
  // It is linear in what is added up over a block, so that the part of each column is found once for all blocks.
  const perUnit = (of: Float64Array | null): number => {
    const one = (column: Float64Array): bigint => (column === of ? 1n : 0n);
    return influence(numbers, summands.numbers(stats, chosen.rule, one, of === null ? 1n : 0n));
  };
  add(events, 0, perUnit(null));
  const summed = columns.filter((_, c) => kinds[c].reduce === 'sum');
  for (const column of [matches, ...summed]) add(column, row, perUnit(column));
  // Each part is rounded where it is found, multiplied and added: what is no more than that is 0, as of a constant payoff.
  const rounding = (2 * summed.length + 6) * 2 ** -53;
  return scaleOf(psi) <= rounding * scaleOf(size) ? psi.fill(0) : psi;
}

/** By how much the value falls without the block, about its mean (the jackknife): of what has no formula for it. */
function leftOut(
  summands: EstimatorSummands,
  { estimator, rule }: ChosenEstimator,
  stats: BlockStatistics,
  policy: number,
): Float64Array {
  const { blocks, events } = stats;
  const row = policy * blocks;
  const without = Float64Array.from({ length: blocks }, (_, b) => {
    const but = (column: Float64Array, at: number): bigint =>
      exactSum(column, at, at + blocks) - exactSum(column, at + b, at + b + 1);
    const numbers = summands.numbers(stats, rule, (column) => but(column, row), but(events, 0));
    return estimator.value(numbers) ?? Number.NaN;
  });
  const mean = without.reduce((sum, value) => sum + value, 0) / blocks;
  // A value that hangs on one block has no error that blocks could tell of.
  if (Number.isNaN(mean)) return new Float64Array(blocks);
  return without.map((value) => ((blocks - 1) / blocks) * (mean - value));
}
