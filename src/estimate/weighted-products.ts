/** Products that are added up for numbers y with weights w, and what their sums are as estimators see them. */

import type { ModelSums, WeightedSums } from './policy-numbers.js';
import type { PredictionSums } from './prediction-sums.js';
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

/** Sums of y = (origin + factor · k) units from those of k, each made where it is asked for: most estimators ask for few. */
export class MatchSums implements WeightedSums {
  readonly one: bigint;
  readonly inPayoffs = (n: bigint, d: bigint): number => inPayoffs(this.units, n, d);
  private readonly moved: bigint;
  /** Those that were made, of k. */
  private readonly made = new Map<Product, bigint>();

  constructor(
    private readonly stats: BlockStatistics,
    private readonly sumOf: ColumnSum,
    { exponent }: Pick<FixedPoint, 'exponent'>,
    private readonly products: WeightedProducts,
    protected readonly units: PayoffUnits,
  ) {
    // Steps of 2^exponent, which for the largest of weights may be above 1.
    this.one = 1n << BigInt(Math.max(0, -exponent));
    this.moved = BigInt(Math.max(0, exponent));
  }

  get w(): bigint {
    return this.sum(this.products.w);
  }

  get wy(): bigint {
    return this.first(this.w, this.products.wy);
  }

  get wyy(): bigint {
    return this.second(this.w, this.products.wy, this.products.wyy);
  }

  get ww(): bigint {
    return this.sum(this.products.ww, 2n);
  }

  get wwy(): bigint {
    return this.first(this.ww, this.products.wwy, 2n);
  }

  get wwyy(): bigint {
    return this.second(this.ww, this.products.wwy, this.products.wwyy, 2n);
  }

  get cw(): bigint {
    return this.w;
  }

  get cwy(): bigint {
    return this.wy;
  }

  /** @param weights how many of them are factors. */
  protected sum(product: Product, weights = 1n): bigint {
    let sum = this.made.get(product);
    if (sum === undefined) {
      sum = productSum(product, this.stats, this.sumOf) << (weights * this.moved);
      this.made.set(product, sum);
    }
    return sum;
  }

  private first(none: bigint, first: Product, weights = 1n): bigint {
    const { origin, factor } = this.units;
    return origin * none + factor * this.sum(first, weights);
  }

  private second(none: bigint, first: Product, second: Product, weights = 1n): bigint {
    const { origin, factor } = this.units;
    const crossed = 2n * origin * factor * this.sum(first, weights);
    return origin * origin * none + crossed + factor * factor * this.sum(second, weights);
  }
}

/** Of residuals as y, and of predictions. */
export class ResidualSums extends MatchSums implements ModelSums {
  constructor(
    stats: BlockStatistics,
    sumOf: ColumnSum,
    fixed: Pick<FixedPoint, 'exponent'>,
    private readonly model: ModelProducts,
    units: PayoffUnits,
    private readonly predictions: PredictionSums,
  ) {
    super(stats, sumOf, fixed, model, units);
  }

  get chosen(): bigint {
    return this.predictions.chosen;
  }

  get q(): bigint {
    return this.predictions.q;
  }

  get cq(): bigint {
    return this.predictions.q;
  }

  get qq(): bigint {
    return this.predictions.qq;
  }

  get wq(): bigint {
    return this.predictions.weighted(this.sum(this.model.wq), this.w);
  }

  get wqe(): bigint {
    const { origin } = this.units;
    return this.predictions.weighted(origin * this.sum(this.model.wq) + this.sum(this.model.wqy), this.wy);
  }
}
