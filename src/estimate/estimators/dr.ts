/**
 * Doubly robust (Dudík, Langford & Li, ICML 2011): v̂ = Σ (Q + w e) / L, e = r − q̂(x, a). Unbiased where propensities are right, and
 * near where the model is. ψ = (Q + w e − v̂)/L. Its kin counts less of the largest weights, at the price of the model's bias there.
 */

import type { PolicyNumbers } from '../policy-numbers.js';
import { clipped, FULL_WEIGHT, shrunk, switched } from '../weights/weight-rule.js';
import type { Estimator } from './estimator.js';
import { independentModelVariance, meanModelVariance } from './moments.js';

const formulas = {
  needs: 'propensities',
  usesModel: true,
  divisor: 'events',
  value: ({ events, residuals }: PolicyNumbers) => {
    if (events === 0n) return null;
    const { one, q, wy, inPayoffs } = residuals();
    return inPayoffs(one * q + wy, one * events);
  },
  variance: meanModelVariance,
  influence: (all: PolicyNumbers, part: PolicyNumbers) => {
    const [total, own] = [all.residuals(), part.residuals()];
    const { one, inPayoffs } = total;
    return inPayoffs(
      (one * own.q + own.wy) * all.events - (one * total.q + total.wy) * part.events,
      one * all.events * all.events,
    );
  },
  independentVariance: independentModelVariance,
} as const;

export const dr = {
  name: 'dr',
  summary: 'doubly robust: the reward model, corrected by the weighted payoffs of matches',
  parameter: null,
  weights: () => FULL_WEIGHT,
  ...formulas,
} as const satisfies Estimator;

export const drClip = {
  name: 'dr-clip',
  summary: 'dr with weights of at most --clip',
  parameter: 'clip',
  weights: clipped,
  ...formulas,
} as const satisfies Estimator;

export const switchDr = {
  name: 'switch-dr',
  summary: 'dr that leaves events of a weight above --switch to the model',
  parameter: 'switch',
  weights: switched,
  ...formulas,
} as const satisfies Estimator;

export const dros = {
  name: 'dros',
  summary: 'dr with weights shrunk by --shrinkage λ to λw/(w² + λ)',
  parameter: 'shrinkage',
  weights: shrunk,
  ...formulas,
} as const satisfies Estimator;
