/**
 * The gamma interval of a weighted sum of Poisson counts (Fay & Feuer, Statistics in Medicine 1997): the upper limit is that of one
 * more event of the largest weight, so that it holds where few events paid, and is wide where one may weigh much.
 */

import jStat from 'jstat';
import { EVERYTHING } from '../method.js';
import type { WeightedBounds } from './moments.js';

/** Quantile of the gamma distribution of this mean and variance. */
function gammaQuantile(p: number, mean: number, variance: number): number {
  if (variance === 0) return mean;
  return jStat.gamma.inv(p, (mean * mean) / variance, variance / mean);
}

export const fayFeuer: WeightedBounds = ({ value, variance, largest }, delta) => {
  if (!(value >= 0) || largest === null) return [...EVERYTHING];
  return [
    value === 0 ? 0 : gammaQuantile(delta / 2, value, variance),
    gammaQuantile(1 - delta / 2, value + largest, variance + largest * largest),
  ];
};
