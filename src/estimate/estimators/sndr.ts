/**
 * Self-normalised doubly robust (Thomas & Brunskill, ICML 2016): v̂ = Σ Q / L + d, d = Σ w e / Σ w. A constant model gives snips.
 * ψ = (Q − Q̄)/L + w (e − d) / Σ w.
 */

import { quotient } from '../sums/whole-numbers.js';
import { FULL_WEIGHT } from '../weights/weight-rule.js';
import type { Estimator } from './estimator.js';
import { independentModelVariance, meanModelVariance, ratioVariance, squaresOfQ } from './moments.js';

export const sndr = {
  name: 'sndr',
  summary: 'dr with the correction divided by the sum of weights',
  needs: 'propensities',
  usesModel: true,
  parameter: null,
  divisor: 'weights',
  weights: () => FULL_WEIGHT,
  value: ({ events, residuals }) => {
    const { w, wy, q, inPayoffs } = residuals();
    if (events === 0n) return null;
    return w === 0n ? inPayoffs(q, events) : inPayoffs(q * w + wy * events, events * w);
  },
  variance: (numbers) => {
    const { logged, events } = numbers;
    const sums = numbers.residuals();
    if (sums.w === 0n) return meanModelVariance(numbers);
    const ratio = ratioVariance(numbers, sums);
    if (ratio === null) return null;
    const { w, wy, cw, cwy, q, wq, wqe, inPayoffs } = sums;
    // Σ (Q − Q̄)²/L² and 2 Σ (Q − Q̄) w (e − d) / (L Σ w), in which Q̄ falls out where events count alike.
    const own = quotient(squaresOfQ(numbers, sums), events ** 4n);
    const both = quotient(2n * (events * (wqe * w - wy * wq) + q * (wy * cw - cwy * w)), events * events * w * w);
    const size = inPayoffs(1n, 1n);
    return Math.max(0, ratio + ((own + both) * size * size * Number(logged)) / Number(logged - 1n));
  },
  influence: (all, part) => {
    const { w, wy, q, inPayoffs } = all.residuals();
    const own = part.residuals();
    return (
      inPayoffs(own.q * all.events - q * part.events, all.events * all.events) +
      (w === 0n ? 0 : inPayoffs(own.wy * w - wy * own.w, w * w))
    );
  },
  independentVariance: independentModelVariance,
} as const satisfies Estimator;
