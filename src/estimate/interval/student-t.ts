import betaQuantile from '@stdlib/stats-base-dists-beta-quantile';

/**
 * t with P(|t_n| > t) = δ for Student's t with n degrees of freedom; 2.262157… for n = 9, δ = 0.05.
 *
 * t² / (n + t²) has the distribution Beta(1/2, n/2), and n / (n + t²) Beta(n/2, 1/2); the smaller of the two keeps its digits.
 */
export function studentT(delta: number, n: number): number {
  const x = betaQuantile(1 - delta, 0.5, n / 2);
  if (x < 0.5) return Math.sqrt((n * x) / (1 - x));
  const y = betaQuantile(delta, n / 2, 0.5);
  return Math.sqrt((n * (1 - y)) / y);
}
