/** One estimator on a policy's block statistics: value, standard error and interval. */

import type { EstimatorSummands } from './estimator-summands.js';
import type { ChosenEstimator } from './estimators/choose.js';
import type { IntervalChoice } from './interval/choose-interval.js';
import { payoffInterval } from './interval/index.js';
import type { Interval } from './interval/method.js';
import { effectiveClopperPearson } from './interval/weighted/effective-clopper-pearson.js';
import { type Moments, weightedInterval } from './interval/weighted/index.js';
import type { PolicyNumbers, WeightedSums } from './policy-numbers.js';
import { redraws } from './redraws.js';
import { influences } from './selection/influences.js';
import { gathered, type Standing, scaleOf } from './selection/standing.js';
import type { BlockStatistics } from './sums/block-statistics.js';
import type { Totals } from './sums/exact-sums.js';
import { ONE_WORD_ROUNDING } from './sums/fixed-point.js';
import { isBinary, type PayoffScale } from './sums/payoff-scale.js';
import { exactSum, quotient } from './sums/whole-numbers.js';
import { largestOf, weightReport } from './weights/weight-report.js';
import { FULL_WEIGHT } from './weights/weight-rule.js';

/** One policy by one estimator. */
export interface Estimate {
  /** `null`: nothing is known of the policy. */
  value: number | null;
  /** Of the value; `null`: it is not known. */
  standardError: number | null;
  /** [lower, upper] within the payoff range, which it is where nothing is known. */
  interval: Interval;
  /** M, where it is chosen for each policy; `null`: none is clipped. */
  clip?: number | null;
  /** Share of the weight of matches that the estimator's parameter removes: 1 − Σ min(w, M)/Σ w, and so of τ and λ. Below 2 · 10⁻⁶: 0. */
  clippedShare?: number;
}

/** How intervals are to be, and what they depend on beside a policy's own sums. */
export interface EstimateOptions {
  /** In (0, 1). */
  readonly confidence: number;
  /** L / Σ 1/|A_t| */
  readonly effectiveArms: number;
  /** Blocks are periods or groups of users: errors are those between them, and not between events. */
  readonly dependent: boolean;
  /** No weight can be larger, as declared; `null`: nothing was. */
  readonly mostWeight: number | null;
}

/** What is known of a value beside itself. */
interface KnownValue {
  readonly numbers: PolicyNumbers;
  readonly value: number;
  /** Of the value; `null`: it is not known. */
  readonly variance: number | null;
  /** B − 1 where the variance is that between B blocks; `null`: between events. */
  readonly degrees: number | null;
}

export class OneEstimate {
  constructor(
    private readonly summands: EstimatorSummands,
    private readonly chosen: ChosenEstimator,
    readonly method: IntervalChoice,
    private readonly payoff: { readonly scale: PayoffScale; readonly maxSteps: number },
  ) {}

  /** @param first Algorithm 1: totals of the first T matches, in place of the policy's statistics. */
  estimate(stats: BlockStatistics, policy: number, options: EstimateOptions, first?: Totals | null): Estimate {
    const { low, high } = this.payoff.scale;
    const whole = this.numbers(stats, policy);
    const removed = this.removed(stats, policy, whole);
    const numbers = first ? { ...whole, ...sameCounts(BigInt(first.events)), plain: () => first } : whole;
    const known = this.known(stats, policy, options, numbers);
    if (known === null) return { value: null, standardError: null, interval: [low, high], ...removed };
    const { value, variance } = known;
    const standardError = variance === null ? null : Math.sqrt(variance);
    const method = this.method;
    const { confidence, effectiveArms } = options;
    if (method.bounds === undefined) {
      const totals = first ?? { ...numbers.plain(), events: Number(numbers.logged), square: Number.NaN };
      const interval = payoffInterval(method.name, totals, this.payoff.scale, confidence, {
        binary: this.isBinary,
        effectiveArms,
      });
      return { value, standardError, interval };
    }
    const moments = this.moments(stats, policy, known, options);
    const interval = weightedInterval(method.bounds, moments, [low, high], confidence);
    return { value, standardError, interval, ...removed };
  }

  /** What statements about many policies go by. */
  standing(stats: BlockStatistics, policy: number, options: EstimateOptions): Standing {
    const { estimator } = this.chosen;
    const { scale } = this.payoff;
    const range: Interval = [scale.low, scale.high];
    const numbers = this.numbers(stats, policy);
    const known = this.known(stats, policy, options, numbers);
    if (known === null)
      return {
        ...{ value: null, influence: gathered(new Float64Array(stats.blocks)), scale: 0, degrees: null },
        bounds: () => range,
      };
    const { value, degrees } = known;
    const all = influences(this.summands, this.chosen, stats, policy, numbers);
    // Without a match nothing but a model speaks, whose error no block tells of.
    const influence = gathered(this.effective(numbers) > 0 ? all : all.fill(0));
    if (estimator.name === 'replay' && this.isBinary && degrees === null && numbers.steps === 1n) {
      // Given T, the matches that paid are binomial: their number itself, and not one of the same variance.
      const totals = { ...numbers.plain(), events: Number(numbers.logged), square: Number.NaN };
      const context = { binary: true, effectiveArms: options.effectiveArms };
      const bounds = (delta: number): Interval => payoffInterval('clopper-pearson', totals, scale, 1 - delta, context);
      return { value, influence, scale: scaleOf(influence), bounds, degrees };
    }
    const moments = this.moments(stats, policy, withVariance(known, all), options);
    const bounds = (delta: number): Interval =>
      weightedInterval({ bounds: effectiveClopperPearson }, moments, range, 1 - delta);
    return { value, influence, scale: scaleOf(influence), bounds, degrees: moments.degrees };
  }

  /** `null`: nothing is known of the policy. */
  private known(
    stats: BlockStatistics,
    policy: number,
    { dependent }: EstimateOptions,
    numbers: PolicyNumbers,
  ): KnownValue | null {
    const { estimator } = this.chosen;
    const value = estimator.value(numbers);
    if (value === null) return null;
    const { influence } = estimator;
    if (!dependent || influence === undefined)
      return { numbers, value, variance: estimator.variance?.(numbers) ?? null, degrees: null };
    // Groups of users may have no event.
    const blocks = [...stats.events.keys()].filter((b) => stats.events[b] > 0);
    const parts = blocks.map((b) => influence(numbers, this.numbers(stats, policy, b, b + 1)));
    return { numbers, value, variance: varianceBetween(parts), degrees: blocks.length - 1 };
  }

  /** The share of weight that is removed, where an estimator's parameter does so. */
  private removed(stats: BlockStatistics, policy: number, numbers: PolicyNumbers): Pick<Estimate, 'clippedShare'> {
    if (this.chosen.estimator.parameter === null) return {};
    const kept = this.weighted(numbers);
    const all = this.numbers(stats, policy, 0, stats.blocks, FULL_WEIGHT).payoffs();
    const whole = all.w * kept.one;
    const share = quotient(whole - kept.w * all.one, whole);
    // Weights of another range are in other steps: by so much the same ones may differ.
    return { clippedShare: share > 2 * ONE_WORD_ROUNDING ? share : 0 };
  }

  private get isBinary(): boolean {
    return isBinary(this.payoff.scale, this.payoff.maxSteps);
  }

  private moments(stats: BlockStatistics, policy: number, known: KnownValue, { mostWeight }: EstimateOptions): Moments {
    const { estimator, rule } = this.chosen;
    const { low, high } = this.payoff.scale;
    const range = high - low;
    const { numbers, value, variance, degrees } = known;
    const scaled = (payoff: number): number => (payoff - low) / range;
    const independent = estimator.independentVariance?.(numbers) ?? null;
    const events = Number(numbers.logged);
    return {
      value: scaled(value),
      // One event, or one block, tells of no variance.
      variance: variance === null ? Number.NaN : variance / range ** 2,
      independentVariance: independent === null ? null : independent / range ** 2,
      degrees,
      ess: this.effective(numbers),
      largest: this.largestShare(stats, policy, numbers),
      edge: this.edge(stats, policy, value),
      events,
      mostWeight: rule === null || mostWeight === null ? null : mostWeight * this.weightedSpan,
      redrawn: (draws) => this.redrawn(stats, policy, draws).map(scaled),
    };
  }

  /** Kish's effective sample size: of replay the matches, of what has no weights all events. */
  private effective(numbers: PolicyNumbers): number {
    const { estimator, rule } = this.chosen;
    const { logged, events, squares, matches } = numbers;
    // Of events that do not count alike, as many as would have to.
    if (rule === null)
      return logged === 0n ? 0 : quotient((estimator.usesModel ? logged : matches) * events ** 2n, squares * logged);
    return weightReport(numbers, this.weighted(numbers), 0).ess;
  }

  private weighted(numbers: PolicyNumbers): WeightedSums {
    return this.chosen.estimator.usesModel ? numbers.residuals() : numbers.payoffs();
  }

  private largestShare(stats: BlockStatistics, policy: number, numbers: PolicyNumbers): number | null {
    const { estimator, rule } = this.chosen;
    if (rule === null || estimator.divisor === undefined) return null;
    const [most] = this.summands.largestCounted(stats, policy, rule);
    const { events, steps } = numbers;
    if (estimator.divisor === 'events') return (most * this.weightedSpan) / quotient(events, steps);
    const { w, one } = numbers.payoffs();
    return w === 0n ? null : most / quotient(w, one * steps);
  }

  /** A weighted payoff lies between w · min(low, 0) and w · max(high, 0): over the range that is more than w where low is not 0. */
  private get weightedSpan(): number {
    const { low, high } = this.payoff.scale;
    return (Math.max(high, 0) - Math.min(low, 0)) / (high - low);
  }

  /** The end of the range that all matches paid, where nothing but matches counts. */
  private edge(stats: BlockStatistics, policy: number, value: number): 0 | 1 | null {
    const { estimator, rule } = this.chosen;
    const { low, high } = this.payoff.scale;
    if (estimator.usesModel) return null;
    if (rule === null || estimator.divisor === 'weights') return value === low ? 0 : value === high ? 1 : null;
    // Of weighted payoffs above the lowest none is largest.
    return largestOf(stats, policy, this.summands.largest)[1] === 0 ? 0 : null;
  }

  /** Values of logs made of blocks drawn with replacement; NaN where one has none. */
  private redrawn(stats: BlockStatistics, policy: number, draws: number): Float64Array {
    const { estimator, rule } = this.chosen;
    const row = policy * stats.blocks;
    const values = redraws(stats.blocks, draws).map((times) => {
      const drawn = (column: Float64Array, at: number): bigint => {
        let sum = 0;
        for (let b = 0; b < times.length; b++) sum += times[b] * column[at + b];
        return BigInt(Math.round(sum));
      };
      const events = drawn(stats.events, 0);
      return estimator.value(this.summands.numbers(stats, rule, (column) => drawn(column, row), events)) ?? Number.NaN;
    });
    return Float64Array.from(values);
  }

  /** Sums over blocks `from..to−1`. */
  private numbers(
    stats: BlockStatistics,
    policy: number,
    from = 0,
    to = stats.blocks,
    rule = this.chosen.rule,
  ): PolicyNumbers {
    const row = policy * stats.blocks;
    const events = exactSum(stats.events, from, to);
    return this.summands.numbers(stats, rule, (column) => exactSum(column, row + from, row + to), events);
  }
}

/** Of so many events, each of which counts once. */
function sameCounts(events: bigint): Pick<PolicyNumbers, 'logged' | 'events' | 'squares' | 'steps'> {
  return { logged: events, events, squares: events, steps: 1n };
}

/** B/(B−1) Σ_b ψ_b²; `null`: one block tells of no variance. */
function varianceBetween(influences: ArrayLike<number>): number | null {
  const blocks = influences.length;
  if (blocks < 2) return null;
  let sum = 0;
  for (let b = 0; b < blocks; b++) sum += influences[b] ** 2;
  return (sum * blocks) / (blocks - 1);
}

/** Where the estimator tells of no variance, that between blocks. */
function withVariance(known: KnownValue, influences: Float64Array): KnownValue {
  if (known.variance !== null || known.degrees !== null) return known;
  return { ...known, variance: varianceBetween(influences), degrees: influences.length - 1 };
}
