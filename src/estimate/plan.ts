/**
 * How large must a log be? The two planning questions that the theory of replay answers
 * (Li, Chu, Langford & Wang, WSDM 2011, Theorems 1 and 2).
 *
 * K need not be whole: for pools of several sizes it is their harmonic mean, L / Σ 1/|A_t|.
 */

import betainc from '@stdlib/math-base-special-betainc';
import { InputError } from '../errors.js';
import { checkKeys } from '../options/misspelt.js';
import { checkValidEvents } from './estimators/valid-events.js';
import { checkConfidence } from './interval/index.js';
import { chernoffGamma } from './interval/theorem-2.js';
import { zScore } from './interval/z-score.js';

/** Logged events needed for T valid ones. */
export interface MatchesPlan {
  /** K·T: the mean number. */
  expected: number;
  /** The smallest L that suffices with the wanted probability, exactly: the quantile of the T-th success at rate 1/K. */
  exact: number;
  /** Theorem 1's bound: ⌈2K (T + ln(1/δ))⌉ suffice with probability at least 1 − δ. */
  bound: number;
}

/**
 * Logged events needed so that a policy is matched `validEvents` times with probability `confidence` = 1 − δ.
 *
 * @throws InputError unless T is whole and at least 1, K finite and at least 1, confidence in (0, 1).
 */
export function planMatches(question: { validEvents: number; arms: number; confidence: number }): MatchesPlan {
  checkKeys(question, ['validEvents', 'arms', 'confidence']);
  const { validEvents: T, arms: K, confidence } = question;
  checkValidEvents(T);
  checkArms(K);
  checkConfidence(confidence);
  return {
    expected: K * T,
    exact: eventsForMatches(T, K, confidence),
    bound: Math.ceil(2 * K * (T + Math.log(1 / (1 - confidence)))),
  };
}

/** Smallest L with P(Binomial(L, 1/K) ≥ T) ≥ confidence. P = I_{1/K}(T, L − T + 1), increasing in L. */
function eventsForMatches(T: number, K: number, confidence: number): number {
  const enough = (L: number) => betainc(1 / K, T, L - T + 1) >= confidence;
  if (enough(T)) return T;
  let few = T;
  // Theorem 1 says that this many suffice.
  let many = Math.ceil(2 * K * (T + Math.log(1 / (1 - confidence)))) + 1;
  while (many - few > 1) {
    const middle = few + Math.floor((many - few) / 2);
    if (enough(middle)) many = middle;
    else few = middle;
  }
  return many;
}

/** Logged events needed for a wanted error. */
export interface ErrorPlan {
  /** By Theorem 2: the smallest L whose bound on |ĝ − g| is at most the error. Holds for every L, and is far from tight. */
  theorem2: number;
  /** γ₁ and γ₂ at that L. */
  gamma1: number;
  gamma2: number;
  /** By the normal approximation: z² σ² K / ε² with σ² the largest variance at that value, g (1 − g) for payoffs in [0, 1]. */
  normal: number;
}

/**
 * Logged events needed to estimate a policy whose value is about `value` to within ±`error` at the given confidence.
 *
 * @param question `value` and `error` in payoff units; `range` [low, high] of payoffs, [0, 1] if left out.
 * @throws InputError unless low < value ≤ high, error > 0, K ≥ 1, confidence in (0, 1).
 */
export function planError(question: {
  value: number;
  error: number;
  arms: number;
  confidence: number;
  range?: readonly [number, number];
}): ErrorPlan {
  // A misspelt `range` would be no range.
  checkKeys(question, ['value', 'error', 'arms', 'confidence', 'range']);
  const { value, error, arms: K, confidence, range: [low, high] = [0, 1] } = question;
  checkArms(K);
  checkConfidence(confidence);
  if (!(Number.isFinite(low) && Number.isFinite(high) && low < high)) {
    throw new InputError({
      problem: 'the payoff range is not usable',
      got: `[${low}, ${high}]`,
      needed: 'two finite numbers, the lower one first',
    });
  }
  if (!(value > low && value <= high)) {
    throw new InputError({
      problem: 'the expected value is not usable',
      got: String(value),
      needed: `a payoff above ${low} and at most ${high}`,
    });
  }
  if (!(Number.isFinite(error) && error > 0)) {
    throw new InputError({
      problem: 'the wanted error is not usable',
      got: String(error),
      needed: 'a finite number above 0, in payoff units',
    });
  }
  const delta = 1 - confidence;
  const g = (value - low) / (high - low);
  const e = error / (high - low);
  const gammas = (L: number) => ({ gamma1: chernoffGamma(L / K, delta), gamma2: chernoffGamma((g * L) / K, delta) });
  const enough = (L: number) => {
    const { gamma1, gamma2 } = gammas(L);
    // Beyond 1 the Chernoff bounds behind the theorem do not hold.
    return gamma1 < 1 && gamma2 <= 1 && ((gamma1 + gamma2) * g) / (1 - gamma1) <= e;
  };
  // With γ₂ = γ₁/√g the condition reads γ₁ ≤ ε / (g + √g + ε), so L has a closed form; the loops settle its rounding.
  const gamma = Math.min(e / (g + Math.sqrt(g) + e), Math.sqrt(g));
  let L = Math.ceil((K * 3 * Math.log(4 / delta)) / (gamma * gamma));
  if (L < Number.MAX_SAFE_INTEGER) {
    while (!enough(L)) L++;
    while (enough(L - 1)) L--;
  }
  return { theorem2: L, ...gammas(L), normal: Math.ceil((zScore(delta) ** 2 * g * (1 - g) * K) / (e * e)) };
}

function checkArms(K: number): void {
  if (Number.isFinite(K) && K >= 1) return;
  throw new InputError({
    problem: 'the number of arms is not usable',
    got: String(K),
    needed: 'a finite number of at least 1',
  });
}
