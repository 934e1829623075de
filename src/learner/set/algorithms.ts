/** The table of learning algorithms. Adding one = a file and two lines here. */

import { epochGreedy } from '../exponential/epoch-greedy.js';
import { exp3 } from '../exponential/exp3.js';
import { exp3p } from '../exponential/exp3p.js';
import { exp4 } from '../exponential/exp4.js';
import type { Algorithm } from '../learner.js';
import { cemp } from '../linear/cemp.js';
import { glmUcb } from '../linear/glm-ucb.js';
import { linThompson } from '../linear/lin-thompson.js';
import { linrel } from '../linear/linrel.js';
import { linucb } from '../linear/linucb.js';
import { linucbHybrid } from '../linear/linucb-hybrid.js';
import { emp } from '../means/emp.js';
import { epsilonGreedy } from '../means/epsilon-greedy.js';
import { gammaPoisson } from '../means/gamma-poisson.js';
import { semp } from '../means/semp.js';
import { thompson } from '../means/thompson.js';
import { ucb } from '../means/ucb.js';
import { ucb1 } from '../means/ucb1.js';
import { random } from '../random.js';

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
