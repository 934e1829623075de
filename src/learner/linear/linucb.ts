/**
 * `linucb`: LinUCB with disjoint linear models.
 *
 * L. Li, W. Chu, J. Langford, R. E. Schapire: A contextual-bandit approach to personalized news article
 * recommendation. WWW 2010, Algorithm 1; with λ in place of the paper's 1 in A_a = λI.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import type { Blame } from '../broken.js';
import type { Algorithm, Numerics } from '../learner.js';
import { ScoredLearner } from '../scored.js';
import { tieTolerance } from '../set/parameters.js';
import { linearArrays } from '../state-arrays.js';
import { RidgeModel } from './linear-model.js';
import { blameLinear, checkContexts, ridge } from './linear-parameters.js';

export const linucbSchema = strict({
  alpha: z.number().min(0).default(1).describe('α: width of the confidence bound; 0 is greedy'),
  lambda: ridge,
  tieTolerance,
});

export type LinucbParameters = z.output<typeof linucbSchema>;

class Linucb extends ScoredLearner {
  private readonly model: RidgeModel;
  private readonly alpha: number;

  constructor({ alpha, lambda, tieTolerance }: LinucbParameters, log: EventLog) {
    super(log.arms.ids.length, tieTolerance);
    this.model = new RidgeModel(log, lambda);
    this.alpha = alpha;
  }

  protected prepare(event: number): void {
    this.model.prepare(event);
  }

  /** p_{t,a} = θ_aᵀx + α √(xᵀA_a⁻¹x) */
  protected score(arm: number): number {
    const mean = this.model.mean(arm);
    return this.alpha === 0 ? mean : mean + this.alpha * Math.sqrt(this.model.variance(arm));
  }

  protected blame(arm: number): Blame {
    return blameLinear(this.model.mean(arm), Math.sqrt(this.model.variance(arm)), 'alpha');
  }

  update(event: number, arm: number, payoff: number): void {
    this.model.prepare(event);
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

export const linucb: Algorithm<LinucbParameters> = {
  name: 'linucb',
  summary: 'upper confidence bounds on a ridge regression per arm (disjoint models)',
  source:
    'Li, Chu, Langford & Schapire, A contextual-bandit approach to personalized news article recommendation (WWW 2010), Algorithm 1',
  schema: linucbSchema,
  kind: 'real',
  check: (_, log) => checkContexts('linucb', log),
  arrays: ({ lambda }, log, least) => linearArrays(log, lambda, least),
  create: (parameters, log) => new Linucb(parameters, log),
};
