/** What many runs of one learner say together: mean, spread and an interval of the mean (the paper's Table 1). */

import type { Interval } from '../interval/index.js';
import { studentT } from '../interval/student-t.js';

/** Statistics of per-trial payoffs ĝ over replicas; `null` where there are too few to tell. */
export interface ReplicaSummary {
  /** Replicas that retained at least one event, and so have an estimate. */
  estimates: number;
  /** Replicas that retained none: they are no part of what follows. */
  empty: number;
  mean: number | null;
  /** Standard deviation, divisor n − 1; `null` for one estimate. */
  std: number | null;
  min: number | null;
  max: number | null;
  /** Student's t interval of the mean over replicas, within the payoff range; `null` for one estimate. */
  interval: Interval | null;
}

/**
 * @param values ĝ of each replica; `null` where it retained nothing.
 * @param range payoff range.
 * @param confidence in (0, 1).
 */
export function summarizeReplicas(
  values: readonly (number | null)[],
  range: readonly [number, number],
  confidence: number,
): ReplicaSummary {
  const known = values.filter((value) => value !== null);
  const n = known.length;
  const counts = { estimates: n, empty: values.length - n };
  if (n === 0) return { ...counts, mean: null, std: null, min: null, max: null, interval: null };
  const min = known.reduce((a, b) => Math.min(a, b));
  const max = known.reduce((a, b) => Math.max(a, b));
  // Rounding may carry the mean of equal numbers an ulp away from them.
  const mean = Math.min(max, Math.max(min, known.reduce((a, b) => a + b, 0) / n));
  if (n === 1) return { ...counts, mean, std: null, min, max, interval: null };
  const std = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  const half = studentT(1 - confidence, n - 1) * (std / Math.sqrt(n));
  const interval: Interval = [Math.max(range[0], mean - half), Math.min(range[1], mean + half)];
  return { ...counts, mean, std, min, max, interval };
}
