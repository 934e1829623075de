/**
 * SLOPE (Su, Srinath & Krishnamurthy, ICML 2020): which of several estimates, the wider the less biased, to take. From the widest on,
 * the last one up to which all intervals v ± s have a point in common: until then what they differ by may be chance, and not bias.
 * s is the standard error, for which theory has twice the half-width of an interval: that is far more than estimates of one log differ
 * by chance, and bias was noticed late. With 2s the root mean squared error of ips and snips was larger in 19 of 22 simulated cases.
 */

import type { Estimate } from '../one-estimate.js';

export interface Clipped extends Pick<Estimate, 'value' | 'standardError'> {
  /** M; `null`: none was clipped. */
  readonly clip: number | null;
}

/** Does not depend on the order of the estimates: of equal errors that of the larger M counts as the narrower one, which is taken. */
export function slope<One extends Clipped>(estimates: readonly One[]): One {
  const known = estimates.map((one) => ({
    one,
    value: one.value ?? 0,
    // An error that is not known may be any.
    error: one.standardError ?? Number.POSITIVE_INFINITY,
    clip: one.clip ?? Number.POSITIVE_INFINITY,
  }));
  known.sort((a, b) => (a.error === b.error ? (a.clip < b.clip ? -1 : 1) : b.error - a.error));
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [{ one: last }] = known;
  for (const { one, value, error } of known) {
    low = Math.max(low, value - error);
    high = Math.min(high, value + error);
    if (low > high) break;
    last = one;
  }
  return last;
}
