/** Values, standard errors and intervals of policies by the estimators that were asked for, from their block statistics. */

import type { Archive, Carried } from '../archive.js';
import { ClipChoice } from './clip-choice.js';
import { mixtures } from './epsilon-mixture.js';
import { EstimatorSummands } from './estimator-summands.js';
import { type ChosenEstimator, chooseEstimators } from './estimators/choose.js';
import type { EstimatorName } from './estimators/index.js';
import { totals } from './estimators/replay-totals.js';
import type { EventNumbers, Predictions } from './event-numbers.js';
import { type AnyInterval, intervalFor } from './interval/choose-interval.js';
import { type Estimate, type EstimateOptions, OneEstimate } from './one-estimate.js';
import type { PolicyNumbers } from './policy-numbers.js';
import type { Standing } from './selection/standing.js';
import type { SequenceBounds } from './sequence/method.js';
import { PolicySequence, type SequencePlan } from './sequence/policy-sequence.js';
import type { BlockStatistics } from './sums/block-statistics.js';
import type { Totals } from './sums/exact-sums.js';
import { isBinary, type PayoffScale, totalPayoff } from './sums/payoff-scale.js';
import type { ColumnKind, Summand } from './sums/summands.js';
import { exactSum } from './sums/whole-numbers.js';
import { NO_OVERLAP_KIND, noOverlapShare, noOverlapTable, unloggedCandidates } from './weights/no-overlap.js';
import { PropensityCheck } from './weights/propensity-check.js';
import { payoffShare, type WeightReport, weightReport } from './weights/weight-report.js';
import { FULL_WEIGHT, type WeightRule } from './weights/weight-rule.js';

/** One policy by all estimators that were asked for; value and interval are those of the first. */
export interface PolicyEstimate extends Estimate {
  /** T: events at which the policy chose the logged arm. */
  matches: number;
  /** Σ V r */
  payoff: number;
  /** By each estimator that was asked for. */
  estimates: { [name in EstimatorName]?: Estimate };
  /** Where an estimator goes by weights. */
  weights?: WeightReport;
  /** Share of the weighted payoffs that the heaviest event has. */
  largestPayoffShare?: number;
  /** Events at which the policy chose no candidate, where an estimator goes by predictions, which count 0 there; absent: none. */
  withoutChoice?: number;
}

/** What was computed, as results hold it. */
export interface EstimatorDescription {
  name: EstimatorName;
  interval: AnyInterval;
  /** Of replay: the paper's algorithm, and T of Algorithm 1. */
  algorithm?: 1 | 2;
  validEvents?: number | null;
  /** What it was told. */
  clip?: number | 'auto';
  /** M among which that of each policy was chosen, beside none, where `clip` is `auto`. */
  grid?: number[];
  switch?: number;
  shrinkage?: number;
  /** Largest share by which rounding to whole steps moves a weight. */
  rounding?: number;
  /** Largest rounding of a prediction, in payoffs. */
  predictionRounding?: number;
}

/** What estimators are asked for. */
export interface EstimateRequest {
  readonly chosen: readonly ChosenEstimator[];
  /** Name of the interval; absent: each estimator's own. */
  readonly interval?: string;
  /** T of Algorithm 1; `null`: the whole log. */
  readonly validEvents: number | null;
  /** Some policies draw their arm. */
  readonly drawn?: boolean;
  /** c of events of each rate at which others were dropped (`blocks/rates.ts`); absent: events count once. */
  readonly counts?: readonly bigint[];
}

/** What is added up for policies that choose, or for those that draw, and the estimators at work on it. */
interface Part {
  readonly summands: EstimatorSummands;
  readonly each: readonly (OneEstimate | ClipChoice)[];
}

/** Estimators at work on one log: first they see all events, batch by batch, then they say what engines add up. */
export class Estimates implements Carried {
  private readonly choosing: Part;
  /** `null`: no policy draws. */
  private readonly drawing: Part | null;
  /** `null`: nobody goes by weights. */
  private readonly propensities: PropensityCheck | null;
  /** Made when all events were seen. */
  private knownUnlogged: { readonly arms: Uint32Array | null } | null = null;

  constructor(
    private readonly log: Pick<EventNumbers, 'payoff' | 'arms' | 'keys'>,
    private readonly request: EstimateRequest,
  ) {
    const { chosen, interval, drawn = false, counts } = request;
    const binary = this.binary;
    const part = (drawn: boolean): Part => {
      const summands = new EstimatorSummands(log.payoff, chosen, drawn, counts);
      const each = chosen.map((one) => {
        const Kind = one.clips === undefined ? OneEstimate : ClipChoice;
        return new Kind(summands, one, intervalFor(one.estimator, interval, binary), log.payoff);
      });
      return { summands, each };
    };
    this.choosing = part(false);
    this.drawing = drawn ? part(true) : null;
    this.propensities = chosen.some(({ rule }) => rule !== null) ? new PropensityCheck(log) : null;
  }

  get usesModel(): boolean {
    return this.request.chosen.some(({ estimator }) => estimator.usesModel);
  }

  get needsUniform(): boolean {
    return this.request.chosen.some(({ estimator }) => estimator.needs === 'uniform logging');
  }

  /** Events must be seen before columns are made. */
  get surveys(): boolean {
    return this.propensities !== null || this.usesModel;
  }

  survey(batch: EventNumbers): void {
    this.knownUnlogged = null;
    for (const { summands } of this.parts) summands.survey(batch);
    this.propensities?.add(batch);
  }

  surveyModel(batch: EventNumbers, predictions: Predictions): void {
    for (const { summands } of this.parts) summands.surveyModel(batch, predictions);
  }

  /** Known when all events were seen. @param drawn of policies that draw. @param whole every candidate's probability is known. */
  kinds(drawn: boolean, whole = true): readonly ColumnKind[] {
    const { kinds } = this.part(drawn).summands;
    return !whole || this.unlogged === null ? kinds : [...kinds, NO_OVERLAP_KIND];
  }

  /** Bytes of `columns` for each event, and for each row of predictions: so much as is known of them by now. */
  get columnBytes(): { readonly perEvent: number; readonly perRow: number } {
    const { tables } = this.choosing.summands;
    return { perEvent: 4 * (this.kinds(false).length - tables), perRow: 4 * tables * this.log.arms.ids.length };
  }

  columns(batch: EventNumbers, predictions: Predictions | null): Summand[] {
    const overlap = this.unlogged === null ? [] : [noOverlapTable(this.unlogged, batch)];
    return [...this.choosing.summands.columns(batch, predictions), ...overlap];
  }

  /** These columns with what an event has in place of choices, as mixtures need them of all events. */
  overAll(columns: readonly Summand[], batch: EventNumbers): Summand[] {
    const { unlogged } = this;
    return unlogged === null ? [...columns] : [...columns.slice(0, -1), unloggedCandidates(unlogged, batch)];
  }

  /** What is added up for policies that draw. */
  get drawn(): EstimatorSummands {
    return this.part(true).summands;
  }

  /** ε-greedy mixtures follow from the sums of what they mix: nothing but payoffs is weighed, and by whole weights. */
  get mixes(): boolean {
    return this.request.chosen.every(
      ({ estimator, rule, clips }) => !estimator.usesModel && rule === FULL_WEIGHT && clips === undefined,
    );
  }

  /** Their statistics. @param base of the policies that are mixed. @param all over all events. */
  mixtures(base: BlockStatistics, all: BlockStatistics, epsilon: number, candidates: number): BlockStatistics {
    return mixtures(base, all, [this.choosing.summands, this.drawn], epsilon, candidates);
  }

  get descriptions(): EstimatorDescription[] {
    const { validEvents, chosen } = this.request;
    const { summands, each } = this.choosing;
    return chosen.map((one, i) => {
      const { name, parameter, usesModel } = one.estimator;
      return {
        name,
        interval: each[i].method.name,
        ...(name === 'replay' ? { algorithm: validEvents === null ? 2 : 1, validEvents } : {}),
        ...(parameter === null || one.parameter === null ? {} : { [parameter]: one.parameter }),
        ...(one.clips === undefined ? {} : { clip: 'auto' as const, grid: summands.clips(one) }),
        ...(one.rule === null ? {} : { rounding: summands.rounding(one) }),
        ...(usesModel ? { predictionRounding: summands.predictionRounding } : {}),
      };
    });
  }

  /** About the log, where its propensities may not be what they seem. */
  warnings(): string[] {
    return this.propensities?.warnings() ?? [];
  }

  /** @param first Algorithm 1: totals of the first T matches, in place of the policy's statistics. */
  estimate(
    stats: BlockStatistics,
    policy: number,
    options: EstimateOptions,
    first?: Totals | null,
    drawn = false,
  ): PolicyEstimate {
    const { propensities, request } = this;
    const { summands, each } = this.part(drawn);
    const row = policy * stats.blocks;
    const sumOf = (column: Float64Array): bigint => exactSum(column, row, row + stats.blocks);
    const events = exactSum(stats.events, 0, stats.blocks);
    const all = (rule: WeightRule | null): PolicyNumbers => summands.numbers(stats, rule, sumOf, events);
    const { matches, payoff } = first ?? totals(stats, policy);
    const estimates = each.map((one) => one.estimate(stats, policy, options, first));
    const named = request.chosen.map(({ estimator }, i) => [estimator.name, estimates[i]]);
    const [{ value, standardError, interval }] = estimates;
    const estimate: PolicyEstimate = {
      matches,
      payoff: totalPayoff(this.scale, matches, payoff),
      ...{ value, standardError, interval },
      estimates: Object.fromEntries(named),
    };
    if (this.usesModel) {
      const withoutChoice = Number(events - all(null).residuals().chosen);
      if (withoutChoice > 0) estimate.withoutChoice = withoutChoice;
    }
    if (propensities === null) return estimate;
    const [weight, paid] = summands.largestCounted(stats, policy);
    const numbers = all(FULL_WEIGHT);
    const unlogged = this.unlogged === null ? 0n : summands.counted(stats, sumOf, summands.kinds.length);
    return {
      ...estimate,
      weights: weightReport(numbers, numbers.payoffs(), weight, noOverlapShare(unlogged, numbers, drawn)),
      largestPayoffShare: payoffShare(numbers, this.scale, paid),
    };
  }

  /** Columns of payoffs, the first of all. */
  get payoffColumns(): number {
    return this.choosing.summands.replayColumns;
  }

  /** One number for all policies, as statements about all of them go by; where each has a parameter of its own there is none. */
  get stands(): boolean {
    return this.choosing.each[0] instanceof OneEstimate;
  }

  /** Where a policy stands by the first estimator. @throws RangeError unless `stands`. */
  standing(stats: BlockStatistics, policy: number, options: EstimateOptions, drawn = false): Standing {
    const [first] = this.part(drawn).each;
    if (first instanceof OneEstimate) return first.standing(stats, policy, options);
    throw new RangeError('each policy has a parameter of its own');
  }

  /** Where the policy that logged the events stands: their mean payoff. @param logged payoffs over all events. */
  loggedStanding(logged: BlockStatistics, options: EstimateOptions): Standing {
    const [replay] = chooseEstimators(['replay'], {});
    const method = intervalFor(replay.estimator, undefined, this.binary);
    return new OneEstimate(this.choosing.summands, replay, method, this.log.payoff).standing(logged, 0, options);
  }

  /** Bounds after each look, by the first estimator. @param drawn of a policy that draws. */
  sequence(
    stats: BlockStatistics,
    policy: number,
    plan: SequencePlan,
    options: EstimateOptions,
    drawn = false,
  ): SequenceBounds {
    const [chosen] = this.request.chosen;
    const { summands } = this.part(drawn);
    return new PolicySequence(summands, chosen, this.log.payoff).bounds(stats, policy, plan, options);
  }

  carry(archive: Archive): void {
    this.knownUnlogged = null;
    for (const { summands } of this.parts) summands.carry(archive);
    this.propensities?.carry(archive);
  }

  private get parts(): readonly Part[] {
    return this.drawing === null ? [this.choosing] : [this.choosing, this.drawing];
  }

  private part(drawn: boolean): Part {
    if (!drawn) return this.choosing;
    if (this.drawing === null) throw new RangeError('no policy was said to draw');
    return this.drawing;
  }

  /** 1 for each candidate arm that was never logged; `null`: there is none, or nobody goes by weights. */
  get unlogged(): Uint32Array | null {
    this.knownUnlogged ??= { arms: this.propensities?.armWeights.unlogged() ?? null };
    return this.knownUnlogged.arms;
  }

  private get scale(): PayoffScale {
    return this.log.payoff.scale;
  }

  private get binary(): boolean {
    return isBinary(this.scale, this.log.payoff.maxSteps);
  }
}
