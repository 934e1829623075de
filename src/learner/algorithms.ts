/** The table of learning algorithms. Adding one = a file and two lines here. */

import { cemp } from './cemp.js';
import { emp } from './emp.js';
import { epochGreedy } from './epoch-greedy.js';
import { epsilonGreedy } from './epsilon-greedy.js';
import { exp3 } from './exp3.js';
import { exp3p } from './exp3p.js';
import { exp4 } from './exp4.js';
import { gammaPoisson } from './gamma-poisson.js';
import { glmUcb } from './glm-ucb.js';
import type { Algorithm } from './learner.js';
import { linThompson } from './lin-thompson.js';
import { linrel } from './linrel.js';
import { linucb } from './linucb.js';
import { linucbHybrid } from './linucb-hybrid.js';
import { random } from './random.js';
import { semp } from './semp.js';
import { thompson } from './thompson.js';
import { ucb } from './ucb.js';
import { ucb1 } from './ucb1.js';

/** In the order of documentation. */
// biome-ignore format: one per line
export const ALGORITHMS: readonly Algorithm[] = [
  random,
  epsilonGreedy,
  ucb,
  ucb1,
  thompson,
  exp3,
  exp3p,
  exp4,
  epochGreedy,
  emp,
  semp,
  gammaPoisson,
  linucb,
  linucbHybrid,
  linThompson,
  linrel,
  glmUcb,
  cemp,
];

/** The algorithm of a name; `undefined` where there is none. */
export function algorithmNamed(name: string): Algorithm | undefined {
  return ALGORITHMS.find((algorithm) => algorithm.name === name);
}
