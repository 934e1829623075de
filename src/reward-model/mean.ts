/**
 * The shrunk mean payoff of each arm, whatever the context: in payoffs scaled to [0, 1],
 *
 *     q̂(a) = (Σ r + 1) / (n + 200)
 *
 * over the n events of arm a, as if 200 events that earned 1 together came before them. Of clicks that is a prior of half a per
 * cent; payoffs in [low, high] are scaled to [0, 1] by that range and q̂ back, so that an arm without events is predicted to earn
 * half a per cent of the range above `low`.
 */

import type { Archive } from '../archive.js';
import { totalPayoff } from '../estimate/sums/payoff-scale.js';
import type { EventLog } from '../log/event-log.js';
import type { Predictions, RewardModel, RewardModelDescription } from './contract.js';
import { type Folds, notCrossFitted } from './folds.js';

const PRIOR_PAYOFF = 1;
const PRIOR_EVENTS = 200;

export class MeanModel implements RewardModel {
  fitted = false;
  readonly held: number;
  readonly perEvent = 4;
  readonly rows: number;
  private readonly arms: number;
  /** Events and payoff steps of each fold and arm, [F, K]. */
  private readonly counts: Float64Array;
  private readonly steps: Float64Array;
  /** q̂, [F, K], once it is fitted. */
  private readonly values: Float64Array;

  constructor(
    private readonly head: EventLog,
    private readonly folds: Folds,
  ) {
    this.arms = head.arms.ids.length;
    this.counts = new Float64Array(folds.count * this.arms);
    this.steps = new Float64Array(folds.count * this.arms);
    this.values = new Float64Array(folds.count * this.arms);
    this.held = 3 * this.counts.byteLength;
    this.rows = folds.count;
  }

  add(batch: EventLog): void {
    const { counts, steps, arms } = this;
    const fold = this.folds.add(batch);
    for (let t = 0; t < batch.events; t++) {
      const at = fold[t] * arms + batch.arm[t];
      counts[at]++;
      steps[at] += batch.payoff.steps[t];
    }
  }

  endPass(): boolean {
    this.folds.check();
    for (let f = 0; f < this.folds.count; f++)
      for (let a = 0; a < this.arms; a++) this.values[f * this.arms + a] = this.mean(f, a);
    this.fitted = true;
    return false;
  }

  /** q̂ of an arm for the events of a fold. */
  private mean(fold: number, arm: number): number {
    const { scale } = this.head.payoff;
    let [n, steps] = [0, 0];
    for (let f = 0; f < this.folds.count; f++) {
      if (f === fold && this.folds.count > 1) continue;
      n += this.counts[f * this.arms + arm];
      steps += this.steps[f * this.arms + arm];
    }
    const { low, high } = scale;
    if (high === low) return low;
    const scaled = (totalPayoff(scale, n, steps) - n * low) / (high - low);
    return low + ((scaled + PRIOR_PAYOFF) / (n + PRIOR_EVENTS)) * (high - low);
  }

  predict(batch: EventLog): Predictions {
    if (!this.fitted) throw new RangeError('the reward model is not fitted yet');
    return { values: this.values, rows: this.folds.count, row: this.folds.of(batch) };
  }

  get description(): RewardModelDescription {
    return {
      name: 'mean',
      parameters: { priorPayoff: PRIOR_PAYOFF, priorEvents: PRIOR_EVENTS },
      folds: this.folds.description,
      crossFitted: this.folds.count > 1,
      passes: 1,
    };
  }

  warnings(): string[] {
    return this.folds.count === 1 ? [notCrossFitted()] : [];
  }

  carry(archive: Archive): void {
    this.folds.carry(archive);
    archive.array(this.counts);
    archive.array(this.steps);
    archive.array(this.values);
    this.fitted = archive.flag(this.fitted);
  }
}
