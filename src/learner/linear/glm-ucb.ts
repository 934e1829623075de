/**
 * `glm-ucb`: upper confidence bounds on generalized linear models, here logistic, one per arm.
 *
 * S. Filippi, O. Cappé, A. Garivier, C. Szepesvári: Parametric bandits: the generalized linear case. NIPS 2010,
 * algorithm GLM-UCB: play the arm with the largest μ(θ̂_aᵀx) + ρ(t) ‖x‖_{M_a⁻¹}, μ = σ, M_a = λI + Σ x xᵀ, with
 * ρ(t) = ρ √(ln(1 + t)) at the t-th retained event (the paper's bound grows like this up to constants and a logarithm).
 *
 * θ̂_a maximises the quasi-likelihood of all payoffs of the arm so far, by Newton's method to convergence (see logistic.ts;
 * fits that do not come to it are counted, and warned of). The paper
 * starts with d independent arms and projects θ̂ into a bounded set; instead a ridge λ keeps it unique and finite:
 *
 *     Σ (r − μ(θ̂ᵀx)) x = λ θ̂
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { plural } from '../../words.js';
import type { Blame } from '../broken.js';
import type { Algorithm, Numerics } from '../learner.js';
import { ScoredLearner } from '../scored.js';
import { tieTolerance } from '../set/parameters.js';
import { linearArrays, triangles } from '../state-arrays.js';
import { SCALE, scalingHelps } from './conditioning.js';
import { LinearModel } from './linear-model.js';
import { blameLinear, checkContexts, checkUnitPayoffs, ridge } from './linear-parameters.js';
import { CONVERGED, LogisticFit, MOST_DOUBT, sigmoid } from './logistic.js';

export const glmUcbSchema = strict({
  rho: z.number().min(0).default(0.5).describe('ρ: multiplies √(ln(1 + t)) in the exploration bonus; 0 is greedy'),
  lambda: ridge,
  tieTolerance,
});

export type GlmUcbParameters = z.output<typeof glmUcbSchema>;

class GlmUcb extends ScoredLearner {
  /** M_a⁻¹ alone; its θ stays 0. */
  private readonly design: LinearModel;
  private readonly fits: LogisticFit[];
  private readonly rho: number;
  /** Retained events so far. */
  private retained = 0;
  private bonus = 0;

  constructor(
    { rho, lambda, tieTolerance }: GlmUcbParameters,
    private readonly log: EventLog,
  ) {
    super(log.arms.ids.length, tieTolerance);
    this.design = new LinearModel(log, lambda);
    this.fits = log.arms.ids.map(() => new LogisticFit(log.contexts.dimension, lambda));
    this.rho = rho;
  }

  protected prepare(event: number): void {
    this.design.prepare(event);
    this.bonus = this.rho * Math.sqrt(Math.log(2 + this.retained));
  }

  /** μ(θ̂_aᵀx) + ρ(t) ‖x‖_{M_a⁻¹} */
  protected score(arm: number): number {
    return this.mean(arm) + this.bonus * Math.sqrt(this.design.variance(arm));
  }

  private mean(arm: number): number {
    const { x } = this.design;
    const theta = this.fits[arm].estimate();
    let z = 0;
    for (let j = 0; j < x.length; j++) z += theta[j] * x[j];
    return sigmoid(z);
  }

  protected blame(arm: number): Blame {
    return blameLinear(this.mean(arm), Math.sqrt(this.design.variance(arm)), 'rho');
  }

  update(event: number, arm: number, payoff: number): void {
    this.design.prepare(event);
    this.design.step(arm, 1, 0);
    this.fits[arm].judge(this.design.x);
    this.fits[arm].add(this.design.x, payoff);
    this.retained++;
  }

  carry(archive: Archive): void {
    this.design.carry(archive);
    for (const fit of this.fits) fit.carry(archive);
    this.retained = archive.number(this.retained);
  }

  numerics(): Numerics {
    const { fits } = this;
    const reports = fits.map(({ report }) => report);
    const sum = (name: 'fits' | 'notConverged' | 'doubtful') =>
      reports.reduce((total, report) => total + report[name], 0);
    const loss = fits.reduce((most, fit) => Math.max(most, fit.loss()), 0);
    const decrement = reports.reduce((most, report) => Math.max(most, report.decrement), 0);
    const [all, failed, doubtful] = [sum('fits'), sum('notConverged'), sum('doubtful')];
    let trouble: string | null = null;
    if (failed > 0) {
      trouble = `${failed} of ${plural(all, 'fit')} of logistic regressions did not converge, so its decisions are not to be relied on (the Newton decrement stayed at ${decrement.toPrecision(2)} at worst, and ${CONVERGED} is needed); ${this.advice()}`;
    } else if (doubtful > 0) {
      trouble = `at ${doubtful} of ${plural(this.retained, 'retained event')} rounding of the fit may have moved a click rate by more than ${MOST_DOUBT}: their contexts are unlike those the arm had learnt from, and context columns nearly follow from one another; ${this.advice()}`;
    }
    return { counts: { fits: all, notConverged: failed, doubtful }, largest: { decrement, loss }, trouble };
  }

  /** What to do about fits that fail: the columns' sizes say it. */
  private advice(): string {
    const { columns } = this.log.contexts;
    const sizes = columns.map((name, j) => ({ name, size: Math.max(...this.fits.map((fit) => fit.largest(j))) }));
    const learnt = sizes.filter(({ size }) => size > 0).sort((a, b) => b.size - a.size);
    if (learnt.length === 0) return 'a larger lambda makes the fits easier';
    const [most, least] = [learnt[0], learnt[learnt.length - 1]];
    const shown = ({ name, size }: { name: string; size: number }) => `${name} goes up to ${size.toPrecision(3)}`;
    const list = most === least ? shown(most) : `${shown(most)}, ${shown(least)}`;
    const size = scalingHelps(this.log) ? `bring context columns to similar sizes around 0 with ${SCALE}, ` : '';
    return `${size}leave out context columns that follow from others (${list}), or take a larger lambda`;
  }

  state(): Record<string, unknown> {
    return { updates: [...this.design.updates], theta: this.fits.map((fit) => [...fit.estimate()]) };
  }
}

export const glmUcb: Algorithm<GlmUcbParameters> = {
  name: 'glm-ucb',
  summary: 'upper confidence bounds on a logistic regression per arm, fitted to all retained payoffs',
  source: 'Filippi, Cappé, Garivier & Szepesvári, Parametric bandits: the generalized linear case (NIPS 2010), GLM-UCB',
  schema: glmUcbSchema,
  kind: 'real',
  check: (_, log) => {
    checkContexts('glm-ucb', log);
    checkUnitPayoffs('glm-ucb', log);
  },
  arrays: ({ lambda }, log, least) => [
    ...linearArrays(log, lambda, least),
    triangles('factors of the fits', log.arms.ids.length, log.contexts.dimension),
  ],
  create: (parameters, log) => new GlmUcb(parameters, log),
};
