/**
 * One linear regression with a ridge for all arms, on φ(x, z) of the context x and the features z that the logged arm was shown with:
 * θ = (Σ φ φᵀ + λI)⁻¹ Σ φ r, q̂(x, a) = φ(x, z_a)·θ. φ is that of joint-linear policies (`JOINT_FEATURES`). Arms that were seldom
 * logged, or never, are predicted by what arms like them earned.
 */

import type { Archive } from '../archive.js';
import { InputError } from '../errors.js';
import { totalPayoff } from '../estimate/sums/payoff-scale.js';
import { packedSize } from '../learner/linear/packed.js';
import type { ArmFeatureTable, EventLog } from '../log/event-log.js';
import { ARM_FEATURES_HINT, loggedRows } from '../log/feature-rows.js';
import { type JointFeatures, type JointParts, jointNames, jointParts } from '../log/joint-features.js';
import { jointDimension, writeJoint } from '../policy/joint/features.js';
import { plural } from '../words.js';
import { NonZeros, regressors, tooLarge } from './contexts.js';
import type { Predictions, RewardModel, RewardModelDescription } from './contract.js';
import { checkSums, withoutEachFold } from './fold-sums.js';
import { type Folds, notCrossFitted } from './folds.js';
import { NormalEquations } from './normal-equations.js';
import { mostRows, PER_EVENT, predictionRows } from './prediction-rows.js';
import { droppedColumns } from './ridge.js';

export class ArmFeatureModel implements RewardModel {
  fitted = false;
  readonly held: number;
  readonly perEvent = PER_EVENT;
  readonly rows: number;
  private readonly features: JointFeatures;
  private readonly parts: JointParts;
  /** Length of φ. */
  private readonly dimension: number;
  /** Numbers of a fold: Σ φ φᵀ packed, then Σ φ r. */
  private readonly size: number;
  /** [F, size], added up event by event; empty once it is fitted. */
  private sums: Float64Array;
  /** θ, [F, D]; empty before. */
  private theta = new Float64Array(0);
  private dropped = 0;

  /**
   * @param features default: `both`, without contexts `arm`.
   * @param memory bytes that the process may take; `null`: no bound.
   * @throws InputError where the log has no features of arms, or none of contexts for products; where sums take too much.
   */
  constructor(
    private readonly head: EventLog,
    private readonly folds: Folds,
    private readonly lambda: number,
    memory: number | null,
    features?: JointFeatures,
  ) {
    const dx = head.contexts.dimension;
    const dz = head.armFeatures?.dimension ?? 0;
    if (dz === 0) {
      throw new InputError({
        problem: 'the reward model arm-features needs features of arms, and the log has none',
        needed: 'a log with arm features, or another model',
        hint: `--reward-model ridge (in code: rewardModel), or ${ARM_FEATURES_HINT}`,
      });
    }
    this.features = features ?? (dx === 0 ? 'arm' : 'both');
    if (this.features === 'product' && dx === 0) {
      throw new InputError({
        problem: 'products need a context, and the log has none',
        got: 'product',
        needed: 'arm, concat or both',
        hint: 'give the log context columns, or take --joint-features arm (in code: jointFeatures)',
      });
    }
    this.parts = jointParts(this.features);
    this.dimension = jointDimension(this.features, dx, dz);
    this.size = packedSize(this.dimension) + this.dimension;
    const length = folds.count * this.size;
    checkSums(
      `${plural(folds.count, 'fold')} × ${this.size} sums (of ${this.dimension} joint features) × 8 bytes`,
      8 * length,
      memory,
      'fewer --folds (in code: folds), fewer columns, or --joint-features concat (in code: jointFeatures), which has no products',
    );
    this.sums = new Float64Array(length);
    this.held = 8 * (length + this.size + folds.count * this.dimension);
    const { row, rows } = regressors(head);
    this.rows = mostRows(row, rows, folds.count, featuresOf(head).row === null ? undefined : head.pools);
  }

  add(batch: EventLog): void {
    const { sums, dimension, size, parts } = this;
    const { contexts, payoff } = batch;
    const { values: z, dimension: dz } = featuresOf(batch);
    const shown = loggedRows(batch);
    const fold = this.folds.add(batch);
    const dx = contexts.dimension;
    const phi = new Float64Array(dimension);
    const x = new NonZeros(dimension);
    const { at, value } = x;
    for (let t = 0; t < batch.events; t++) {
      const xAt = (contexts.row === null ? t : contexts.row[t]) * dx;
      writeJoint(parts, contexts.values, xAt, dx, z, shown[t] * dz, dz, phi, 0, 1);
      x.read(phi, 0);
      const earned = totalPayoff(payoff.scale, 1, payoff.steps[t]);
      const from = fold[t] * size;
      const right = from + size - dimension;
      for (let i = 0; i < x.count; i++) {
        const to = from + packedSize(at[i]);
        for (let j = 0; j <= i; j++) sums[to + at[j]] += value[i] * value[j];
        sums[right + at[i]] += value[i] * earned;
      }
    }
  }

  endPass(): boolean {
    this.folds.check();
    const { dimension, size, lambda, sums, head } = this;
    const folds = this.folds.count;
    const equations = new NormalEquations(dimension);
    const theta = new Float64Array(folds * dimension);
    withoutEachFold(sums, { folds, groups: 1, size }, 0, (f, training) => {
      const bad = equations.solve(training, lambda, theta.subarray(f * dimension, (f + 1) * dimension));
      if (bad < 0) return;
      throw tooLarge(jointNames(this.features, head.contexts.columns, head.armFeatures?.columns ?? [])[bad]);
    });
    this.theta = theta;
    this.sums = new Float64Array(0);
    this.dropped = equations.dropped;
    this.fitted = true;
    return false;
  }

  predict(batch: EventLog): Predictions {
    if (!this.fitted) throw new RangeError('the reward model is not fitted yet');
    const { head, folds, theta, dimension } = this;
    const { contexts, pools } = batch;
    const { row: versions, values: z, dimension: dz } = featuresOf(batch);
    const fold = folds.of(batch);
    const arms = head.arms.ids.length;
    const dx = contexts.dimension;
    // A log without contexts has one, of no columns.
    const of = dx === 0 ? new Uint32Array(batch.events) : contexts.row;
    const shared = predictionRows(
      of,
      dx === 0 ? 1 : contexts.rows,
      fold,
      folds.count,
      versions === null ? undefined : pools,
    );
    const values = new Float64Array(shared.rows * arms);
    const weights = new Float64Array(dz);
    for (let r = 0; r < shared.rows; r++) {
      const t = shared.event === null ? r : shared.event[r];
      const xAt = (contexts.row === null ? t : contexts.row[t]) * dx;
      const base = this.ofContext(theta, fold[t] * dimension, contexts.values, xAt, dx, weights);
      const score = (feature: number): number => {
        let sum = base;
        for (let j = 0; j < dz; j++) sum += weights[j] * z[feature * dz + j];
        return sum;
      };
      if (versions === null) for (let a = 0; a < arms; a++) values[r * arms + a] = score(a);
      else {
        const set = pools.pool === null ? 0 : pools.pool[t];
        for (let i = pools.offsets[set]; i < pools.offsets[set + 1]; i++)
          values[r * arms + pools.arms[i]] = score(versions[i]);
      }
    }
    return { values, rows: shared.rows, row: shared.row };
  }

  /** θ·φ(x, z) as a number and weights of z. @param weights out. */
  private ofContext(
    theta: Float64Array,
    from: number,
    x: ArrayLike<number>,
    xAt: number,
    dx: number,
    weights: Float64Array,
  ): number {
    const { context, arm, products } = this.parts;
    let base = 0;
    let at = from;
    weights.fill(0);
    if (context) for (let i = 0; i < dx; i++) base += theta[at++] * x[xAt + i];
    if (arm) for (let j = 0; j < weights.length; j++) weights[j] = theta[at++];
    if (!products) return base;
    for (let i = 0; i < dx; i++, at += weights.length) {
      const xi = x[xAt + i];
      if (xi !== 0) for (let j = 0; j < weights.length; j++) weights[j] += xi * theta[at + j];
    }
    return base;
  }

  get description(): RewardModelDescription {
    const { lambda, features, dimension } = this;
    return {
      name: 'arm-features',
      parameters: { lambda, jointFeatures: features, columns: dimension },
      folds: this.folds.description,
      crossFitted: this.folds.count > 1,
      passes: 1,
    };
  }

  warnings(): string[] {
    return [
      ...(this.folds.count === 1 ? [notCrossFitted()] : []),
      ...(this.dropped > 0 ? [droppedColumns(this.dropped)] : []),
    ];
  }

  carry(archive: Archive): void {
    this.fitted = archive.flag(this.fitted);
    this.folds.carry(archive);
    this.dropped = archive.number(this.dropped);
    this.sums = archive.list(this.sums);
    this.theta = archive.list(this.theta);
  }
}

/** @throws RangeError where a log has none: it was refused. */
function featuresOf({ armFeatures }: EventLog): ArmFeatureTable {
  if (armFeatures === null) throw new RangeError('a model of arm features on a log without any');
  return armFeatures;
}
