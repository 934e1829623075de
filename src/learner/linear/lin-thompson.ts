/**
 * `lin-thompson`: Thompson sampling with disjoint linear models.
 *
 * S. Agrawal, N. Goyal: Thompson sampling for contextual bandits with linear payoffs. ICML 2013, Algorithm 1: sample
 * θ̃_a ~ N(θ_a, v² A_a⁻¹), play the arm with the largest θ̃_aᵀx. One model per arm, as in LinUCB's Algorithm 1.
 *
 * A choice needs θ̃_aᵀx alone, and only once for each arm. Its law is N(θ_aᵀx, v² xᵀA_a⁻¹x), independent over arms, so
 * one standard normal z_a replaces the d of a whole vector: θ̃_aᵀx = θ_aᵀx + v √(xᵀA_a⁻¹x) z_a, z_a = draw a of the event.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import type { Blame } from '../broken.js';
import type { Draws } from '../draws.js';
import type { Algorithm, Numerics } from '../learner.js';
import { ScoredLearner } from '../scored.js';
import { tieTolerance } from '../set/parameters.js';
import { linearArrays } from '../state-arrays.js';
import { RidgeModel } from './linear-model.js';
import { blameLinear, checkContexts, ridge } from './linear-parameters.js';

export const linThompsonSchema = strict({
  v: z.number().min(0).default(0.25).describe('v: scale of the posterior; 0 is greedy'),
  lambda: ridge,
  tieTolerance,
});

export type LinThompsonParameters = z.output<typeof linThompsonSchema>;

class LinThompson extends ScoredLearner {
  private readonly model: RidgeModel;
  private readonly v: number;
  private event = 0;

  constructor(
    { v, lambda, tieTolerance }: LinThompsonParameters,
    log: EventLog,
    private readonly draws: Draws,
  ) {
    super(log.arms.ids.length, tieTolerance);
    this.model = new RidgeModel(log, lambda);
    this.v = v;
  }

  protected prepare(event: number): void {
    this.event = event;
    this.model.prepare(event);
  }

  /** θ̃_aᵀx */
  protected score(arm: number): number {
    const mean = this.model.mean(arm);
    if (this.v === 0) return mean;
    return mean + this.v * Math.sqrt(this.model.variance(arm)) * this.draws.normal(this.event, arm);
  }

  protected blame(arm: number): Blame {
    return blameLinear(this.model.mean(arm), Math.sqrt(this.model.variance(arm)), 'v');
  }

  update(event: number, arm: number, payoff: number): void {
    this.prepare(event);
    this.model.learn(arm, payoff);
  }

  carry(archive: Archive): void {
    this.model.carry(archive);
  }

  numerics(): Numerics {
    return this.model.numerics();
  }

  state(): Record<string, unknown> {
    return this.model.state();
  }
}

export const linThompson: Algorithm<LinThompsonParameters> = {
  name: 'lin-thompson',
  summary: 'Thompson sampling from the posterior of a ridge regression per arm',
  source: 'Agrawal & Goyal, Thompson sampling for contextual bandits with linear payoffs (ICML 2013), Algorithm 1',
  schema: linThompsonSchema,
  kind: 'real',
  check: (_, log) => checkContexts('lin-thompson', log),
  arrays: ({ lambda }, log, least) => linearArrays(log, lambda, least),
  create: (parameters, log, draws) => new LinThompson(parameters, log, draws),
};
