/**
 * The finite-sample bound of Li, Chu, Langford & Wang (WSDM 2011, Theorem 2) with the constants of its proof.
 *
 * For a policy that always chooses a candidate, and payoffs in [0, 1], T and Ĝ are sums of L independent terms with means
 * N = L/K and gN. Multiplicative Chernoff bounds at δ/2 each give, with probability at least 1 − δ,
 *
 *     |T − N| ≤ γ₁ N,   |Ĝ − gN| ≤ γ₂ gN,   γ₁ = √(3 ln(4/δ) / N),   γ₂ = √(3 ln(4/δ) / (gN)),
 *
 * and then |ĝ − g| ≤ (γ₁ + γ₂) g / (1 − γ₁).
 *
 * g is unknown and γ₂ depends on it, so ĝ is not put in its place: the interval is the set of all g that satisfy the
 * inequality. Because γ₂ = γ₁/√g, both ends are roots of a quadratic in √g. What the proof leaves out:
 *
 * - The Chernoff bound has this form for γ ≤ 1 only. γ₁ ≥ 1: nothing can be said. γ₂ > 1, i.e. g < γ₁²: a smaller mean makes
 *   a large Ĝ less likely still, so such g are excluded exactly where g = γ₁² is excluded from above.
 * - Pools of several sizes: E T = Σ 1/|A_t|, which `effectiveArms` makes equal to L/K.
 * - A policy that names an arm outside the pool at some events has E T < L/K. N is therefore min(L/K, T): never narrower than
 *   the theorem, and the same wherever T ≥ L/K.
 * - With a fixed number of valid events L is not fixed in advance, which the theorem wants; it is then a rule of thumb.
 */

import { EVERYTHING, type Interval, type Sample } from './method.js';

export function theorem2(sample: Sample, delta: number): Interval {
  const { matches: T, mean, low, high, events: L, effectiveArms: K } = sample;
  const range = high - low;
  const estimate = (mean - low) / range;
  const gamma1 = chernoffGamma(Math.min(L / K, T), delta);
  if (gamma1 >= 1) return [...EVERYTHING];
  const [lower, upper] = consistentValues(estimate, gamma1);
  return [low + range * lower, low + range * upper];
}

/** γ with P(|X − μ| > γ μ) ≤ δ/2 for a sum X of independent [0, 1] terms of mean μ, where γ ≤ 1. */
export function chernoffGamma(mean: number, delta: number): number {
  return Math.sqrt((3 * Math.log(4 / delta)) / mean);
}

/** The ends of {g : |ĝ − g| ≤ (γ₁ + γ₁/√g) g / (1 − γ₁)}, γ₁ in (0, 1). */
function consistentValues(estimate: number, gamma1: number): Interval {
  const c = estimate * (1 - gamma1);
  // g below ĝ: g + γ₁√g ≥ c, written so that nothing cancels.
  const lowerRoot = (2 * c) / (gamma1 + Math.sqrt(gamma1 * gamma1 + 4 * c));
  const lower = lowerRoot <= gamma1 ? 0 : lowerRoot * lowerRoot;
  // g above ĝ: (1 − 2γ₁) g − γ₁√g ≤ c; every g where 1 − 2γ₁ ≤ 0.
  const a = 1 - 2 * gamma1;
  if (a <= 0) return [lower, Number.POSITIVE_INFINITY];
  const upperRoot = (gamma1 + Math.sqrt(gamma1 * gamma1 + 4 * a * c)) / (2 * a);
  return [lower, upperRoot * upperRoot];
}
