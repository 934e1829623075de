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
export function independentModelVariance({ events, residuals }: PolicyNumbers): number | null {
  const sums = residuals();
  const own = independentVariance(sums);
  return own === null ? null : own + squaredPayoffs(sums, events * sums.qq - sums.q * sums.q, events ** 3n);
}

/** Of the mean of Q + w e over L events. */
export function meanVariance(events: bigint, sums: WeightedSums & Pick<ModelSums, 'q' | 'qq' | 'wqe'>): number | null {
  if (events < 2n) return null;
  const { one, q, qq, wqe, wy, wwyy } = sums;
  const total = one * q + wy;
  const squares = one * one * qq + 2n * one * wqe + wwyy;
  return squaredPayoffs(sums, events * squares - total * total, one * one * events * events * (events - 1n));
}

/** L/(L−1) Σ w² (y − ȳ)² / (Σ w)²: of the ratio ȳ = Σ w y / Σ w. */
export function ratioVariance(events: bigint, sums: WeightedSums): number | null {
  const { w, ww, wy, wwy, wwyy } = sums;
  if (events < 2n || w === 0n) return null;
  const squares = wwyy * w * w - 2n * wy * w * wwy + wy * wy * ww;
  return squaredPayoffs(sums, squares * events, w ** 4n * (events - 1n));
}

/** Without a reward model. */
export const NO_MODEL = { q: 0n, qq: 0n, wq: 0n, wqe: 0n } as const;
