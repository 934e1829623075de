/**
 * Cressie-Read (Karampatziakis, Langford & Mineiro, NeurIPS 2020): the value under the weights nearest to the observed ones, by the
 * Cressie-Read divergence, whose mean is 1. Closed form for weights from 0 to ∞ and an event outside the log that may have any.
 */

import type { PolicyNumbers } from '../policy-numbers.js';
import { quotient } from '../sums/whole-numbers.js';
import { FULL_WEIGHT } from '../weights/weight-rule.js';
import type { Estimator } from './estimator.js';

export const cressieRead = {
  name: 'cressie-read',
  summary: 'empirical likelihood with the Cressie-Read divergence; intervals by drawing blocks anew',
  needs: 'propensities',
  usesModel: false,
  parameter: null,
  weights: () => FULL_WEIGHT,
  value: ({ events, matches, loggedMean, payoffs }: PolicyNumbers) => {
    if (matches === 0n) return null;
    const n = Number(events);
    const { one, w, ww, wy, wwy, inPayoffs } = payoffs();
    const weights = quotient(w, one);
    const squares = quotient(ww, one * one);
    const [payoff, weighted] = [inPayoffs(wy, one), inPayoffs(wwy, one * one)];
    // Likelihood ratios are (γ + β w)/−(1 + n); with a mean weight below 1 the event outside is one of an infinite weight.
    let [gamma, beta] = [-(1 + n) / n, 0];
    if (weights >= n) {
      const [mean, square] = [weights / (1 + n), squares / (1 + n)];
      gamma = (square - mean) / (mean * mean - square);
      beta = (1 - mean) / (mean * mean - square);
    }
    const known = (-gamma * payoff - beta * weighted) / (1 + n);
    const missing = Math.max(0, 1 - (-gamma * weights - beta * squares) / (1 + n));
    return known + missing * loggedMean;
  },
} as const satisfies Estimator;
