/** What engines add up for the estimators that were asked for: each column once, whoever needs it, and their sums as estimators see them. */

import type { Archive, Carried } from '../archive.js';
import { COUNTS_ONCE, countedParts, countedSum, countSteps } from './blocks/rates.js';
import type { ChosenEstimator } from './estimators/choose.js';
import { countedTotals, replayColumns, replayKinds } from './estimators/replay-totals.js';
import type { EventNumbers, Predictions } from './event-numbers.js';
import { ModelUnits } from './model-units.js';
import { countedSums, type ModelSums, type PolicyNumbers, type WeightedSums } from './policy-numbers.js';
import { PredictionSums } from './prediction-sums.js';
import type { BlockStatistics } from './sums/block-statistics.js';
import { meanPayoff, stepSize } from './sums/payoff-scale.js';
import { inPayoffs, type PayoffUnits, payoffUnits } from './sums/payoff-units.js';
import { type ColumnSum, type Factor, Products } from './sums/products.js';
import type { ColumnKind, MatchColumn, Summand } from './sums/summands.js';
import { quotient } from './sums/whole-numbers.js';
import {
  MatchSums,
  type ModelProducts,
  ResidualSums,
  type WeightedProducts,
  weightedProducts,
} from './weighted-products.js';
import { clipsBelow } from './weights/clips.js';
import { WeightColumns } from './weights/weight-columns.js';
import { LARGEST_KINDS, largestColumns, largestOf } from './weights/weight-report.js';
import { clipped, FULL_WEIGHT, type WeightRule } from './weights/weight-rule.js';

/** Columns in the order in which they stand, known when all events were seen. */
interface Layout {
  /** Columns of replay, the first of all. */
  readonly replay: number;
  /** First column of the largest weights; −1: there are none. */
  readonly largest: number;
  readonly products: Products;
  /** Clipped by every M of a grid, by the name of the weights. */
  readonly grid: ReadonlyMap<string, WeightColumns>;
  /** By the name of the weights. */
  readonly payoffs: ReadonlyMap<string, WeightedProducts>;
  readonly residuals: ReadonlyMap<string, ModelProducts>;
  /** First column of tables of predictions. */
  readonly tables: number;
  readonly kinds: readonly ColumnKind[];
}

export class EstimatorSummands implements Carried {
  private readonly weights = new Map<string, WeightColumns>();
  private readonly model: ModelUnits | null;
  private readonly units: PayoffUnits;
  private known: Layout | null = null;
  /** Σ k over all events, and their number. */
  private logged = 0;
  private events = 0;

  constructor(
    private readonly payoff: EventNumbers['payoff'],
    private readonly chosen: readonly ChosenEstimator[],
    /** For policies that draw their arm. */
    drawn: boolean,
    /** c of events of each rate at which others were dropped; of one rate, 1. */
    private readonly counts = COUNTS_ONCE,
  ) {
    this.units = payoffUnits(payoff.scale);
    const rules = chosen.flatMap(({ rule }) => rule ?? []);
    for (const rule of rules.length === 0 ? [] : [FULL_WEIGHT, ...rules])
      if (!this.weights.has(rule.name)) this.weights.set(rule.name, new WeightColumns(rule, drawn));
    this.model = chosen.some(({ estimator }) => estimator.usesModel) ? new ModelUnits(payoff.scale, drawn) : null;
  }

  /** Takes note of what must be known of all events before columns are made. */
  survey(batch: EventNumbers): void {
    this.known = null;
    for (const weights of this.weights.values()) weights.survey(batch);
    for (let t = 0; t < batch.events; t++) this.logged += batch.payoff.steps[t];
    this.events += batch.events;
  }

  /** The same of predictions, once the reward model is fitted. */
  surveyModel(batch: EventNumbers, predictions: Predictions): void {
    this.known = null;
    this.model?.survey(batch, predictions);
  }

  get kinds(): readonly ColumnKind[] {
    return this.layout.kinds;
  }

  /** Tables of predictions among them. */
  get tables(): number {
    return this.model?.tableKinds.length ?? 0;
  }

  /** M among which that of each policy is chosen, beside none; known when all events were seen. */
  clips({ clips }: ChosenEstimator): number[] {
    return clips === undefined ? [] : clipsBelow(clips, this.weightsOf(FULL_WEIGHT).largest);
  }

  /** Largest rounding of a weight by an estimator's rules, as a share of itself. */
  rounding(chosen: ChosenEstimator): number {
    return Math.max(0, ...this.rules(chosen).map((rule) => this.weightsOf(rule).fixed.rounding));
  }

  /** Largest rounding of a prediction, in payoffs. */
  get predictionRounding(): number {
    return this.model?.rounding ?? 0;
  }

  columns(batch: EventNumbers, predictions: Predictions | null): Summand[] {
    return this.made(batch, predictions, null);
  }

  private made(batch: EventNumbers, predictions: Predictions | null, expected: Float64Array | null): Summand[] {
    const { payoff, model, weights, layout } = this;
    const known = new Map<string, readonly Uint32Array[]>([['payoff', [batch.payoff.steps]]]);
    for (const column of [...weights.values(), ...layout.grid.values()])
      known.set(column.factor.name, column.columns(batch));
    let tables: Summand[] = [];
    if (model !== null && predictions !== null) {
      const { prediction, residual } = model.columns(batch, predictions);
      const drawn = expected === null ? null : model.expected(expected);
      known.set('prediction', drawn?.prediction ?? prediction).set('residual', residual);
      tables = drawn?.tables ?? model.tables(batch, predictions);
    }
    return [
      ...replayColumns({ ...payoff, steps: batch.payoff.steps }),
      ...(weights.size === 0 ? [] : largestColumns(batch, payoff.scale.low)),
      ...layout.products.columns(({ name }) => known.get(name) ?? []),
      ...tables,
    ];
  }

  /**
   * What the columns come to at each event for a policy that draws.
   *
   * @param batch with the propensity over π in place of the propensity, so that weights are π/p, and payoffs 0 where π is.
   * @param expected Q of each event.
   */
  drawnColumns(batch: EventNumbers, predictions: Predictions | null, expected: Float64Array | null): MatchColumn[] {
    return this.made(batch, predictions, expected) as MatchColumn[];
  }

  /** First column of the largest weights of matches. */
  get largest(): number {
    return this.layout.largest;
  }

  /** The largest c · w of a policy's matches by a rule, and the largest c · w · (r − low) by whole weights. */
  largestCounted(stats: BlockStatistics, policy: number, { of } = FULL_WEIGHT): [weight: number, payoff: number] {
    const { counts, layout } = this;
    const each = countedParts(stats, counts, () => 0n, 0n).map(({ count, stats }) => {
      const times = quotient(count, countSteps(counts));
      const [weight, payoff] = largestOf(stats, policy, layout.largest);
      return [times * of(weight), times * payoff];
    });
    return [0, 1].map((i) => Math.max(...each.map((one) => one[i]))) as [number, number];
  }

  /** Columns of replay, the first of all. */
  get replayColumns(): number {
    return this.layout.replay;
  }

  /** Products of payoffs with whole weights, in steps of 2^exponent. */
  get fullWeights(): { readonly products: WeightedProducts; readonly exponent: number } {
    const products = this.layout.payoffs.get(FULL_WEIGHT.name);
    if (products === undefined) throw new RangeError('no estimator goes by weights');
    return { products, exponent: this.weightsOf(FULL_WEIGHT).fixed.exponent };
  }

  /** Σ c of a column, over some blocks; `null`: there is no such column. */
  counted(stats: BlockStatistics, sumOf: ColumnSum, column: number): bigint | null {
    if (countedParts(stats, this.counts, () => 0n, 0n)[0].stats.columns[column] === undefined) return null;
    return countedSum(countedParts(stats, this.counts, sumOf, 0n), ({ stats }) => sumOf(stats.columns[column]));
  }

  /** A policy's sums, for an estimator. @param sumOf columns over some blocks. @param events of these. */
  numbers(stats: BlockStatistics, rule: WeightRule | null, sumOf: ColumnSum, events: bigint): PolicyNumbers {
    const { payoff, logged, counts } = this;
    const { scale } = payoff;
    const parts = countedParts(stats, counts, sumOf, events);
    const counted = (power: bigint): bigint => countedSum(parts, ({ events }) => events, power);
    const sums = <Sums extends WeightedSums>(of: (stats: BlockStatistics) => Sums): Sums =>
      countedSums(
        parts.map(({ stats }) => of(stats)),
        counts,
      );
    // No spread within: it made this a third of what a redrawn log costs.
    return {
      logged: events,
      events: counted(1n),
      squares: counted(2n),
      steps: countSteps(counts),
      matches: sumOf(stats.matches),
      plain: () => countedTotals(parts, this.layout.replay, sumOf),
      meanPayoff: (matches, steps) => meanPayoff(scale, matches, steps),
      stepSize: stepSize(scale),
      loggedMean: this.events === 0 ? 0 : (meanPayoff(scale, this.events, logged) ?? 0),
      payoffs: once(() => sums((stats) => this.payoffSums(stats, sumOf, rule))),
      residuals: once(() => sums((stats) => this.residualSums(stats, sumOf, rule))),
    };
  }

  carry(archive: Archive): void {
    this.known = null;
    for (const weights of this.weights.values()) weights.carry(archive);
    this.model?.carry(archive);
    this.logged = archive.number(this.logged);
    this.events = archive.number(this.events);
  }

  private weightsOf({ name }: WeightRule): WeightColumns {
    const found = this.weights.get(name) ?? this.layout.grid.get(name);
    if (found === undefined) throw new RangeError(`${name} was not asked for`);
    return found;
  }

  private rules(chosen: ChosenEstimator): WeightRule[] {
    return [...(chosen.rule === null ? [] : [chosen.rule]), ...this.clips(chosen).map(clipped)];
  }

  private get layout(): Layout {
    this.known ??= this.makeLayout();
    return this.known;
  }

  private makeLayout(): Layout {
    const { chosen, weights, model } = this;
    const replay = replayKinds(this.payoff);
    const largest = weights.size === 0 ? [] : LARGEST_KINDS;
    const products = new Products(replay.length + largest.length);
    const payoffs = new Map<string, WeightedProducts>();
    const residuals = new Map<string, ModelProducts>();
    const paid: Factor = { name: 'payoff', most: BigInt(this.payoff.maxSteps) };
    const grid = new Map<string, WeightColumns>();
    for (const most of chosen.flatMap((one) => this.clips(one)))
      grid.set(clipped(most).name, this.weightsOf(FULL_WEIGHT).clippedAt(most));
    const rules = chosen.flatMap((one) =>
      this.rules(one).map((rule) => ({ rule, usesModel: one.estimator.usesModel })),
    );
    if (rules.length > 0) rules.unshift({ rule: FULL_WEIGHT, usesModel: false });
    for (const { rule, usesModel } of rules) {
      const w = (grid.get(rule.name) ?? this.weightsOf(rule)).factor;
      if (model === null || !usesModel) payoffs.set(rule.name, weightedProducts(products, w, paid));
      else {
        const { prediction, residual } = model.factors;
        const [wq, wqy] = [products.add(w, prediction), products.add(w, prediction, residual)];
        residuals.set(rule.name, { ...weightedProducts(products, w, residual), wq, wqy });
      }
    }
    const tables = replay.length + largest.length + products.kinds.length;
    const kinds = [...replay, ...largest, ...products.kinds, ...(model?.tableKinds ?? [])];
    const first = largest.length === 0 ? -1 : replay.length;
    return { replay: replay.length, largest: first, products, grid, payoffs, residuals, tables, kinds };
  }

  private payoffSums(stats: BlockStatistics, sumOf: ColumnSum, rule: WeightRule | null): WeightedSums {
    const products = rule === null ? undefined : this.layout.payoffs.get(rule.name);
    if (rule === null || products === undefined) throw new RangeError('no estimator goes by such weights');
    return new MatchSums(stats, sumOf, this.weightsOf(rule).fixed, products, this.units);
  }

  private residualSums(stats: BlockStatistics, sumOf: ColumnSum, rule: WeightRule | null): WeightedSums & ModelSums {
    const { model, layout } = this;
    if (model === null) throw new RangeError('there is no reward model');
    const { origins, payoffs } = model;
    const predictions = new PredictionSums(origins, (table) => sumOf(stats.columns[layout.tables + table]));
    const products = rule === null ? undefined : layout.residuals.get(rule.name);
    if (rule === null || products === undefined) {
      const { chosen, q, qq } = predictions;
      return { ...NOTHING, inPayoffs: (n, d) => inPayoffs(payoffs, n, d), chosen, q, qq, cq: q };
    }
    // Residuals count in units.
    const units = { ...payoffs, origin: origins.residual, factor: 1n };
    return new ResidualSums(stats, sumOf, this.weightsOf(rule).fixed, products, units, predictions);
  }
}

/** Sums of an estimator that goes by predictions alone. */
const NOTHING = {
  w: 0n,
  ww: 0n,
  wy: 0n,
  wyy: 0n,
  wwy: 0n,
  wwyy: 0n,
  cw: 0n,
  cwy: 0n,
  one: 1n,
  wq: 0n,
  wqe: 0n,
} as const;

/** Computed where it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
