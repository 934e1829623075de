/**
 * Self-normalised doubly robust (Thomas & Brunskill, ICML 2016): v̂ = Σ Q / L + d, d = Σ w e / Σ w. A constant model gives snips.
 * ψ = (Q − Q̄)/L + w (e − d) / Σ w.
 */

import { quotient } from '../sums/whole-numbers.js';
import { FULL_WEIGHT } from '../weights/weight-rule.js';
import type { Estimator } from './estimator.js';
import { independentModelVariance, meanVariance, ratioVariance } from './moments.js';

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
  variance: ({ events, residuals }) => {
    const sums = residuals();
    if (sums.w === 0n) return meanVariance(events, sums);
    const ratio = ratioVariance(events, sums);
    if (ratio === null) return null;
    const { w, wy, q, qq, wq, wqe, inPayoffs } = sums;
    // Σ (Q − Q̄)²/L² and 2 Σ (Q − Q̄) w (e − d) / (L Σ w), in which Q̄ falls out.
    const own = quotient(events * qq - q * q, events ** 3n);
    const both = quotient(2n * (wqe * w - wy * wq), events * w * w);
    const size = inPayoffs(1n, 1n);
    return Math.max(0, ratio + ((own + both) * size * size * Number(events)) / Number(events - 1n));
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
