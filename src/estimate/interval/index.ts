/** The table of intervals, and the one place that checks their input and clips their output. */

import { InputError } from '../../errors.js';
import type { Totals } from '../sums/exact-sums.js';
import { meanPayoff, type PayoffScale, stepSize } from '../sums/payoff-scale.js';
import { clopperPearson } from './clopper-pearson.js';
import { empiricalBernstein } from './empirical-bernstein.js';
import type { Bounds, Interval, IntervalContext } from './method.js';
import { normal } from './normal.js';
import { theorem2 } from './theorem-2.js';
import { wilson } from './wilson.js';

export type { Interval, IntervalContext } from './method.js';

/** One interval method, as users see it. */
export interface IntervalMethod {
  readonly name: string;
  /** One line for help texts and reports. */
  readonly summary: string;
  /** Payoffs it applies to: 0 and 1 only, or any in the payoff range. */
  readonly payoffs: '0/1' | 'any';
  /** `nominal`: coverage is about the level (approximate); `conservative`: at least the level, for every number of events. */
  readonly coverage: 'nominal' | 'conservative';
  readonly bounds: Bounds;
}

/** Every interval, recommended ones first. */
export const INTERVALS = [
  {
    name: 'wilson',
    summary: 'Wilson score interval (default for 0/1 payoffs)',
    payoffs: '0/1',
    coverage: 'nominal',
    bounds: wilson,
  },
  {
    name: 'clopper-pearson',
    summary: 'exact binomial interval, at least the stated confidence',
    payoffs: '0/1',
    coverage: 'conservative',
    bounds: clopperPearson,
  },
  {
    name: 'empirical-bernstein',
    summary: 'finite-sample bound from the sample variance and the payoff range (default for other payoffs)',
    payoffs: 'any',
    coverage: 'conservative',
    bounds: empiricalBernstein,
  },
  {
    name: 'normal',
    summary: 'normal approximation to the ratio of payoff to matches; needs many matches of each kind',
    payoffs: 'any',
    coverage: 'nominal',
    bounds: normal,
  },
  {
    name: 'theorem-2',
    summary: 'finite-sample bound of Li et al. (2011), Theorem 2, with its explicit constants; wide',
    payoffs: 'any',
    coverage: 'conservative',
    bounds: theorem2,
  },
] as const satisfies readonly IntervalMethod[];

/** Name of an interval. */
export type IntervalName = (typeof INTERVALS)[number]['name'];

/** Names of all methods, in the table's order. */
export const INTERVAL_NAMES: readonly IntervalName[] = INTERVALS.map((method) => method.name);

/** The method used where none is asked for. */
export function defaultInterval(binary: boolean): IntervalName {
  return binary ? 'wilson' : 'empirical-bernstein';
}

/**
 * Finds a method and checks that it fits the payoffs; call it before a long run.
 *
 * @throws InputError for an unknown name, or a method for 0/1 payoffs where payoffs are not; it names those that apply.
 */
export function findInterval(name: string, binary: boolean): (typeof INTERVALS)[number] {
  const usable = INTERVALS.filter((method) => binary || method.payoffs === 'any').map((method) => method.name);
  const found = INTERVALS.find((method) => method.name === name);
  if (found === undefined) {
    throw new InputError({ problem: 'there is no such interval', got: name, needed: `one of ${usable.join(', ')}` });
  }
  if (!usable.includes(found.name)) {
    throw new InputError({
      problem: `the ${name} interval is for 0/1 payoffs, and this log has others`,
      got: name,
      needed: `one of ${usable.join(', ')}`,
    });
  }
  return found;
}

/** @throws InputError unless 0 < confidence < 1. */
export function checkConfidence(confidence: number): void {
  if (confidence > 0 && confidence < 1) return;
  throw new InputError({
    problem: 'the confidence is not usable',
    got: String(confidence),
    needed: 'a number above 0 and below 1, such as 0.95',
    hint: confidence > 1 && confidence < 100 ? `${confidence / 100} for ${confidence} %` : undefined,
  });
}

/**
 * The confidence interval of a policy's value, in payoff units: within the payoff range and around the estimate. The whole
 * payoff range without matches.
 *
 * @param method a name from {@link INTERVAL_NAMES}.
 * @param totals of the policy over the whole log, or over the events consumed.
 * @throws InputError for a bad confidence or a method that does not apply.
 */
export function payoffInterval(
  method: IntervalName,
  totals: Totals,
  scale: PayoffScale,
  confidence: number,
  context: IntervalContext,
): Interval {
  const { bounds } = findInterval(method, context.binary);
  checkConfidence(confidence);
  const { low, high } = scale;
  const { matches, payoff, centred, events } = totals;
  const mean = meanPayoff(scale, matches, payoff);
  if (mean === null || !(low < high)) return [low, high];
  const variance = (centred / (matches - 1)) * stepSize(scale) ** 2;
  const sample = { matches, steps: payoff, mean, variance, low, high, events, effectiveArms: context.effectiveArms };
  const [lower, upper] = bounds(sample, 1 - confidence);
  // Rounding may put a bound an ulp on the wrong side of the estimate; the theory never does.
  return [Math.max(low, Math.min(lower, mean)), Math.min(high, Math.max(upper, mean))];
}
