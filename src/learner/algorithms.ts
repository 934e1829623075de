/** The table of learning algorithms. Adding one = a file and two lines here. */

import { epsilonGreedy } from './epsilon-greedy.js';
import type { Algorithm } from './learner.js';
import { random } from './random.js';
import { ucb } from './ucb.js';
import { ucb1 } from './ucb1.js';

/** In the order of documentation. */
// biome-ignore format: one per line
export const ALGORITHMS: readonly Algorithm[] = [
  random,
  epsilonGreedy,
  ucb,
  ucb1,
];

/** The algorithm of a name; `undefined` where there is none. */
export function algorithmNamed(name: string): Algorithm | undefined {
  return ALGORITHMS.find((algorithm) => algorithm.name === name);
}
