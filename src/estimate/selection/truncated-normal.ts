/** The distribution function of a normal number that is known to lie between two bounds, by logarithms: bounds may be far out. */

import logCdf from '@stdlib/stats-base-dists-normal-logcdf';

/** P(X ≤ x | low ≤ X ≤ high), X normal with this mean and standard deviation. @param low ≤ x ≤ `high`, either may be infinite. */
export function truncatedCdf(x: number, mean: number, deviation: number, low: number, high: number): number {
  const [a, b, c] = [low, high, x].map((bound) => (bound - mean) / deviation);
  // In the upper tail logarithms of what is left of it keep the digits.
  if (a > 0) return 1 - fromLeft(-b, -a, -c);
  return fromLeft(a, b, c);
}

function fromLeft(a: number, b: number, c: number): number {
  const [la, lb, lc] = [a, b, c].map((z) => logCdf(z, 0, 1));
  if (!(lc > la)) return 0;
  const share = Math.exp(lc - lb) * (-Math.expm1(la - lc) / -Math.expm1(la - lb));
  return Math.min(1, Math.max(0, share));
}
