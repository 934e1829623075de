/**
 * Inverse propensity scoring (Horvitz and Thompson, JASA 1952): v̂ = Σ_t V_t r_t / p_t / L. Unbiased for whatever policy logged
 * the events, if p_t is the probability with which it chose a_t, and the policy never chooses what that one never does.
 *
 * Its match columns are u = r / p and u², as fixed-point numbers. The variance of the mean over all L events, those without a
 * match being zeros, is (Σ u² − L v̂²) / (L (L − 1)), evaluated exactly from the integer sums, so that nothing cancels.
 */

import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import { plural } from '../../words.js';
import { zScore } from '../interval/z-score.js';
import type { BlockStatistics } from '../sums/block-statistics.js';
import { type FixedPoint, fixedColumns, fixedPoint, fixedSum, NumberRange } from '../sums/fixed-point.js';
import { totalPayoff } from '../sums/payoff-scale.js';
import { type ColumnKind, kindsOf, type MatchColumn } from '../sums/summands.js';
import { ArmWeights, type OddArm } from './arm-weights.js';
import type { Estimate, EstimateOptions, Estimator, EstimatorRun, EventNumbers } from './estimator.js';

/** As results hold it. */
export interface IpsDescription {
  name: 'ips';
  /** Largest share by which rounding to whole steps moves a weighted payoff r / p, and with it a value. */
  rounding: number;
}

export const ips: Estimator<IpsDescription> = {
  name: 'ips',
  summary: 'inverse propensity scoring; for any logging policy whose propensities are logged',
  needs: 'propensities',
  tells: 'standardError',
  interval: (asked = 'normal') => {
    if (asked === 'normal') return asked;
    throw new InputError({
      problem: 'the interval does not fit the estimator ips',
      got: asked,
      needed: 'normal, the only one that it has so far',
    });
  },
  open: ({ payoff, arms }, events) => new IpsRun(payoff.scale, arms, events),
};

/** Arms named in a warning. */
const NAMED = 3;

/** What its columns are made of. */
type WeightedNumbers = Pick<EventNumbers, 'events' | 'payoff' | 'propensity'>;

/** Means of 1/p further from those that are due than by this factor are no chance. */
const ODD_WEIGHTS = 2;

class IpsRun implements EstimatorRun<IpsDescription> {
  private readonly weighted = new NumberRange();
  private readonly armWeights: ArmWeights;
  /** Σ 1/p_t, and Σ |A_t|, which is its mean whatever the logging policy. */
  private weights = 0;
  private candidates = 0;

  constructor(
    private readonly scale: EventNumbers['payoff']['scale'],
    arms: EventNumbers['arms'],
    private readonly events: number,
  ) {
    this.armWeights = new ArmWeights(arms);
  }

  survey(batch: EventNumbers): void {
    this.armWeights.add(batch);
    const numberOf = weightedPayoff(batch);
    const { propensity, pools } = batch;
    const { offsets, pool } = pools;
    for (let t = 0; t < batch.events; t++) {
      this.weighted.add(numberOf(t));
      const set = pool === null ? 0 : pool[t];
      this.weights += 1 / (propensity?.[t] ?? Number.NaN);
      this.candidates += offsets[set + 1] - offsets[set];
    }
  }

  get kinds(): ColumnKind[] {
    const none = new Uint32Array(0);
    const payoff = { scale: this.scale, steps: none, maxSteps: 0 };
    return kindsOf(this.columns({ events: 0, payoff, propensity: null }));
  }

  columns(batch: WeightedNumbers): MatchColumn[] {
    const { weighted, squared } = this.fixed();
    const numberOf = weightedPayoff(batch);
    return [
      ...fixedColumns('weighted payoff', weighted, batch.events, numberOf),
      ...fixedColumns('weighted payoff²', squared, batch.events, (t) => numberOf(t) ** 2),
    ];
  }

  get description(): IpsDescription {
    return { name: 'ips', rounding: this.fixed().weighted.rounding };
  }

  warnings(): string[] {
    const [weight, due] = [this.weights / this.events, this.candidates / this.events];
    if (this.events === 0) return [];
    if (weight <= due * ODD_WEIGHTS && weight * ODD_WEIGHTS >= due) return oddArms(this.armWeights.odd());
    const shown = (value: number): string => String(Number(value.toPrecision(3)));
    return [
      `the mean of 1/propensity is ${shown(weight)}, and with ${shown(due)} candidates on average ${shown(due)} is expected: is the column really the probability of the logged arm? If it is not, every value is wrong`,
    ];
  }

  estimate(stats: BlockStatistics, policy: number, { confidence }: EstimateOptions): Estimate {
    const { events, scale } = this;
    const { weighted, squared } = this.fixed();
    const sums = sumsOf(stats, policy);
    const { matches } = sums;
    const { low, high } = scale;
    if (matches === 0) return { matches, value: null, standardError: null, interval: [low, high] };
    const total = fixedSum(weighted, matches, sums.columns.slice(0, weighted.words));
    const squares = fixedSum(squared, matches, sums.columns.slice(weighted.words));
    const value = (Number(total) * 2 ** weighted.exponent) / events;
    // L Σ u² − (Σ u)² in steps of 2^unit.
    const unit = Math.min(squared.exponent, 2 * weighted.exponent);
    const centred =
      ((BigInt(events) * squares) << BigInt(squared.exponent - unit)) -
      ((total * total) << BigInt(2 * weighted.exponent - unit));
    if (events < 2) return { matches, value, standardError: null, interval: [low, high] };
    const variance = (Math.max(0, Number(centred)) * 2 ** unit) / events / events / (events - 1);
    const standardError = Math.sqrt(variance);
    // Without a single payoff the interval would have no width, as if nothing but 0 could have been.
    if (total === 0n && matches < events) return { matches, value, standardError, interval: [low, high] };
    const width = zScore(1 - confidence) * standardError;
    const clip = (bound: number): number => Math.min(high, Math.max(low, bound));
    return { matches, value, standardError, interval: [clip(value - width), clip(value + width)] };
  }

  carry(archive: Archive): void {
    this.weighted.carry(archive);
    this.armWeights.carry(archive);
    this.weights = archive.number(this.weights);
    this.candidates = archive.number(this.candidates);
  }

  private fixed(): { readonly weighted: FixedPoint; readonly squared: FixedPoint } {
    const { low, high, least } = this.weighted;
    return {
      weighted: fixedPoint(this.weighted),
      squared: fixedPoint({ low: 0, high: Math.max(low ** 2, high ** 2), least: least ** 2 }),
    };
  }
}

function oddArms(odd: readonly OddArm[]): string[] {
  if (odd.length === 0) return [];
  const count = (number: number): string => Math.round(number).toLocaleString('en');
  const named = odd
    .slice(0, NAMED)
    .map(
      ({ arm, events, weight, offered }) =>
        `${JSON.stringify(arm)}: ${count(weight)} from ${plural(events, 'event')}, while ${count(offered)} offer it`,
    );
  const more = odd.length > NAMED ? `; and ${odd.length - NAMED} more` : '';
  return [
    `the sum of 1/propensity over an arm's events is on average the number of events that offer it; here it is not for ${named.join('; ')}${more}. Either the column is not the probability of the logged arm, and every value is wrong, or the arm was not always possible, and policies that choose it there are valued wrongly`,
  ];
}

/** r / p of event t. */
function weightedPayoff({ payoff, propensity }: WeightedNumbers): (t: number) => number {
  return (t) => totalPayoff(payoff.scale, 1, payoff.steps[t]) / (propensity?.[t] ?? Number.NaN);
}

/** Matches of a policy and the sum of each column, over all blocks. */
function sumsOf({ blocks, matches, columns }: BlockStatistics, policy: number): { matches: number; columns: bigint[] } {
  const of = (column: Float64Array): bigint => {
    let sum = 0n;
    for (let b = 0; b < blocks; b++) sum += BigInt(column[policy * blocks + b]);
    return sum;
  };
  return { matches: Number(of(matches)), columns: columns.map(of) };
}
