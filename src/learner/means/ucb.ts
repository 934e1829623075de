/**
 * `ucb`: the largest r̄_a + α/√n_a, candidates that were never tried first, in index order.
 *
 * The context-free variant of Li, Chu, Langford & Wang, WSDM 2011, §5 (their UCB): the confidence interval shrinks
 * with n_a alone, not with time.
 */

import type { z } from 'zod';
import { strict } from '../../policy/spec-faults.js';
import type { Algorithm } from '../learner.js';
import { alpha, tieTolerance } from '../set/parameters.js';
import { UcbIndex } from './ucb-index.js';

const schema = strict({
  alpha: alpha.default(1).describe('α: width of the confidence interval, in payoff units'),
  tieTolerance,
});

export type UcbParameters = z.output<typeof schema>;

export const ucb: Algorithm<UcbParameters> = {
  name: 'ucb',
  summary: 'the largest mean + α/√n, no contexts',
  source: 'Li, Chu, Langford & Wang, WSDM 2011, §5: UCB',
  schema,
  kind: 'real',
  create: (parameters, log) => new UcbIndex(log, (n) => parameters.alpha / Math.sqrt(n), parameters.tieTolerance),
};
