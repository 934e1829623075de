/**
 * `exp3p`: Exp3 with a bonus for arms that are rarely drawn, so that regret is small with high probability.
 *
 * Bubeck & Cesa-Bianchi, "Regret analysis of stochastic and nonstochastic multi-armed bandit problems" (Foundations and
 * Trends in Machine Learning 5, 2012), algorithm Exp3.P: p_i = (1 − γ) exp(η G̃_i) / Σ exp(η G̃) + γ/K; draw I_t;
 * G̃_i ← G̃_i + (g 1{I_t = i} + β) / p_i for every candidate i. Rates that are not given are those of their bound that
 * holds with probability 1 − δ, for n = `horizon` updates and K arms. The algorithm is first in Auer et al. (2002), where
 * the bonus is added to the weights with other constants.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { candidateNumber, candidatesAt } from '../candidates.js';
import type { Draws } from '../draws.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { ArmWeights, unitPayoff } from './exp-weights.js';

const rate = z.number().min(0).max(1).optional();
// Not zero: β is divided by probabilities that γ keeps from vanishing.
const share = z.number().positive().max(1).optional();

const schema = strict({
  gamma: share.describe('γ: share of uniform exploration; default min(1/2, 1.05 √(K ln K / n))'),
  eta: rate.describe('η: learning rate; default min(1, 0.95 √(ln K / (nK)))'),
  beta: rate.describe('β: bonus of every arm; default min(1, √(ln(K/δ) / (nK)))'),
  delta: z.number().positive().max(1).default(0.05).describe('δ: probability with which the bound may fail'),
  horizon: z.int().min(1).optional().describe('n: expected number of updates; default L/K, rounded up'),
});

export type Exp3pParameters = z.output<typeof schema>;

/** γ, η and β: those of the high-probability bound where they are not given. */
export function exp3pRates({ gamma, eta, beta, delta, horizon }: Exp3pParameters, K: number, L: number) {
  const n = horizon ?? Math.max(1, Math.ceil(L / K));
  return {
    gamma: gamma ?? Math.min(0.5, 1.05 * Math.sqrt((K * Math.log(K)) / n)),
    eta: eta ?? Math.min(1, 0.95 * Math.sqrt(Math.log(K) / (n * K))),
    // ln(K/δ) as a difference: the quotient may overflow.
    beta: beta ?? Math.min(1, Math.sqrt((Math.log(K) - Math.log(delta)) / (n * K))),
  };
}

class Exp3p implements Learner {
  private readonly rates: ReturnType<typeof exp3pRates>;
  /** ln w_i = η G̃_i */
  private readonly weights: ArmWeights;

  constructor(
    parameters: Exp3pParameters,
    private readonly log: EventLog,
    private readonly draws: Draws,
  ) {
    const K = log.arms.ids.length;
    this.rates = exp3pRates(parameters, K, log.events);
    this.weights = new ArmWeights(K, this.rates.gamma);
  }

  choose(event: number, candidates: Candidates): number {
    return this.weights.choose(this.draws, event, candidates);
  }

  update(event: number, arm: number, payoff: number): void {
    const candidates = candidatesAt(this.log, event);
    const { arms, from, to } = candidates;
    const { eta, beta } = this.rates;
    const p = this.weights.probabilities(candidates);
    const g = unitPayoff(this.log.payoff.scale, payoff);
    this.weights.add(arm, (eta * g) / p[candidateNumber(candidates, arm)]);
    if (beta === 0) return;
    for (let i = from; i < to; i++) this.weights.add(arms[i], (eta * beta) / p[i - from]);
  }

  carry(archive: Archive): void {
    this.weights.carry(archive);
  }

  state() {
    return { ...this.rates, weights: this.weights.describe() };
  }
}

export const exp3p: Algorithm<Exp3pParameters> = {
  name: 'exp3p',
  summary: 'Exp3 with a bonus for rarely drawn arms: regret bounds that hold with high probability',
  source: 'Exp3.P as in Bubeck & Cesa-Bianchi 2012; first in Auer, Cesa-Bianchi, Freund & Schapire 2002',
  schema,
  kind: 'real',
  weighsByOwnChoice: true,
  open: async (parameters, { head, events }) => {
    const horizon = parameters.horizon ?? Math.max(1, Math.ceil(events / head.arms.ids.length));
    return async () => ({ ...parameters, horizon });
  },
  create: (parameters, log, draws) => new Exp3p(parameters, log, draws),
};
