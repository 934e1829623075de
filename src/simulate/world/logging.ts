/** The policies that an exploration log can be made with. */

import { expOfNegative } from './exp.js';
import type { LoggingPolicy } from './options.js';
import type { Rates } from './rates.js';

/**
 * Probability of each article of a page, into `out[0 .. page.length)`; they sum to 1 up to rounding. Policies that are not
 * uniform know the user's shares and every article's steady click rate: good guesses that drift makes stale.
 *
 * @param page articles, ascending.
 */
export function loggingProbabilities(
  logging: LoggingPolicy,
  page: Uint32Array,
  rates: Rates,
  shares: ArrayLike<number>,
  out: Float64Array,
  from = 0,
): void {
  const n = page.length;
  if (logging.policy === 'uniform') {
    out.fill(1 / n, 0, n);
    return;
  }
  let best = 0;
  for (let i = 0; i < n; i++) {
    out[i] = rates.steady(page[i], shares, from);
    if (out[i] > out[best]) best = i;
  }
  if (logging.policy === 'epsilon-greedy') {
    out.fill(logging.epsilon / n, 0, n);
    out[best] += 1 - logging.epsilon;
    return;
  }
  const top = out[best];
  let sum = 0;
  for (let i = 0; i < n; i++) {
    out[i] = expOfNegative((out[i] - top) / logging.temperature);
    sum += out[i];
  }
  for (let i = 0; i < n; i++) out[i] /= sum;
}
