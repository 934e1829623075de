/**
 * How strongly counts of arms in groups of events speak against uniform choice. Two tests, whose null distributions are known:
 *
 * - Pearson's statistic over groups with enough events, with its exact mean, variance and third moment (for n events on m
 *   equally likely arms: m − 1, 2(m − 1)(n − 1)/n and, below, `third`) matched by a shifted gamma distribution;
 * - the likelihood ratio of a mixture of alternatives. Its mean is 1 if logging is uniform, whatever the groups and however few
 *   events they hold, so by Markov's inequality it reaches 1/p with probability at most p: nothing is approximated. The
 *   alternatives: each group has its own shares, drawn from a symmetric Dirichlet distribution (Good, "A Bayesian significance
 *   test for multinomial distributions", 1967); a single group has; a single arm of a single group is favoured.
 */

import gammaln from '@stdlib/math-base-special-gammaln';
import chiSquareCdf from '@stdlib/stats-base-dists-chisquare-cdf';
import type { Archive, Carried } from '../../../archive.js';

/** Least expected count per arm for Pearson's statistic. */
const LEAST_EXPECTED = 5;

/** Concentrations Σα of the Dirichlet alternatives: arms of a group agree by chance 1/(1 + Σα) more often than due. */
const CONCENTRATIONS = [2, 8, 32, 128, 512, 2048] as const;

/** By how much the odds of a favoured arm are raised. */
const FAVOURS = [1.25, 1.5, 2, 4, 16] as const;

/** Counts whose rising factorials are kept, of arms and of groups. */
const KEPT = 64;
const KEPT_TOTALS = 1024;

export interface PearsonTest {
  readonly statistic: number;
  /** Its mean. */
  readonly degrees: number;
  readonly p: number;
}

/** Pearson's statistic, group by group. */
export class Pearson implements Carried {
  private statistic = 0;
  private degrees = 0;
  private variance = 0;
  private third = 0;

  /** @param n events of a group. @param m candidates. @param squares Σ of its squared counts. */
  add(n: number, m: number, squares: number): void {
    if (m < 2 || n < LEAST_EXPECTED * m) return;
    const p = 1 / m;
    this.statistic += (squares * m) / n - n;
    this.degrees += m - 1;
    this.variance += (2 * (m - 1) * (n - 1)) / n;
    // The statistic is (2m/n)·U and a constant, with U = Σ over pairs of events of ([same arm] − p), whose third moment is
    // that of the pairs and, six times each, of the triples.
    const pairs = (n * (n - 1)) / 2;
    const triples = (pairs * (n - 2)) / 3;
    this.third += ((2 * m) / n) ** 3 * p * (1 - p) * (pairs * (1 - 2 * p) + 6 * triples * p);
  }

  /** `null` where no group had events enough. @param inflation of the counts' variance: the statistic is divided by it. */
  test(inflation = 1): PearsonTest | null {
    const { degrees, variance, third } = this;
    const statistic = this.statistic / inflation;
    if (degrees === 0) return null;
    const shape = (4 * variance ** 3) / third ** 2;
    const at = shape + ((statistic - degrees) / Math.sqrt(variance)) * Math.sqrt(shape);
    return { statistic, degrees, p: at <= 0 ? 1 : Math.max(0, 1 - chiSquareCdf(2 * at, 2 * shape)) };
  }

  carry(archive: Archive): void {
    this.statistic = archive.number(this.statistic);
    this.degrees = archive.number(this.degrees);
    this.variance = archive.number(this.variance);
    this.third = archive.number(this.third);
  }
}

/** Number of Dirichlet alternatives. */
export const ALTERNATIVES = CONCENTRATIONS.length;

/** ln of (α)(α + 1) … (α + c − 1) for c = 0 … */
function risingFactorials(alpha: number, kept: number): Float64Array {
  const table = new Float64Array(kept);
  for (let c = 1; c < kept; c++) table[c] = table[c - 1] + Math.log(alpha + c - 1);
  return table;
}

/** For α = Σα. */
const totals = CONCENTRATIONS.map((sum) => risingFactorials(sum, KEPT_TOTALS));

/** For α = Σα/m, by m. */
const rising = new Map<number, Float64Array[]>();

function risingOf(m: number): Float64Array[] {
  let known = rising.get(m);
  if (known === undefined) {
    known = CONCENTRATIONS.map((sum) => risingFactorials(sum / m, KEPT));
    // Very many sizes of candidate sets are no reason to keep as many tables.
    if (rising.size > 256) rising.clear();
    rising.set(m, known);
  }
  return known;
}

/** Adds to `logs[i]` the logarithm of the likelihood ratio of alternative i: the parts of one group. */
export class Dirichlet {
  private readonly tables: Float64Array[];

  constructor(private readonly m: number) {
    this.tables = risingOf(m);
  }

  /** An arm with so many of the group's events. */
  addCount(count: number, logs: Float64Array): void {
    if (count === 0) return;
    const { tables, m } = this;
    if (count < KEPT) {
      for (let i = 0; i < ALTERNATIVES; i++) logs[i] += tables[i][count];
      return;
    }
    for (let i = 0; i < ALTERNATIVES; i++) {
      const alpha = CONCENTRATIONS[i] / m;
      logs[i] += gammaln(count + alpha) - gammaln(alpha);
    }
  }

  /** All events of the group. */
  addTotal(n: number, logs: Float64Array): void {
    const due = n * Math.log(this.m);
    for (let i = 0; i < ALTERNATIVES; i++) {
      const sum = CONCENTRATIONS[i];
      logs[i] += due - (n < KEPT_TOTALS ? totals[i][n] : gammaln(n + sum) - gammaln(sum));
    }
  }
}

/** ln of the mean of `count` numbers that are given by their logarithms; those left out count as 0. */
export class LogMean {
  private most = Number.NEGATIVE_INFINITY;
  private sum = 0;

  add(log: number): void {
    if (log === Number.NEGATIVE_INFINITY) return;
    if (log > this.most) {
      this.sum = this.sum * Math.exp(this.most - log) + 1;
      this.most = log;
    } else this.sum += Math.exp(log - this.most);
  }

  value(count: number): number {
    return this.most + Math.log(this.sum / count);
  }
}

/** ln of the mean of numbers given by their logarithms. */
export function logMean(logs: ArrayLike<number>): number {
  const mean = new LogMean();
  for (let i = 0; i < logs.length; i++) mean.add(logs[i]);
  return mean.value(logs.length);
}

/** Number of alternatives of a favoured arm. */
export const FAVOURED = FAVOURS.length;

/**
 * Adds the likelihood ratios of one arm favoured in a group of n events on m candidates, logged `count` times; nothing where
 * that is no more than is due.
 */
export function addFavoured(into: LogMean, n: number, m: number, count: number): void {
  if (count * m <= n) return;
  for (const odds of FAVOURS) into.add(count * Math.log(odds) + n * Math.log(m / (m - 1 + odds)));
}

/** Share of the level that is the likelihood ratio's where there are both tests: it says more with every event, so it can spare it. */
const RATIO_SHARE = 1 / 8;

/** p of both tests: that of the likelihood ratio alone, or the smaller one by its share. @param log of the likelihood ratio. */
export function combined(pearson: PearsonTest | null, log: number): number {
  const p = Math.exp(-log);
  return Math.min(1, pearson === null ? p : Math.min(pearson.p / (1 - RATIO_SHARE), p / RATIO_SHARE));
}
