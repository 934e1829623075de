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
import type { HybridShape } from './hybrid-sums.js';
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

  constructor({ alpha, lambda, shared, tieTolerance }: LinucbHybridParameters, log: EventLog) {
    super(log.arms.ids.length, tieTolerance);
    this.context = new ContextReader(log);
    this.alpha = alpha;
    const shape = shapeOf(log, shared);
    this.model = new HybridModel(shape, sharedMaps(log, shape, shared), lambda);
    // Where z does not depend on the context, e ends with a 1.
    if (shape.m > shape.d) this.model.e[shape.d] = 1;
  }

  protected prepare(event: number): void {
    if (!this.context.load(event)) return;
    this.model.e.set(this.context.x);
    this.model.load();
  }

  /** z_{t,a}ᵀβ̂ + xᵀθ̂_a + α √s_{t,a} */
  protected score(arm: number): number {
    const mean = this.model.mean(arm);
    return this.alpha === 0 ? mean : mean + this.alpha * Math.sqrt(this.model.variance(arm));
  }

  update(event: number, arm: number, payoff: number): void {
    this.prepare(event);
    this.model.learn(arm, payoff);
  }

  state(): Record<string, unknown> {
    const { updates, beta } = this.model;
    return { updates: [...updates], beta: [...beta], theta: rows(this.model.theta(), this.context.dimension) };
  }
}

type Shared = LinucbHybridParameters['shared'];

function shapeOf(log: EventLog, shared: Shared): HybridShape {
  const d = log.contexts.dimension;
  const width = log.armFeatures?.dimension ?? 0;
  const product = shared === 'product';
  return { arms: log.arms.ids.length, d, m: product ? d : d + 1, k: product ? width * d : width };
}

/** Z_aᵀ: [K, m, k]. z is the arm's features, or feature i times context j at i · d + j. */
function sharedMaps(log: EventLog, { arms, d, m, k }: HybridShape, shared: Shared): Float64Array {
  const maps = new Float64Array(arms * m * k);
  const width = log.armFeatures?.dimension ?? 0;
  for (let a = 0; a < arms; a++) {
    for (let i = 0; i < width; i++) {
      const feature = log.armFeatures?.values[a * width + i] ?? 0;
      if (shared === 'features') maps[(a * m + d) * k + i] = feature;
      else for (let j = 0; j < d; j++) maps[(a * m + j) * k + i * d + j] = feature;
    }
  }
  return maps;
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
