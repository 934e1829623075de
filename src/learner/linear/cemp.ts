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
 *
 * A step maximises the quadratic that touches ln posterior at θ_a. Where a payoff contradicts a click rate near 0 or 1 and
 * the posterior is wide along x, that quadratic is far from the posterior and the step overshoots: it raises
 * −ln likelihood(r) + ‖Δθ‖²_A/2, which it is to lower. Such steps are counted (they move o + θᵀx by
 * Δz = q (r − p) / (1 + p (1 − p) q), q = xᵀA⁻¹x before, and ‖Δθ‖²_A = Δz²/q), and warned of.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import type { EventLog } from '../../log/event-log.js';
import { strict } from '../../policy/spec-faults.js';
import { type Blame, noScore } from '../broken.js';
import type { Algorithm, Numerics } from '../learner.js';
import { ScoredLearner } from '../scored.js';
import { tieTolerance } from '../set/parameters.js';
import { linearArrays } from '../state-arrays.js';
import { SCALE, scalingHelps } from './conditioning.js';
import { LinearModel } from './linear-model.js';
import { blameLinear, checkContexts, checkUnitPayoffs, ridge } from './linear-parameters.js';
import { cost, sigmoid } from './logistic.js';

export const cempSchema = strict({
  lambda: ridge,
  prior: z.number().gt(0).lt(1).default(0.5).describe('Click rate that an arm without data is given'),
  tieTolerance,
});

export type CempParameters = z.output<typeof cempSchema>;

/** Losses closer than this, relatively, are the same. */
const ROUNDING = 1e-9;

/** See `Learner.numerics`. @param steps Newton steps; those that overshot, and the largest |Δz| of them. */
export function stepNumerics(
  { steps, overshot, farthest }: Pick<Cemp, 'steps' | 'overshot' | 'farthest'>,
  log: EventLog,
): Numerics {
  let trouble: string | null = null;
  if (overshot > 0) {
    const step = scalingHelps(log) ? `bring context columns to sizes of about 1 with ${SCALE}, or ` : '';
    trouble = `${overshot} of ${steps} Newton steps overshot, the worst by moving a click rate's logit by ${farthest.toPrecision(3)}, so its click rates are not to be relied on; ${step}take a larger lambda`;
  }
  return { counts: { steps, overshot }, largest: {}, trouble };
}

class Cemp extends ScoredLearner {
  private readonly model: LinearModel;
  /** o */
  private readonly offset: number;
  /** Updates; those that overshot, and the largest |Δz| of them. */
  steps = 0;
  overshot = 0;
  farthest = 0;

  constructor(
    { lambda, prior, tieTolerance }: CempParameters,
    private readonly log: EventLog,
  ) {
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

  protected blame(arm: number): Blame {
    return blameLinear(this.model.mean(arm), this.model.variance(arm), null);
  }

  update(event: number, arm: number, payoff: number): void {
    this.model.prepare(event);
    const z = this.offset + this.model.mean(arm);
    const p = sigmoid(z);
    const q = this.model.variance(arm);
    if (!Number.isFinite(q)) throw noScore(arm, q, this.blame(arm));
    const move = (q * (payoff - p)) / (1 + p * (1 - p) * q);
    const before = payoff * cost(z) + (1 - payoff) * cost(-z);
    const after = payoff * cost(z + move) + (1 - payoff) * cost(-z - move);
    this.steps++;
    if (q > 0 && after + (move * move) / q / 2 > before + ROUNDING * (1 + before)) {
      this.overshot++;
      this.farthest = Math.max(this.farthest, Math.abs(move));
    }
    this.model.step(arm, p * (1 - p), payoff - p);
  }

  carry(archive: Archive): void {
    this.model.carry(archive);
    this.steps = archive.number(this.steps);
    this.overshot = archive.number(this.overshot);
    this.farthest = archive.number(this.farthest);
  }

  numerics(): Numerics {
    return stepNumerics(this, this.log);
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
  arrays: ({ lambda }, log, least) => linearArrays(log, lambda, least),
  create: (parameters, log) => new Cemp(parameters, log),
};
