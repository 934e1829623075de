/**
 * Self-normalised inverse propensity scoring (Hájek's ratio; Swaminathan & Joachims, NeurIPS 2015): v̂ = Σ w r / Σ w. Stays within
 * the payoffs, is exact for constant ones, shifts with them, and on a uniform log is replay. ψ = w (r − v̂) / Σ w.
 */

import type { PolicyNumbers } from '../policy-numbers.js';
import { clipped, FULL_WEIGHT } from '../weights/weight-rule.js';
import type { Estimator } from './estimator.js';
import { independentVariance, ratioVariance } from './moments.js';

const formulas = {
  needs: 'propensities',
  usesModel: false,
  divisor: 'weights',
  value: ({ payoffs }: PolicyNumbers) => {
    const { w, wy, inPayoffs } = payoffs();
    return w === 0n ? null : inPayoffs(wy, w);
  },
  variance: (numbers: PolicyNumbers) => ratioVariance(numbers, numbers.payoffs()),
  influence: (all: PolicyNumbers, part: PolicyNumbers) => {
    const { w, wy, inPayoffs } = all.payoffs();
    const { w: some, wy: own } = part.payoffs();
    return inPayoffs(own * w - wy * some, w * w);
  },
  independentVariance: ({ payoffs }: PolicyNumbers) => independentVariance(payoffs()),
} as const;

export const snips = {
  name: 'snips',
  summary: 'self-normalised inverse propensity scoring',
  parameter: null,
  weights: () => FULL_WEIGHT,
  ...formulas,
} as const satisfies Estimator;

export const snipsClip = {
  name: 'snips-clip',
  summary: 'snips with weights of at most --clip',
  parameter: 'clip',
  weights: clipped,
  ...formulas,
} as const satisfies Estimator;
