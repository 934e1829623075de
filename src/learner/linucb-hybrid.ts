/**
 * `linucb-hybrid`: LinUCB with coefficients β that all arms share beside those of each arm.
 *
 * L. Li, W. Chu, J. Langford, R. E. Schapire: A contextual-bandit approach to personalized news article
 * recommendation. WWW 2010, Algorithm 2; with λ in place of the paper's 1 in A₀ = λI and A_a = λI.
 */

import { z } from 'zod';
import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import { strict } from '../policy/spec-faults.js';
import { ContextReader } from './context.js';
import { HybridModel } from './hybrid-model.js';
import type { Algorithm } from './learner.js';
import { rows } from './linear-model.js';
import { checkContexts, ridge } from './linear-parameters.js';
import { tieTolerance } from './parameters.js';
import { ScoredLearner } from './scored.js';

export const linucbHybridSchema = strict({
  alpha: z.number().min(0).default(1).describe('α: width of the confidence bound; 0 is greedy'),
  lambda: ridge,
  shared: z
    .enum(['product', 'features'])
    .default('product')
    .describe(
      'z, what the shared coefficients weigh: the products of arm features and context (as in the paper), or the arm features alone',
    ),
  tieTolerance,
});

export type LinucbHybridParameters = z.output<typeof linucbHybridSchema>;

class LinucbHybrid extends ScoredLearner {
  private readonly model: HybridModel;
  private readonly context: ContextReader;
  private readonly alpha: number;
  private readonly product: boolean;
  /** Arm features: [K, width]. */
  private readonly features: Float64Array;
  private readonly width: number;
  /** z of the arm in hand, length k. */
  private readonly z: Float64Array;

  constructor({ alpha, lambda, shared, tieTolerance }: LinucbHybridParameters, log: EventLog) {
    super(log.arms.ids.length, tieTolerance);
    this.context = new ContextReader(log);
    this.alpha = alpha;
    this.product = shared === 'product';
    this.features = log.armFeatures?.values ?? new Float64Array(0);
    this.width = log.armFeatures?.dimension ?? 0;
    const d = this.context.dimension;
    this.z = new Float64Array(this.product ? this.width * d : this.width);
    this.model = new HybridModel(log.arms.ids.length, d, this.z.length, lambda);
  }

  protected prepare(event: number): void {
    this.context.load(event);
  }

  /** z_{t,a}ᵀβ̂ + xᵀθ̂_a + α √s_{t,a} */
  protected score(arm: number): number {
    this.shared(arm);
    return this.model.score(arm, this.context.x, this.z, this.alpha);
  }

  update(event: number, arm: number, payoff: number): void {
    this.context.load(event);
    this.shared(arm);
    this.model.learn(arm, this.context.x, this.z, payoff);
  }

  /** z_{t,a}: the arm's features, or feature i times context j at i · d + j. */
  private shared(arm: number): void {
    const { z, features, width, product } = this;
    const { x } = this.context;
    for (let i = 0, at = 0, from = arm * width; i < width; i++) {
      const feature = features[from + i];
      if (!product) z[i] = feature;
      else for (let j = 0; j < x.length; j++) z[at++] = feature * x[j];
    }
  }

  state(): Record<string, unknown> {
    const { updates, beta } = this.model;
    return { updates: [...updates], beta: [...beta], theta: rows(this.model.theta(), this.context.dimension) };
  }
}

export const linucbHybrid: Algorithm<LinucbHybridParameters> = {
  name: 'linucb-hybrid',
  summary: 'LinUCB with coefficients over arm features that all arms share (hybrid models)',
  source:
    'Li, Chu, Langford & Schapire, A contextual-bandit approach to personalized news article recommendation (WWW 2010), Algorithm 2',
  schema: linucbHybridSchema,
  kind: 'real',
  check: (_, log) => {
    checkContexts('linucb-hybrid', log);
    if (log.armFeatures !== null && log.armFeatures.dimension > 0) return;
    throw new InputError({
      problem: 'linucb-hybrid shares coefficients over arm features, and the log has none',
      needed: 'a row of features per arm',
      hint: 'give `armFeatures` to logFromColumns, or take linucb, which needs none',
    });
  },
  create: (parameters, log) => new LinucbHybrid(parameters, log),
};
