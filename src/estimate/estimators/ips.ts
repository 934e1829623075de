/**
 * Inverse propensity scoring (Horvitz and Thompson, JASA 1952): v̂ = Σ w r / L, w = V/p. Unbiased for whatever policy logged the
 * events, if p_t is the probability with which it chose a_t, and the policy never chooses what that one never does.
 * ψ = (w r − v̂)/L. With clipped weights min(w, M) the bias is at most the share of weight that clipping removes, times the range.
 */

import type { PolicyNumbers } from '../policy-numbers.js';
import { clipped, FULL_WEIGHT } from '../weights/weight-rule.js';
import type { Estimator } from './estimator.js';
import { independentVariance, meanVariance, NO_MODEL } from './moments.js';

const formulas = {
  needs: 'propensities',
  usesModel: false,
  divisor: 'events',
  value: ({ events, matches, payoffs }: PolicyNumbers) => {
    if (matches === 0n) return null;
    const { one, wy, inPayoffs } = payoffs();
    return inPayoffs(wy, one * events);
  },
  variance: (numbers: PolicyNumbers) => meanVariance(numbers, numbers.payoffs(), NO_MODEL),
  influence: (all: PolicyNumbers, part: PolicyNumbers) => {
    const { one, wy, inPayoffs } = all.payoffs();
    return inPayoffs(part.payoffs().wy * all.events - wy * part.events, one * all.events * all.events);
  },
  independentVariance: ({ payoffs }: PolicyNumbers) => independentVariance(payoffs()),
} as const;

export const ips = {
  name: 'ips',
  summary: 'inverse propensity scoring',
  parameter: null,
  weights: () => FULL_WEIGHT,
  ...formulas,
} as const satisfies Estimator;

export const ipsClip = {
  name: 'ips-clip',
  summary: 'ips with weights of at most --clip',
  parameter: 'clip',
  weights: clipped,
  ...formulas,
} as const satisfies Estimator;
