/** Variances from exact sums: each is a quotient of whole numbers, so that nothing cancels and a constant payoff has none. */

import type { ModelSums, PolicyNumbers, WeightedSums } from '../policy-numbers.js';
import { quotient } from '../sums/whole-numbers.js';

/** n / d of squared units, in squared payoffs. */
export function squaredPayoffs({ inPayoffs }: WeightedSums, n: bigint, d: bigint): number {
  const size = inPayoffs(1n, 1n);
  return Math.max(0, quotient(n, d)) * size * size;
}

/** s_w²/ESS = Σ w (y − ȳ)² / Σ w · Σ w² / (Σ w)², ȳ = Σ w y / Σ w. */
export function independentVariance(sums: WeightedSums): number | null {
  const { w, ww, wy, wyy } = sums;
  return w === 0n ? null : squaredPayoffs(sums, (wyy * w - wy * wy) * ww, w ** 4n);
}

/** The same of residuals, and Var Q / L, divisor L. */
export function independentModelVariance(numbers: PolicyNumbers): number | null {
  const sums = numbers.residuals();
  const own = independentVariance(sums);
  return own === null ? null : own + squaredPayoffs(sums, squaresOfQ(numbers, sums), numbers.events ** 4n);
}

/** Σ c² (Q − Q̄)² · (Σ c)² */
export function squaresOfQ(numbers: PolicyNumbers, { q, cq, qq }: ModelSums): bigint {
  return aboutMean(numbers, q, cq, qq);
}

/** Of the mean Σ c (Q + w e) / Σ c over L events, each of which counts c. */
export function meanVariance(
  numbers: PolicyNumbers,
  sums: WeightedSums,
  { q, qq, cq, wqe }: Pick<ModelSums, 'q' | 'qq' | 'cq' | 'wqe'>,
): number | null {
  const { logged, events } = numbers;
  if (logged < 2n) return null;
  const { one, wy, cwy, wwyy } = sums;
  const squares = one * one * qq + 2n * one * wqe + wwyy;
  const spread = aboutMean(numbers, one * q + wy, one * cq + cwy, squares);
  return squaredPayoffs(sums, spread * logged, one * one * events ** 4n * (logged - 1n));
}

/** The same with a reward model. */
export function meanModelVariance(numbers: PolicyNumbers): number | null {
  const sums = numbers.residuals();
  return meanVariance(numbers, sums, sums);
}

/** Σ c² (y − ȳ)² · (Σ c)², ȳ = Σ c y / Σ c. @param y Σ c y. @param cy Σ c² y. @param yy Σ c² y². */
function aboutMean({ events, squares }: PolicyNumbers, y: bigint, cy: bigint, yy: bigint): bigint {
  return yy * events * events - 2n * y * cy * events + y * y * squares;
}

/** L/(L−1) Σ w² (y − ȳ)² / (Σ w)²: of the ratio ȳ = Σ w y / Σ w. */
export function ratioVariance({ logged }: PolicyNumbers, sums: WeightedSums): number | null {
  const { w, ww, wy, wwy, wwyy } = sums;
  if (logged < 2n || w === 0n) return null;
  const squares = wwyy * w * w - 2n * wy * w * wwy + wy * wy * ww;
  return squaredPayoffs(sums, squares * logged, w ** 4n * (logged - 1n));
}

/** Without a reward model. */
export const NO_MODEL = { q: 0n, qq: 0n, cq: 0n, wq: 0n, wqe: 0n } as const;
