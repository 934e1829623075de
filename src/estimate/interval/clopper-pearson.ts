/**
 * The exact binomial interval for 0/1 payoffs (Clopper & Pearson, "The use of confidence or fiducial limits illustrated
 * in the case of the binomial", Biometrika 1934). Given T, the ones among the retained events are binomial, so each tail is
 * at most δ/2 whatever g and T are.
 */

import betaQuantile from '@stdlib/stats-base-dists-beta-quantile';
import type { Interval, Sample } from './method.js';

export function clopperPearson({ matches: T, steps: G }: Sample, delta: number): Interval {
  // 1 − (δ/2)^(1/T): the bound next to an all-zero or all-one sample, in closed form.
  const extreme = -Math.expm1(Math.log(delta / 2) / T);
  const lower = G === 0 ? 0 : G === T ? 1 - extreme : betaQuantile(delta / 2, G, T - G + 1);
  const upper = G === T ? 1 : G === 0 ? extreme : betaQuantile(1 - delta / 2, G + 1, T - G);
  return [lower, upper];
}
