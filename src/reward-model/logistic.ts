/**
 * A logistic regression per arm with a ridge, of payoffs scaled to [0, 1] by the payoff range: q̂(x, a) = low + (high − low) σ(x·θ_a).
 * λ is on every column, a constant too, as in the model ridge; an arm without events is predicted in the middle of the range.
 * Every pass over the log is a step of Newton's method for all arms and folds; an event takes part in the fits of all folds but its own.
 */

import type { Archive } from '../archive.js';
import { totalPayoff } from '../estimate/sums/payoff-scale.js';
import { sigmoid } from '../learner/linear/logistic.js';
import type { EventLog } from '../log/event-log.js';
import { plural } from '../words.js';
import { ArmCounts } from './arm-counts.js';
import { NonZeros, regressors, tooLarge } from './contexts.js';
import type { Predictions, RewardModel, RewardModelDescription } from './contract.js';
import { checkArmSums } from './fold-sums.js';
import { type Folds, notCrossFitted } from './folds.js';
import { LogisticFits, OverflowingColumn } from './logistic-fits.js';
import { mostRows, PER_EVENT, predictionRows } from './prediction-rows.js';
import { droppedColumns } from './ridge.js';
import { scorePerArm } from './score-per-arm.js';

export const MOST_PASSES = 50;

export class LogisticModel implements RewardModel {
  fitted = false;
  readonly held: number;
  readonly perEvent = PER_EVENT;
  readonly rows: number;
  private readonly arms: number;
  private readonly dimension: number;
  private readonly fits: LogisticFits;
  private readonly counts: ArmCounts;
  private passes = 0;
  /** θ, [F, d, K], once it is fitted. */
  private theta = new Float64Array(0);

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
    const fits = folds.count * this.arms;
    const numbers = LogisticFits.size(dimension) + 3 * dimension;
    checkArmSums([folds.count, this.arms, numbers], dimension, memory);
    this.fits = new LogisticFits(fits, dimension, lambda);
    this.counts = new ArmCounts(head, folds.count);
    this.held = 8 * fits * (numbers + dimension + 4);
    this.rows = mostRows(row, rows, folds.count);
  }

  add(batch: EventLog): void {
    const { dimension, arms, fits, folds } = this;
    const { values, row } = regressors(batch);
    const { scale, steps } = batch.payoff;
    const range = scale.high - scale.low;
    const first = this.passes === 0;
    const fold = first ? folds.add(batch) : folds.of(batch);
    if (first) this.counts.add(batch, fold);
    const x = new NonZeros(dimension);
    for (let t = 0; t < batch.events; t++) {
      x.read(values, (row === null ? t : row[t]) * dimension);
      const payoff = range === 0 ? 0 : (totalPayoff(scale, 1, steps[t]) - scale.low) / range;
      const arm = batch.arm[t];
      for (let f = 0; f < folds.count; f++) if (f !== fold[t] || folds.count === 1) fits.add(f * arms + arm, x, payoff);
    }
  }

  endPass(): boolean {
    const { folds, head } = this;
    if (this.passes === 0) folds.check();
    this.passes++;
    let open: boolean;
    try {
      open = this.fits.endPass();
    } catch (error) {
      throw error instanceof OverflowingColumn ? tooLarge(regressors(head).columns[error.column]) : error;
    }
    if (open && this.passes < MOST_PASSES) return true;
    this.theta = this.byColumn();
    this.fits.finish();
    this.fitted = true;
    return false;
  }

  /** θ of the fits, [F, K, d], as [F, d, K]. */
  private byColumn(): Float64Array<ArrayBuffer> {
    const { dimension, arms, folds, fits } = this;
    const out = new Float64Array(fits.theta.length);
    for (let f = 0, from = 0; f < folds.count; f++)
      for (let a = 0; a < arms; a++)
        for (let j = 0; j < dimension; j++) out[(f * dimension + j) * arms + a] = fits.theta[from++];
    return out;
  }

  predict(batch: EventLog): Predictions {
    if (!this.fitted) throw new RangeError('the reward model is not fitted yet');
    const { low, high } = this.head.payoff.scale;
    const contexts = regressors(batch);
    const fold = this.folds.of(batch);
    const { rows, row, event } = predictionRows(contexts.row, contexts.rows, fold, this.folds.count);
    const values = scorePerArm(contexts, { rows, row, event }, fold, this.theta, this.arms);
    for (let i = 0; i < values.length; i++) values[i] = low + (high - low) * sigmoid(values[i]);
    return { values, rows, row };
  }

  get description(): RewardModelDescription {
    return {
      name: 'logistic',
      parameters: { lambda: this.lambda, contextColumns: this.head.contexts.dimension },
      folds: this.folds.description,
      crossFitted: this.folds.count > 1,
      passes: this.passes,
    };
  }

  warnings(): string[] {
    const { folds, fits, head } = this;
    const { unfinished, dropped } = fits;
    return [
      ...(folds.count === 1 ? [notCrossFitted()] : []),
      ...(head.contexts.dimension === 0
        ? ['the log has no context, so the reward model logistic predicts one payoff per arm']
        : []),
      ...this.counts.warnings('the middle of the payoff range, whatever the context'),
      ...(unfinished > 0
        ? [
            `${plural(unfinished, 'fit')} of the reward model, of ${folds.count * this.arms}, ${unfinished === 1 ? 'has' : 'have'} not converged after ${plural(this.passes, 'pass', 'passes')} over the log: take a larger --ridge (in code: ridge), or columns of like sizes`,
          ]
        : []),
      ...(dropped > 0 ? [droppedColumns(dropped)] : []),
    ];
  }

  carry(archive: Archive): void {
    this.fitted = archive.flag(this.fitted);
    this.passes = archive.number(this.passes);
    this.folds.carry(archive);
    this.counts.carry(archive);
    this.fits.carry(archive);
    this.theta = archive.list(this.theta);
  }
}
