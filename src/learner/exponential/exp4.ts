/**
 * `exp4`: exponential weights for exploration and exploitation using expert advice. The experts are fixed policies.
 *
 * Auer, Cesa-Bianchi, Freund & Schapire, "The nonstochastic multiarmed bandit problem" (SIAM J. Comput. 32, 2002),
 * algorithm Exp4. With K candidates and N experts with advice ξ^i: p_j = (1 − γ) Σ_i w_i ξ^i_j / Σ w + γ/K; draw i_t;
 * x̂ = x/p_{i_t}; ŷ_i = ξ^i_{i_t} x̂; w_i ← w_i exp(γ ŷ_i / K). Payoffs x are rescaled to [0, 1] from the log's payoff
 * range, and the importance weight is the learner's own probability, as in `exp3`.
 */

import type { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import type { CompiledPolicies } from '../../policy/compiled.js';
import { strict } from '../../policy/spec-faults.js';
import { candidateNumber, candidatesAt } from '../candidates.js';
import type { Draws } from '../draws.js';
import type { Algorithm, Candidates, Learner } from '../learner.js';
import { sample, shareOf, unitPayoff, Weights } from './exp-weights.js';
import { explorationShare } from './exp3.js';
import {
  Experts,
  expertKeyColumns,
  expertsSchema,
  expertsWeigh,
  openExperts,
  packExperts,
  UNIFORM,
} from './experts.js';

const schema = strict({
  experts: expertsSchema.describe('A policy set: every policy of it is an expert'),
  gamma: explorationShare,
});

/** With the packed experts, after `prepare`. */
export type Exp4Parameters = z.output<typeof schema> & { readonly packed?: readonly CompiledPolicies[] };

class Exp4 implements Learner {
  private readonly experts: Experts;
  private readonly weights: Weights;
  /** w / Σ w */
  private readonly shares: Float64Array;
  private readonly advice: Int32Array;
  private readonly p: Float64Array;

  constructor(
    packed: readonly CompiledPolicies[],
    private readonly gamma: number,
    private readonly log: EventLog,
    private readonly draws: Draws,
  ) {
    this.experts = new Experts(packed, log);
    const N = this.experts.count;
    this.weights = new Weights(N);
    this.shares = new Float64Array(N).fill(1 / N);
    this.advice = new Int32Array(N);
    this.p = new Float64Array(log.arms.ids.length);
  }

  /** p of each candidate, as of the last decision. Leaves the advice behind. */
  private probabilities(event: number, candidates: Candidates): Float64Array {
    const { p, shares, advice, gamma } = this;
    const K = candidates.to - candidates.from;
    this.experts.advise(event, candidates, advice);
    p.fill(0, 0, K);
    let uniform = 0;
    for (let i = 0; i < advice.length; i++) {
      if (advice[i] === UNIFORM) uniform += shares[i];
      else p[advice[i]] += shares[i];
    }
    for (let j = 0; j < K; j++) p[j] = (1 - gamma) * (p[j] + uniform / K) + gamma / K;
    return p;
  }

  choose(event: number, candidates: Candidates): number {
    if (this.weights.decide()) shareOf(this.weights.decided, this.experts.count, this.shares);
    return sample(this.probabilities(event, candidates), candidates, this.draws.unit(event, 0));
  }

  update(event: number, arm: number, payoff: number): void {
    const candidates = candidatesAt(this.log, event);
    const K = candidates.to - candidates.from;
    const number = candidateNumber(candidates, arm);
    const estimate = unitPayoff(this.log.payoff.scale, payoff) / this.probabilities(event, candidates)[number];
    if (estimate === 0) return;
    for (let i = 0; i < this.experts.count; i++) {
      const advised = this.advice[i] === number ? 1 : this.advice[i] === UNIFORM ? 1 / K : 0;
      if (advised > 0) this.weights.add(i, (this.gamma * advised * estimate) / K);
    }
  }

  carry(archive: Archive): void {
    this.weights.carry(archive);
    archive.array(this.shares);
  }

  state() {
    return { experts: [...this.experts.names], weights: this.weights.describe() };
  }
}

export const exp4: Algorithm<Exp4Parameters> = {
  name: 'exp4',
  summary: 'exponential weights over experts, which are fixed policies',
  source: 'Auer, Cesa-Bianchi, Freund & Schapire, SIAM J. Comput. 2002: Exp4',
  schema,
  kind: 'real',
  weighsByOwnChoice: true,
  asGiven: ({ experts }) => expertsWeigh(experts),
  keyColumns: ({ experts, packed }) => (packed === undefined ? expertKeyColumns(experts) : []),
  async prepare({ experts, gamma }, log, files) {
    // The specs have served: functions among them could not be sent to a worker thread.
    return { experts: [], gamma, packed: await packExperts(experts, log, files) };
  },
  async open({ experts, gamma }, span, files) {
    const pack = await openExperts(experts, span, files);
    return async (batch) => ({ experts: [], gamma, packed: await pack(batch) });
  },
  create({ packed, gamma }, log, draws) {
    if (packed === undefined) throw new Error('exp4: prepare() comes before create()');
    return new Exp4(packed, gamma, log, draws);
  },
};
