/** What statements about many policies at once go by, of one policy (or of the log itself). */

import type { Interval } from '../interval/method.js';

export interface Standing {
  /** `null`: nothing is known of the policy. */
  readonly value: number | null;
  /** ψ of each block, [B], in payoffs: how far the block moves the value. Σ ψ = 0. */
  readonly influence: Float64Array;
  /** √Σ ψ²; 0: no match, or all of them paid alike, so that blocks tell of no error. */
  readonly scale: number;
  /** Effective Clopper-Pearson interval, each end exceeded with probability δ/2; in payoffs, within their range. */
  readonly bounds: (delta: number) => Interval;
  /** Of the variance that bounds go by: one less than the blocks it is between; `null`: it is between events. */
  readonly degrees: number | null;
}

/** Fewer blocks cannot tell how often the largest of many values errs: Bonferroni's inequality can, and nothing is redrawn. */
export const FEW_BLOCKS = 30;

/** Most blocks of a standing: sums over them are exact in f32. */
export const MOST_BLOCKS = 1024;

/** Influences of blocks, neighbours put together where there are very many. */
export function gathered(influence: Float64Array): Float64Array {
  const blocks = influence.length;
  if (blocks <= MOST_BLOCKS) return influence;
  const sums = new Float64Array(MOST_BLOCKS);
  influence.forEach((value, b) => {
    sums[Math.floor((b * MOST_BLOCKS) / blocks)] += value;
  });
  return sums;
}

/** √Σ ψ² */
export function scaleOf(influence: Float64Array): number {
  return Math.sqrt(dot(influence, influence));
}

/** Σ_b a[b] · b[b] */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** a − b, block by block. */
export function minus(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value - b[i]);
}
