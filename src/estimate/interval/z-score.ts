import normalQuantile from '@stdlib/stats-base-dists-normal-quantile';

/** z with P(|Z| > z) = δ for a standard normal Z; 1.959964… for δ = 0.05. */
export function zScore(delta: number): number {
  // The lower tail keeps its digits where δ is tiny; 1 − δ/2 would not.
  return -normalQuantile(delta / 2, 0, 1);
}
