/**
 * A confidence sequence that holds for any number of events: predictable empirical Bernstein (Waudby-Smith & Ramdas, "Estimating means of
 * bounded random variables by betting", JRSS B 2024, Theorem 2; for weights without a bound Waudby-Smith, Wu, Ramdas, Karampatziakis &
 * Mineiro, "Anytime-valid off-policy inference for contextual bandits", 2024).
 *
 * For ξ ≥ 0 of mean μ, and λ in [0, 1) and ξ̂ ≤ 1 that are known before: y = ξ − ξ̂ ≥ −1, so that exp(λy − ψ(λ)y²) ≤ 1 + λy with
 * ψ(λ) = −ln(1 − λ) − λ (Fan, Grama & Liu, 2015), and the product over events of exp(λ(ξ − μ) − ψ(λ)(ξ − ξ̂)²) is a supermartingale. It
 * reaches 2/α with probability α/2 at most (Ville), hence at all looks at once
 *
 *     μ ≥ (Σ λ S − ln(2/α) − Σ ψ(λ) (Q − 2ξ̂S + nξ̂²)) / Σ λ n,     n events of a block, S = Σ ξ, Q = Σ ξ²,
 *
 * with λ and ξ̂ of a block from the blocks before it. The first block with a match so sets those of the next, and counts for no more.
 *
 * ξ is w (r − low)/(high − low): no weight is too large for the lower bound. The upper one is 1 less the lower bound of what was missed:
 * of 1 − ξ/M, times M, where no weight can be above M (replay: M = 1, over matches); without M of w (high − r)/(high − low), which is
 * wider where payoffs are rare.
 */

import type { PolicyNumbers } from '../policy-numbers.js';
import { quotient } from '../sums/whole-numbers.js';
import type { PolicyLooks, SequenceBounds, SequenceLevel, SequenceMethod } from './method.js';

/** Of numbers ξ up to a look. */
export interface Sums {
  /** Of the log so far. */
  readonly events: number;
  /** Numbers ξ: as many as events, or of replay as matches. */
  readonly count: number;
  /** Σ ξ, Σ ξ² */
  readonly sum: number;
  readonly squares: number;
  /** What ξ² may come to at an event: its mean where everything matched pays the most; 0: nothing has matched. */
  readonly single: number;
}

const NONE: Sums = { events: 0, count: 0, sum: 0, squares: 0, single: 0 };

/** The largest bound on the mean of ξ at looks up to each; −∞: nothing is known yet. @param looks cumulative. */
export function lowerBounds(looks: readonly Sums[], { delta, at }: SequenceLevel): number[] {
  const log = Math.log(2 / delta);
  let [gain, weight, best] = [0, 0, Number.NEGATIVE_INFINITY];
  return looks.map((now, look) => {
    const past = looks[look - 1] ?? NONE;
    const [count, sum] = [now.count - past.count, now.sum - past.sum];
    if (past.single > 0 && count > 0) {
      const mean = past.sum / past.count;
      const centre = Math.min(1, mean);
      // One more event, that paid the most, lest the variance of a few that paid nothing be none.
      const variance = (Math.max(0, past.squares - past.sum * mean) + past.single) / (past.count + 1);
      const rate = Math.min(0.5, Math.sqrt((2 * log * past.events) / (variance * past.count * at)));
      const spread = now.squares - past.squares - 2 * centre * sum + count * centre * centre;
      gain += rate * sum - (-Math.log1p(-rate) - rate) * Math.max(0, spread);
      weight += rate * count;
      best = Math.max(best, (gain - log) / weight);
    }
    return best;
  });
}

/** Σ over matches of weights w and payoffs r in [0, 1]. */
interface Weighted {
  readonly w: number;
  readonly ww: number;
  readonly wr: number;
  readonly wwr: number;
  readonly wwrr: number;
  readonly matches: number;
}

function weighted(numbers: PolicyNumbers, [low, high]: PolicyLooks['range']): Weighted {
  const range = high - low;
  const sums = numbers.payoffs();
  const square = sums.one * sums.one;
  const [w, ww] = [quotient(sums.w, sums.one), quotient(sums.ww, square)];
  const wwy = sums.inPayoffs(sums.wwy, square);
  const wwyy = quotient(sums.wwyy, square) * sums.inPayoffs(1n, 1n) ** 2;
  return {
    ...{ w, ww, matches: Number(numbers.matches) },
    wr: (sums.inPayoffs(sums.wy, sums.one) - low * w) / range,
    wwr: (wwy - low * ww) / range,
    wwrr: (wwyy - 2 * low * wwy + low * low * ww) / range ** 2,
  };
}

function unweighted(numbers: PolicyNumbers, [low, high]: PolicyLooks['range']): Weighted {
  const range = high - low;
  const { matches: T, payoff, centred } = numbers.plain();
  const mean = ((numbers.meanPayoff(T, payoff) ?? low) - low) / range;
  const squares = centred * (numbers.stepSize / range) ** 2 + T * mean * mean;
  return { matches: T, w: T, ww: T, wr: T * mean, wwr: T * mean, wwrr: squares };
}

/** Bounds on E ξ within [0, 1], from payoffs that are scaled to it. */
function scaledBounds(policy: PolicyLooks, level: SequenceLevel): SequenceBounds {
  const { events, numbers, range, unweighted: plain } = policy;
  const sums = events.map((_, look) => (plain ? unweighted : weighted)(numbers(look), range));
  const most = plain ? 1 : policy.mostWeight;
  const bounds = (of: (sums: Weighted, count: number) => Omit<Sums, 'events' | 'count'>): number[] =>
    lowerBounds(
      sums.map((at, look) => {
        const count = plain ? at.matches : events[look];
        return { events: events[look], count, ...of(at, count) };
      }),
      level,
    );
  const single = ({ ww, matches }: Weighted): number => (matches === 0 ? 0 : ww / matches);
  const lower = bounds((at) => ({ sum: at.wr, squares: at.wwrr, single: single(at) }));
  const missed =
    most === null
      ? bounds((at) => ({ sum: at.w - at.wr, squares: at.ww - 2 * at.wwr + at.wwrr, single: single(at) }))
      : bounds((at, count) => ({
          sum: count - at.wr / most,
          squares: count - (2 * at.wr) / most + at.wwrr / most ** 2,
          single: single(at) / most ** 2,
        })).map((bound) => 1 - most * (1 - bound));
  return { lower, upper: missed.map((bound) => 1 - bound) };
}

export const empiricalBernstein = {
  name: 'empirical-bernstein',
  summary: 'for any number of events, wider; above by the largest weight there can be (--least-propensity)',
  fits: ({ name }) => name === 'replay' || name === 'ips',
  bounds: (policy: PolicyLooks, level: SequenceLevel): SequenceBounds => {
    const [low, high] = policy.range;
    if (!(low < high)) return { lower: policy.events.map(() => low), upper: policy.events.map(() => high) };
    const { lower, upper } = scaledBounds(policy, level);
    const inRange = (bound: number): number => Math.min(high, Math.max(low, low + bound * (high - low)));
    return { lower: lower.map(inRange), upper: upper.map(inRange) };
  },
} as const satisfies SequenceMethod;
