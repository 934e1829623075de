/**
 * `exp3`: exponential weights for exploration and exploitation.
 *
 * Auer, Cesa-Bianchi, Freund & Schapire, "The nonstochastic multiarmed bandit problem" (SIAM J. Comput. 32, 2002),
 * Figure 1. With K candidates: p_i = (1 − γ) w_i / Σ w + γ/K; draw i_t; x̂ = x/p_{i_t}; w_{i_t} ← w_{i_t} exp(γ x̂ / K).
 * Payoffs x are rescaled to [0, 1] from the log's payoff range. Sums run over the candidates of the event; an arm that
 * enters later has weight 1. The importance weight is the learner's own probability: in replay, an event is retained
 * where the learner draws the logged arm, so retained events are distributed as if it had been served.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { candidateNumber, candidatesAt } from '../candidates.js';
import type { Draws } from '../draws.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { ArmWeights, unitPayoff } from './exp-weights.js';

/** γ of `exp3` and `exp4`. */
export const explorationShare = z
  .number()
  .positive()
  .max(1)
  .default(0.1)
  .describe('γ: share of uniform exploration, and the learning rate');

const schema = strict({ gamma: explorationShare });

export type Exp3Parameters = z.output<typeof schema>;

class Exp3 implements Learner {
  private readonly weights: ArmWeights;

  constructor(
    private readonly gamma: number,
    private readonly log: EventLog,
    private readonly draws: Draws,
  ) {
    this.weights = new ArmWeights(log.arms.ids.length, gamma);
  }

  choose(event: number, candidates: Candidates): number {
    return this.weights.choose(this.draws, event, candidates);
  }

  update(event: number, arm: number, payoff: number): void {
    const candidates = candidatesAt(this.log, event);
    const K = candidates.to - candidates.from;
    const p = this.weights.probabilities(candidates)[candidateNumber(candidates, arm)];
    const estimate = unitPayoff(this.log.payoff.scale, payoff) / p;
    this.weights.add(arm, (this.gamma * estimate) / K);
  }

  carry(archive: Archive): void {
    this.weights.carry(archive);
  }

  state() {
    return { weights: this.weights.describe() };
  }
}

export const exp3: Algorithm<Exp3Parameters> = {
  name: 'exp3',
  summary: 'exponential weights, for payoffs an adversary might set',
  source: 'Auer, Cesa-Bianchi, Freund & Schapire, SIAM J. Comput. 2002, Figure 1',
  schema,
  kind: 'real',
  weighsByOwnChoice: true,
  create: ({ gamma }, log, draws) => new Exp3(gamma, log, draws),
};
