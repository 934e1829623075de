/**
 * `cemp`: contextual estimated most popular, a logistic regression per arm; the arm with the largest predicted click
 * rate is shown.
 *
 * The serving model of L. Li, W. Chu, J. Langford, X. Wang: Unbiased offline evaluation of contextual-bandit-based news
 * article recommendation algorithms. WSDM 2011, section 5.
 *
 * Model: P(r = 1) = σ(o + θ_aᵀx), o = logit(prior), Gaussian prior N(0, λ⁻¹I) on θ_a (L2 regularisation). Optimiser:
 * each payoff updates the Laplace approximation of the posterior by one Newton step (an extended Kalman filter):
 * p = σ(o + θ_aᵀx), A_a ← A_a + p (1 − p) x xᵀ, θ_a ← θ_a + A_a⁻¹x (r − p). One pass, no step size, deterministic.
 */

import { z } from 'zod';
import type { Archive } from '../archive.js';
import type { EventLog } from '../log/event-log.js';
import { strict } from '../policy/spec-faults.js';
import type { Algorithm } from './learner.js';
import { LinearModel } from './linear-model.js';
import { checkContexts, checkUnitPayoffs, ridge } from './linear-parameters.js';
import { sigmoid } from './logistic.js';
import { tieTolerance } from './parameters.js';
import { ScoredLearner } from './scored.js';

export const cempSchema = strict({
  lambda: ridge,
  prior: z.number().gt(0).lt(1).default(0.5).describe('Click rate that an arm without data is given'),
  tieTolerance,
});

export type CempParameters = z.output<typeof cempSchema>;

class Cemp extends ScoredLearner {
  private readonly model: LinearModel;
  /** o */
  private readonly offset: number;

  constructor({ lambda, prior, tieTolerance }: CempParameters, log: EventLog) {
    super(log.arms.ids.length, tieTolerance);
    this.model = new LinearModel(log, lambda);
    this.offset = Math.log(prior / (1 - prior));
  }

  protected prepare(event: number): void {
    this.model.prepare(event);
  }

  /** θ_aᵀx: the click rate's logit less o, in the same order as the click rates. */
  protected score(arm: number): number {
    return this.model.mean(arm);
  }

  update(event: number, arm: number, payoff: number): void {
    this.model.prepare(event);
    const p = sigmoid(this.offset + this.model.mean(arm));
    this.model.step(arm, p * (1 - p), payoff - p);
  }

  carry(archive: Archive): void {
    this.model.carry(archive);
  }

  state(): Record<string, unknown> {
    return { offset: this.offset, ...this.model.state() };
  }
}

export const cemp: Algorithm<CempParameters> = {
  name: 'cemp',
  summary: 'contextual estimated most popular: a logistic regression per arm, updated online, largest click rate',
  source:
    'Li, Chu, Langford & Wang, Unbiased offline evaluation of contextual-bandit-based news article recommendation algorithms (WSDM 2011), section 5',
  schema: cempSchema,
  kind: 'real',
  check: (_, log) => {
    checkContexts('cemp', log);
    checkUnitPayoffs('cemp', log);
  },
  create: (parameters, log) => new Cemp(parameters, log),
};
