/** The algorithms of the table (`entries.ts`) by name. */

import type { Algorithm } from '../learner.js';
import './entries.js';
import { LISTED } from './entry.js';

/** In the order of documentation. */
export const ALGORITHMS: readonly Algorithm[] = LISTED;

/** The algorithm of a name; `undefined` where there is none. */
export function algorithmNamed(name: string): Algorithm | undefined {
  return ALGORITHMS.find((algorithm) => algorithm.name === name);
}
