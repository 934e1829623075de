/** Sums of a policy's predictions over all events, each made where it is asked for. */

import type { ModelUnits } from './model-units.js';
import type { ModelSums } from './policy-numbers.js';

export class PredictionSums implements Pick<ModelSums, 'chosen' | 'q' | 'qq'> {
  /** @param sum of a column of the tables of predictions, by its number among them. */
  constructor(
    private readonly origins: ModelUnits['origins'],
    private readonly sum: (table: number) => bigint,
  ) {}

  get chosen(): bigint {
    return this.sum(0);
  }

  get q(): bigint {
    const { prediction, units } = this.origins;
    return (prediction * this.chosen + this.sum(1)) * units;
  }

  get qq(): bigint {
    const { prediction, units } = this.origins;
    const [steps, low, high] = [1, 2, 3].map((table) => this.sum(table));
    const squares = low + (high << 32n);
    return (prediction * prediction * this.chosen + 2n * prediction * steps + squares) * units * units;
  }

  /** Σ over matches of weighted predictions, from those of steps and of weights. */
  weighted(steps: bigint, weights: bigint): bigint {
    const { prediction, units } = this.origins;
    return (prediction * weights + steps) * units;
  }
}
