/**
 * A linear regression per arm with a ridge: θ_a = (Σ x xᵀ + λI)⁻¹ Σ x r over the events of arm a, q̂(x, a) = x·θ_a, not clipped to
 * the payoff range. λ is on every column, a constant too. Contexts are as in the log; a log without any has a constant 1.
 *
 * Hoerl and Kennard: Ridge regression. Technometrics 12 (1970).
 */

import type { Archive } from '../archive.js';
import { totalPayoff } from '../estimate/sums/payoff-scale.js';
import { packedSize } from '../learner/linear/packed.js';
import type { EventLog } from '../log/event-log.js';
import { plural } from '../words.js';
import { ArmCounts } from './arm-counts.js';
import { NonZeros, regressors, tooLarge } from './contexts.js';
import type { Predictions, RewardModel, RewardModelDescription } from './contract.js';
import { checkArmSums, withoutEachFold } from './fold-sums.js';
import { type Folds, notCrossFitted } from './folds.js';
import { NormalEquations } from './normal-equations.js';
import { mostRows, PER_EVENT, predictionRows } from './prediction-rows.js';
import { scorePerArm } from './score-per-arm.js';

export class RidgeModel implements RewardModel {
  fitted = false;
  readonly held: number;
  readonly perEvent = PER_EVENT;
  readonly rows: number;
  private readonly arms: number;
  /** d */
  private readonly dimension: number;
  /** Numbers of a group: Σ x xᵀ packed, then Σ x r. */
  private readonly size: number;
  /** [F, K, size], added up event by event; empty once it is fitted. */
  private sums: Float64Array;
  /** θ, [F, d, K]; empty before. */
  private theta = new Float64Array(0);
  private readonly counts: ArmCounts;
  private dropped = 0;

  /** @param memory bytes that the process may take; `null`: no bound. @throws InputError where its sums take too much. */
  constructor(
    private readonly head: EventLog,
    private readonly folds: Folds,
    private readonly lambda: number,
    memory: number | null,
  ) {
    const { dimension, row, rows } = regressors(head);
    this.arms = head.arms.ids.length;
    this.dimension = dimension;
    this.size = packedSize(dimension) + dimension;
    const length = folds.count * this.arms * this.size;
    checkArmSums([folds.count, this.arms, this.size], dimension, memory);
    this.sums = new Float64Array(length);
    this.counts = new ArmCounts(head, folds.count);
    this.held = 8 * (length + folds.count * this.arms * dimension);
    this.rows = mostRows(row, rows, folds.count);
  }

  add(batch: EventLog): void {
    const { sums, dimension, arms, size } = this;
    const { values, row } = regressors(batch);
    const { scale, steps } = batch.payoff;
    const fold = this.folds.add(batch);
    this.counts.add(batch, fold);
    const x = new NonZeros(dimension);
    const { at, value } = x;
    for (let t = 0; t < batch.events; t++) {
      x.read(values, (row === null ? t : row[t]) * dimension);
      const { count } = x;
      const payoff = totalPayoff(scale, 1, steps[t]);
      const from = (fold[t] * arms + batch.arm[t]) * size;
      const right = from + size - dimension;
      for (let i = 0; i < count; i++) {
        const xi = value[i];
        const to = from + packedSize(at[i]);
        if (count === dimension) for (let j = 0; j <= i; j++) sums[to + j] += xi * value[j];
        else for (let j = 0; j <= i; j++) sums[to + at[j]] += xi * value[j];
        sums[right + at[i]] += xi * payoff;
      }
    }
  }

  endPass(): boolean {
    this.folds.check();
    const { arms, dimension, size, lambda, sums } = this;
    const { columns } = regressors(this.head);
    const folds = this.folds.count;
    const equations = new NormalEquations(dimension);
    const theta = new Float64Array(folds * dimension * arms);
    const one = new Float64Array(dimension);
    for (let a = 0; a < arms; a++) {
      withoutEachFold(sums, { folds, groups: arms, size }, a, (f, training) => {
        const bad = equations.solve(training, lambda, one);
        if (bad >= 0) throw tooLarge(columns[bad]);
        for (let j = 0; j < dimension; j++) theta[(f * dimension + j) * arms + a] = one[j];
      });
    }
    this.theta = theta;
    this.sums = new Float64Array(0);
    this.dropped = equations.dropped;
    this.fitted = true;
    return false;
  }

  predict(batch: EventLog): Predictions {
    if (!this.fitted) throw new RangeError('the reward model is not fitted yet');
    const contexts = regressors(batch);
    const fold = this.folds.of(batch);
    const shared = predictionRows(contexts.row, contexts.rows, fold, this.folds.count);
    const values = scorePerArm(contexts, shared, fold, this.theta, this.arms);
    return { values, rows: shared.rows, row: shared.row };
  }

  get description(): RewardModelDescription {
    return {
      name: 'ridge',
      parameters: { lambda: this.lambda, contextColumns: this.head.contexts.dimension },
      folds: this.folds.description,
      crossFitted: this.folds.count > 1,
      passes: 1,
    };
  }

  warnings(): string[] {
    const { head, folds, dropped } = this;
    return [
      ...(folds.count === 1 ? [notCrossFitted()] : []),
      ...(head.contexts.dimension === 0
        ? ['the log has no context, so the reward model ridge predicts one payoff per arm: Σ r / (n + λ)']
        : []),
      ...this.counts.warnings('0, whatever the context'),
      ...(dropped > 0 ? [droppedColumns(dropped)] : []),
    ];
  }

  carry(archive: Archive): void {
    this.fitted = archive.flag(this.fitted);
    this.folds.carry(archive);
    this.counts.carry(archive);
    this.dropped = archive.number(this.dropped);
    this.sums = archive.list(this.sums);
    this.theta = archive.list(this.theta);
  }
}

/** About context columns that follow from others, over all regressions. */
export function droppedColumns(dropped: number): string {
  return `in the reward model's regressions, ${plural(dropped, 'time')} a context column follows from others as far as numbers of 53 bits can tell, and was left out there: predictions in contexts unlike those of the log's events are not to be relied on; leave out columns that are copies or sums of others, or take a larger --ridge (in code: ridge)`;
}
