/** Choosing among real-valued scores (DESIGN §2, rule 2). */

import type { Candidates } from './learner.js';

/** Relative tolerance within which scores are a tie; an option of every learner with real-valued state. */
export const TIE_TOLERANCE = 1e-6;

/**
 * The lowest index whose score is at least max − τ · max(1, |max|).
 *
 * @param scores score of each candidate, in the order of `candidates`.
 * @param tolerance τ
 */
export function chooseByScore(scores: Float64Array, { arms, from, to }: Candidates, tolerance: number): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i++) max = Math.max(max, scores[i - from]);
  const least = max - tolerance * Math.max(1, Math.abs(max));
  for (let i = from; i < to; i++) if (scores[i - from] >= least) return arms[i];
  return arms[from];
}
