/**
 * `linucb-hybrid`: LinUCB with coefficients β that all arms share beside those of each arm.
 *
 * L. Li, W. Chu, J. Langford, R. E. Schapire: A contextual-bandit approach to personalized news article
 * recommendation. WWW 2010, Algorithm 2; with λ in place of the paper's 1 in A₀ = λI and A_a = λI. z_{t,a} is made of the
 * features that event t shows for arm a.
 */

import { z } from 'zod';
import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import { ARM_FEATURES_HINT } from '../../log/feature-rows.js';
import { strict } from '../../policy/spec-faults.js';
import type { Blame } from '../broken.js';
import { ContextReader } from '../context.js';
import type { Algorithm, Numerics } from '../learner.js';
import { ScoredLearner } from '../scored.js';
import { tieTolerance } from '../set/parameters.js';
import { ShownRows } from '../shown-rows.js';
import { hybridArrays } from '../state-arrays.js';
import { type Arithmetic, hybridArithmetic } from './conditioning.js';
import { featureMap, productMap } from './hybrid-map.js';
import { type HybridModel, hybridModel } from './hybrid-model.js';
import { rows } from './linear-model.js';
import { blameLinear, checkContexts, ridge } from './linear-parameters.js';
import { regressionNumerics } from './solved.js';

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
  private readonly shown: ShownRows;
  private readonly alpha: number;
  private readonly arithmetic: Arithmetic;
  /** Updates of each arm. */
  private readonly updates: Uint32Array;

  constructor({ alpha, lambda, shared, tieTolerance }: LinucbHybridParameters, log: EventLog) {
    super(log.arms.ids.length, tieTolerance);
    this.context = new ContextReader(log);
    this.shown = new ShownRows(log);
    this.alpha = alpha;
    const d = log.contexts.dimension;
    const { dimension: width, values } = log.armFeatures ?? { dimension: 0, values: new Float64Array(0) };
    const arms = log.arms.ids.length;
    this.updates = new Uint32Array(arms);
    const { armOf } = this.shown;
    this.arithmetic = hybridArithmetic(log, lambda, shared === 'product');
    if (shared === 'product') {
      const shape = { arms, d, m: d, k: width * d };
      this.model = hybridModel(shape, productMap(values, width, d, armOf), lambda, this.arithmetic);
    } else {
      const shape = { arms, d, m: d + 1, k: width };
      this.model = hybridModel(shape, featureMap(values, width, d, armOf), lambda, this.arithmetic);
      this.model.e[d] = 1;
    }
  }

  protected prepare(event: number): void {
    this.shown.load(event);
    if (!this.context.load(event)) return;
    this.model.e.set(this.context.x);
    this.model.load();
  }

  /** z_{t,a}ᵀβ̂ + xᵀθ̂_a + α √s_{t,a} */
  protected score(arm: number): number {
    const row = this.shown.of(arm);
    const mean = this.model.mean(row);
    return this.alpha === 0 ? mean : mean + this.alpha * Math.sqrt(this.model.variance(row));
  }

  protected blame(arm: number): Blame {
    const row = this.shown.of(arm);
    return blameLinear(this.model.mean(row), Math.sqrt(this.model.variance(row)), 'alpha');
  }

  update(event: number, arm: number, payoff: number): void {
    this.prepare(event);
    this.model.learn(this.shown.of(arm), payoff);
    this.updates[arm]++;
  }

  carry(archive: Archive): void {
    archive.array(this.updates);
    this.model.carry(archive);
  }

  numerics(): Numerics {
    return regressionNumerics(this.model.solved(), this.arithmetic);
  }

  state(): Record<string, unknown> {
    const { theta, beta } = this.model.coefficients();
    return { updates: [...this.updates], beta: [...beta], theta: rows(theta, this.context.dimension) };
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
      needed: 'features of each arm, or of each candidate as it is shown',
      hint: `${ARM_FEATURES_HINT}; or take linucb, which needs none`,
    });
  },
  arrays: ({ lambda, shared }, log, least) => hybridArrays(log, lambda, shared === 'product', least),
  create: (parameters, log) => new LinucbHybrid(parameters, log),
};
