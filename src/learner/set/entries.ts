/**
 * The table of learning algorithms, in the order of documentation, and what code writes an entry of a learner set with:
 * `[linucb({ alpha: [0.25, 1] }), ucb1()]`. Adding one = a file and its lines here; every name is one of the package.
 */

import { epochGreedy as epochGreedyAlgorithm } from '../exponential/epoch-greedy.js';
import { exp3 as exp3Algorithm } from '../exponential/exp3.js';
import { exp3p as exp3pAlgorithm } from '../exponential/exp3p.js';
import { type Exp4Parameters, exp4 as exp4Algorithm } from '../exponential/exp4.js';
import { cemp as cempAlgorithm } from '../linear/cemp.js';
import { glmUcb as glmUcbAlgorithm } from '../linear/glm-ucb.js';
import { linThompson as linThompsonAlgorithm } from '../linear/lin-thompson.js';
import { linrel as linrelAlgorithm } from '../linear/linrel.js';
import { linucb as linucbAlgorithm } from '../linear/linucb.js';
import { linucbHybrid as linucbHybridAlgorithm } from '../linear/linucb-hybrid.js';
import { emp as empAlgorithm } from '../means/emp.js';
import { epsilonGreedy as epsilonGreedyAlgorithm } from '../means/epsilon-greedy.js';
import { gammaPoisson as gammaPoissonAlgorithm } from '../means/gamma-poisson.js';
import { semp as sempAlgorithm } from '../means/semp.js';
import { thompson as thompsonAlgorithm } from '../means/thompson.js';
import { ucb as ucbAlgorithm } from '../means/ucb.js';
import { ucb1 as ucb1Algorithm } from '../means/ucb1.js';
import { random as randomAlgorithm } from '../random.js';
import { type Entry, entry } from './entry.js';

export const random = entry('random', randomAlgorithm);
export const epsilonGreedy = entry('epsilon-greedy', epsilonGreedyAlgorithm);
export const ucb = entry('ucb', ucbAlgorithm);
export const ucb1 = entry('ucb1', ucb1Algorithm);
export const thompson = entry('thompson', thompsonAlgorithm);
export const exp3 = entry('exp3', exp3Algorithm);
export const exp3p = entry('exp3p', exp3pAlgorithm);
export const exp4: Entry<'exp4', Omit<Exp4Parameters, 'packed'>> = entry('exp4', exp4Algorithm);
export const epochGreedy = entry('epoch-greedy', epochGreedyAlgorithm);
export const emp = entry('emp', empAlgorithm);
export const semp = entry('semp', sempAlgorithm);
export const gammaPoisson = entry('gamma-poisson', gammaPoissonAlgorithm);
export const linucb = entry('linucb', linucbAlgorithm);
export const linucbHybrid = entry('linucb-hybrid', linucbHybridAlgorithm);
export const linThompson = entry('lin-thompson', linThompsonAlgorithm);
export const linrel = entry('linrel', linrelAlgorithm);
export const glmUcb = entry('glm-ucb', glmUcbAlgorithm);
export const cemp = entry('cemp', cempAlgorithm);
