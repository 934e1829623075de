/**
 * The multiplier bootstrap over blocks (Chernozhukov, Chetverikov & Kato, "Gaussian approximations and multiplier bootstrap for maxima
 * of sums of high-dimensional random vectors", Annals of Statistics 2013): z[p, d] = Σ_b ψ[p, b] ξ[b, d] / s[p] for draws ξ of
 * independent normal numbers, and of each draw the largest over all policies.
 *
 * ψ is rounded to whole numbers of at most 127 and ξ to steps (`multipliers.ts`), so that engines add integers: all find the same
 * numbers to the last bit. [P, D] is never stored.
 */

import { multiplierDeviation, multipliers } from './multipliers.js';
import { scaleOf } from './standing.js';

/** Blocks of a row are filled up to a multiple of this, with zeros. */
export const ROW_MULTIPLE = 8;
/** The largest whole number of a row. */
const MOST = 127;
/** With the sums of 1,024 blocks they stay below 2²⁴, and so exact in f32. */
const MOST_OFFSET = 2 ** 21;

/** What an engine is given. */
export interface DrawProblem {
  /** P */
  readonly rows: number;
  /** Numbers of a row and of a draw, a multiple of {@link ROW_MULTIPLE}. */
  readonly stride: number;
  /** [P][stride] */
  readonly influences: Int8Array;
  /** z = sum · perSum[p], [P] */
  readonly perSum: Float32Array;
  /** A redrawn value is (sum + offset[p]) · spread[p], [P]; but for a number that all have in common. */
  readonly offset: Int32Array;
  readonly spread: Float32Array;
  /** D */
  readonly draws: number;
  /** [D][stride] */
  readonly multipliers: Int8Array;
}

/** Of each draw, [D]. */
export interface DrawMaxima {
  /** max_p |z[p, d]| */
  readonly twoSided: Float32Array;
  /** max_p z[p, d] */
  readonly oneSided: Float32Array;
  /** The row whose redrawn value is the largest; of equal ones the first. */
  readonly best: Uint32Array;
}

/** Draws of a group. */
export const LANES = 8;

/** Σ_b of each row and the draws of a group, [P][8]; valid until the next call. */
export type DrawSums = (group: number) => Int32Array;

/** An engine of draws. */
export interface Drawer {
  maxima(problem: DrawProblem): Promise<DrawMaxima>;
  /** @param rows [P][stride]; sums stay below 2³¹. */
  sums(draws: Draws, rows: Int16Array): DrawSums;
}

/** Draws that all problems of one question share. */
export interface Draws {
  readonly draws: number;
  readonly seed: number;
  readonly blocks: number;
  readonly stride: number;
  /** [D][stride], whole steps */
  readonly multipliers: Int8Array;
}

export function makeDraws(blocks: number, draws: number, seed: number): Draws {
  const stride = Math.ceil(blocks / ROW_MULTIPLE) * ROW_MULTIPLE;
  return { draws, seed, blocks, stride, multipliers: multipliers(blocks, draws, seed, stride) };
}

/**
 * @param influences ψ of each row, [P][B]; none is 0 throughout.
 * @param values of the rows; absent: which redrawn value is the largest is of no interest.
 */
export function drawProblem(
  { draws, stride, multipliers }: Draws,
  influences: readonly Float64Array[],
  values?: readonly number[],
): DrawProblem {
  const rows = influences.length;
  const quantised = new Int8Array(rows * stride);
  const perSum = new Float32Array(rows);
  const offset = new Int32Array(rows);
  const spread = new Float32Array(rows);
  const best = values?.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) ?? 0;
  influences.forEach((influence, p) => {
    const largest = influence.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    let square = 0;
    influence.forEach((value, b) => {
      const whole = Math.round((value / largest) * MOST);
      quantised[p * stride + b] = whole;
      square += whole * whole;
    });
    const deviation = Math.sqrt(square) * multiplierDeviation();
    perSum[p] = 1 / deviation;
    if (values === undefined) return;
    const step = scaleOf(influence) / deviation;
    spread[p] = step;
    // A policy so far behind that this bound is met is never the best of a draw.
    offset[p] = Math.max(-MOST_OFFSET, Math.round((values[p] - best) / step));
  });
  return { rows, stride, influences: quantised, perSum, offset, spread, draws, multipliers };
}

/** Σ_b ψ[b] ξ[b, d] without rounding of ψ, in payoffs. */
export function redrawn({ stride, multipliers }: Draws, influence: Float64Array, draw: number): number {
  let sum = 0;
  for (let b = 0; b < influence.length; b++) sum += influence[b] * multipliers[draw * stride + b];
  return sum / multiplierDeviation();
}

/** What every engine must return, plainly. */
export function referenceMaxima(problem: DrawProblem): DrawMaxima {
  const { rows, stride, influences, perSum, offset, spread, draws, multipliers } = problem;
  const maxima = emptyMaxima(draws);
  for (let d = 0; d < draws; d++) {
    let most = Number.NEGATIVE_INFINITY;
    for (let p = 0; p < rows; p++) {
      let sum = 0;
      for (let b = 0; b < stride; b++) sum += influences[p * stride + b] * multipliers[d * stride + b];
      const z = Math.fround(sum * perSum[p]);
      maxima.twoSided[d] = Math.max(maxima.twoSided[d], Math.abs(z));
      maxima.oneSided[d] = Math.max(maxima.oneSided[d], z);
      const value = Math.fround((sum + offset[p]) * spread[p]);
      if (value > most) [most, maxima.best[d]] = [value, p];
    }
  }
  return maxima;
}

/** Of no row. */
export function emptyMaxima(draws: number): DrawMaxima {
  return {
    twoSided: new Float32Array(draws),
    oneSided: new Float32Array(draws).fill(Number.NEGATIVE_INFINITY),
    best: new Uint32Array(draws),
  };
}
