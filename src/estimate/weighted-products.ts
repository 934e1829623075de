/** Products that are added up for numbers y with weights w, and what their sums are as estimators see them. */

import type { WeightedSums } from './policy-numbers.js';
import type { BlockStatistics } from './sums/block-statistics.js';
import type { FixedPoint } from './sums/fixed-point.js';
import { inPayoffs, type PayoffUnits } from './sums/payoff-units.js';
import { type ColumnSum, type Factor, type Product, type Products, productSum } from './sums/products.js';

/** Σ over matches of each, for numbers y with weights w. */
export interface WeightedProducts {
  readonly w: Product;
  readonly ww: Product;
  readonly wy: Product;
  readonly wyy: Product;
  readonly wwy: Product;
  readonly wwyy: Product;
}

/** And where y is what a model leaves. */
export interface ModelProducts extends WeightedProducts {
  readonly wq: Product;
  readonly wqy: Product;
}

/** Asks for all of them. */
export function weightedProducts(products: Products, w: Factor, y: Factor): WeightedProducts {
  return {
    w: products.add(w),
    ww: products.add(w, w),
    wy: products.add(w, y),
    wyy: products.add(w, y, y),
    wwy: products.add(w, w, y),
    wwyy: products.add(w, w, y, y),
  };
}

/** Sums of y = (origin + factor · k) units from those of k. */
export function weightedSums(
  stats: BlockStatistics,
  sumOf: ColumnSum,
  { exponent }: Pick<FixedPoint, 'exponent'>,
  products: WeightedProducts,
  units: PayoffUnits,
): WeightedSums {
  const { origin, factor } = units;
  // Steps of 2^exponent, which for the largest of weights may be above 1.
  const [one, moved] = [1n << BigInt(Math.max(0, -exponent)), BigInt(Math.max(0, exponent))];
  const sum = (product: Product, times: bigint): bigint => productSum(product, stats, sumOf) << (times * moved);
  const of = (none: bigint, first: bigint, second: bigint): [bigint, bigint, bigint] => [
    none,
    origin * none + factor * first,
    origin * origin * none + 2n * origin * factor * first + factor * factor * second,
  ];
  const [w, wy, wyy] = of(sum(products.w, 1n), sum(products.wy, 1n), sum(products.wyy, 1n));
  const [ww, wwy, wwyy] = of(sum(products.ww, 2n), sum(products.wwy, 2n), sum(products.wwyy, 2n));
  const payoffs = (n: bigint, d: bigint): number => inPayoffs(units, n, d);
  return { w, wy, wyy, ww, wwy, wwyy, cw: w, cwy: wy, one, inPayoffs: payoffs };
}
