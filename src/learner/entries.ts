/**
 * Entries of learner sets as code writes them: `[linucb({ alpha: [0.25, 1] }), ucb1()]`. They are checked where they are
 * used, as JSON is.
 */

import { cemp as cempAlgorithm } from './cemp.js';
import { emp as empAlgorithm } from './emp.js';
import { epochGreedy as epochGreedyAlgorithm } from './epoch-greedy.js';
import { epsilonGreedy as epsilonGreedyAlgorithm } from './epsilon-greedy.js';
import { exp3 as exp3Algorithm } from './exp3.js';
import { exp3p as exp3pAlgorithm } from './exp3p.js';
import { exp4 as exp4Algorithm } from './exp4.js';
import { gammaPoisson as gammaPoissonAlgorithm } from './gamma-poisson.js';
import { glmUcb as glmUcbAlgorithm } from './glm-ucb.js';
import type { Algorithm } from './learner.js';
import { linThompson as linThompsonAlgorithm } from './lin-thompson.js';
import { linrel as linrelAlgorithm } from './linrel.js';
import { linucb as linucbAlgorithm } from './linucb.js';
import { linucbHybrid as linucbHybridAlgorithm } from './linucb-hybrid.js';
import { random as randomAlgorithm } from './random.js';
import { semp as sempAlgorithm } from './semp.js';
import { thompson as thompsonAlgorithm } from './thompson.js';
import { ucb as ucbAlgorithm } from './ucb.js';
import { ucb1 as ucb1Algorithm } from './ucb1.js';

/** Parameters, each a value or a list that spans a grid; what has a default may be left out. */
export type Grid<P> = {
  readonly [K in keyof P]?: NonNullable<P[K]> extends readonly unknown[] ? P[K] : P[K] | readonly P[K][];
};

/** Makes an entry of one algorithm. */
export type Entry<P> = (parameters?: Grid<P>) => { readonly algorithm: string } & Grid<P>;

function entry<P extends object>({ name }: Algorithm<P>): Entry<P> {
  return (parameters) => ({ algorithm: name, ...(parameters as Grid<P>) });
}

export const random = entry(randomAlgorithm);
export const epsilonGreedy = entry(epsilonGreedyAlgorithm);
export const ucb = entry(ucbAlgorithm);
export const ucb1 = entry(ucb1Algorithm);
export const thompson = entry(thompsonAlgorithm);
export const exp3 = entry(exp3Algorithm);
export const exp3p = entry(exp3pAlgorithm);
export const exp4 = entry(exp4Algorithm);
export const epochGreedy = entry(epochGreedyAlgorithm);
export const emp = entry(empAlgorithm);
export const semp = entry(sempAlgorithm);
export const gammaPoisson = entry(gammaPoissonAlgorithm);
export const linucb = entry(linucbAlgorithm);
export const linucbHybrid = entry(linucbHybridAlgorithm);
export const linThompson = entry(linThompsonAlgorithm);
export const linrel = entry(linrelAlgorithm);
export const glmUcb = entry(glmUcbAlgorithm);
export const cemp = entry(cempAlgorithm);
