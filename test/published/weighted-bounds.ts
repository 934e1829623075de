/**
 * By how much weighted values may differ from a reference's, from what a result says of its rounding: each weight is moved by at most δ
 * of itself, each prediction by ε. To each bound 10⁻⁹ of the number itself is added.
 */
import type { EstimatorName } from '#dist/estimate/estimators/index.js';
import type { EvaluationResult } from '#dist/report/result.js';

/** A policy's weights. */
export interface Weighed {
  /** Σ w r / n */
  readonly ips: number;
  /** Σ w / n */
  readonly mean: number;
  readonly ess: number;
  /** max w */
  readonly most: number;
}

export interface Surroundings {
  /** max |q̂|; payoffs are clicks. */
  readonly predicted?: number;
  /** What the predictions of two programs differ by, beside ε. */
  readonly fitted?: number;
  /** Mean payoff of the log, or more. */
  readonly paid?: number;
}

/** What f64 makes of adding 10⁴ terms of either sign in pairs, as a share of their sizes: 14 · 2⁻⁵³, and as much for each term. */
const SUMMING = 1e-14;

/**
 * Σ w r moves by δ of itself, a weighted sum of residuals by δ Σ w |e| with |e| ≤ r + max |q̂|, and a ratio of such sums by twice the
 * share. What is clipped, switched off or shrunk is no more than the whole.
 */
export function valueBound(
  result: EvaluationResult,
  name: EstimatorName,
  { value, ...weighed }: Weighed & { readonly value: number },
  { predicted = 0, fitted = 0, paid = 1 }: Surroundings = {},
): number {
  const { delta, epsilon } = roundings(result, name);
  const { ips, mean } = weighed;
  const weighted = (delta + SUMMING) * (ips + predicted * mean);
  const model = epsilon + fitted + SUMMING * predicted;
  const own = 1e-9 * Math.abs(value);
  switch (name) {
    case 'replay':
      return own;
    case 'ips':
    case 'ips-clip':
      return own + delta * ips;
    case 'snips':
    case 'snips-clip':
      return own + 2.01 * delta * value;
    case 'dm':
      return own + model;
    case 'sndr':
      return own + 2.01 * (weighted / mean) + 2 * model;
    case 'cressie-read':
      return own + cressieRead(delta, result.log.events, value, weighed, paid) + SUMMING;
    default:
      return own + weighted + model * (1 + mean);
  }
}

/**
 * A standard error √(Σ (x − x̄)² / n (n − 1)) moves by no more than the norm of what moves the x = q̂ + w e: δ w |e| + ε (1 + w), with
 * |e| ≤ 1 + max |q̂| and √(Σ w²) / n = (Σ w / n) / √ESS.
 */
export function errorBound(
  result: EvaluationResult,
  name: EstimatorName,
  { mean, ess, error }: Weighed & { readonly error: number },
  { predicted = 0 }: Surroundings = {},
): number {
  const { delta, epsilon } = roundings(result, name);
  const norm = (delta * (1 + predicted) + epsilon) * (mean / Math.sqrt(ess)) + epsilon / Math.sqrt(result.log.events);
  return 1.01 * norm + 1e-9 * error;
}

/**
 * Σ w and Σ w r move by δ of themselves, Σ w² and Σ w² r by twice that. With m, s, a, b these four over 1 + n, the value is
 * a + (1 − m) r̄ where weights are too small, and else ((s − m) a + (1 − m) b) / (s − m²), whose terms move one by one; b ≤ a · max w.
 */
function cressieRead(delta: number, n: number, value: number, { ips, mean, ess, most }: Weighed, paid: number): number {
  if (mean < 1) return delta * (ips + mean * paid);
  const share = n / (1 + n);
  const [m, s] = [mean * share, (mean ** 2 * share * n) / ess];
  const [a, b] = [ips * share, ips * share * most];
  const top = 3 * s * a + 2 * m * a + 2 * b + 3 * m * b;
  return (delta * (top + value * (2 * s + 2 * m * m))) / (s - m * m);
}

/** δ and ε. */
export function roundings({ estimators }: EvaluationResult, name: EstimatorName): { delta: number; epsilon: number } {
  const { rounding = 0, predictionRounding = 0 } = estimators.find((one) => one.name === name) ?? {};
  return { delta: rounding, epsilon: predictionRounding };
}
