/**
 * The replay estimate (Li, Chu, Langford & Wang, WSDM 2011): the mean payoff of the events at which the policy chose the logged
 * arm. Unbiased for i.i.d. events logged by a uniformly random policy. ψ = V (r − v̂)/T. Its sums are those of `replay-totals.ts`.
 */

import { quotient } from '../sums/whole-numbers.js';
import type { Estimator } from './estimator.js';

export const replay = {
  name: 'replay',
  summary: 'the mean payoff of matching events; for uniformly logged events',
  needs: 'uniform logging',
  usesModel: false,
  parameter: null,
  value: ({ plain, meanPayoff }) => {
    const { matches, payoff } = plain();
    return meanPayoff(matches, payoff);
  },
  variance: ({ logged, plain, stepSize }) => {
    const { matches, centred } = plain();
    if (logged < 2n || matches === 0) return null;
    return (centred / matches / matches) * (Number(logged) / Number(logged - 1n)) * stepSize ** 2;
  },
  influence: (all, part) => {
    const [{ matches, payoff }, own] = [all.plain(), part.plain()];
    const numerator = BigInt(own.payoff) * BigInt(matches) - BigInt(payoff) * BigInt(own.matches);
    return quotient(numerator, BigInt(matches) ** 2n) * all.stepSize;
  },
  // Every match weighs 1.
  independentVariance: ({ plain, stepSize }) => {
    const { matches, centred } = plain();
    return matches === 0 ? null : (centred / matches / matches) * stepSize ** 2;
  },
} as const satisfies Estimator;
