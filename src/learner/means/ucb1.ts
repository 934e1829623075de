/**
 * `ucb1`: the largest r̄_a + α √(2 ln t / n_a), candidates that were never tried first, in index order.
 *
 * Auer, Cesa-Bianchi & Fischer, "Finite-time analysis of the multiarmed bandit problem" (Machine Learning 47, 2002),
 * Figure 1: UCB1 is α = 1 with payoffs in [0, 1]. t = number of updates so far.
 */

import type { z } from 'zod';
import { strict } from '../../policy/spec-faults.js';
import type { Algorithm } from '../learner.js';
import { alpha, tieTolerance } from '../set/parameters.js';
import { UcbIndex } from './ucb-index.js';

const schema = strict({
  alpha: alpha.default(1).describe('α: width of the confidence interval, in payoff units; UCB1 as published: 1'),
  tieTolerance,
});

export type Ucb1Parameters = z.output<typeof schema>;

export const ucb1: Algorithm<Ucb1Parameters> = {
  name: 'ucb1',
  summary: 'the largest mean + α √(2 ln t / n), no contexts',
  source: 'Auer, Cesa-Bianchi & Fischer, Machine Learning 2002, Figure 1',
  schema,
  kind: 'real',
  create: ({ alpha, tieTolerance }, log) =>
    new UcbIndex(log, (n, t) => alpha * Math.sqrt((2 * Math.log(t)) / n), tieTolerance),
};
