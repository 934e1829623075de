/** What differences of a feature are worth to policies, so that boxes are made narrow where it matters. */

import { LARGEST_NORM } from '../../../policy/linear/kernel.js';
import type { Screen } from '../../../policy/screen.js';

/** Policies whose weights are looked at. */
const SAMPLE = 64;

/** How far the rows of a policy differ in their weights of each feature, [d]: the root of the mean square over some policies. */
export function featureScale(screen: Screen): Float64Array {
  const { policies, rows, dimension: d } = screen;
  const scale = new Float64Array(d);
  const sampled = Math.min(SAMPLE, policies);
  for (let i = 0; i < sampled; i++) {
    const p = Math.floor(((i + 0.5) * policies) / sampled);
    const norm = screen.norm(p);
    if (!(norm > 0 && norm <= LARGEST_NORM)) continue;
    const weights = screen.weights(p);
    for (let j = 0; j < d; j++) {
      let mean = 0;
      for (let r = 0; r < rows; r++) mean += weights[r * d + j] / rows;
      // Relative to the policy: all have the same say.
      for (let r = 0; r < rows; r++) scale[j] += ((weights[r * d + j] - mean) / norm) ** 2;
    }
  }
  return scale.map(Math.sqrt);
}
