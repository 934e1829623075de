/** Choosing among real-valued scores (docs/architecture.md, rule 2). */

import { type Blame, noScore } from './broken.js';
import type { Candidates } from './learner.js';

/** Relative tolerance within which scores are a tie; an option of every learner with real-valued state. */
export const TIE_TOLERANCE = 1e-6;

/**
 * The lowest index whose score is at least max − τ · max(1, |max|).
 *
 * @param scores score of each candidate, in the order of `candidates`.
 * @param tolerance τ
 * @param blame says what an arm's score that is no number comes from.
 * @throws BrokenNumbers where the largest score is infinite, or one is no number.
 */
export function chooseByScore(
  scores: Float64Array,
  { arms, from, to }: Candidates,
  tolerance: number,
  blame: (arm: number) => Blame,
): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i++) max = Math.max(max, scores[i - from]);
  if (!Number.isFinite(max)) {
    let i = from;
    while (i < to - 1 && Number.isFinite(scores[i - from])) i++;
    throw noScore(arms[i], scores[i - from], blame(arms[i]));
  }
  const least = max - tolerance * Math.max(1, Math.abs(max));
  for (let i = from; i < to; i++) if (scores[i - from] >= least) return arms[i];
  return arms[from];
}

/**
 * `margin` of a learner (`learner.ts`) that chooses by `chooseByScore`.
 *
 * With s the score of `arm`, `lower` and `higher` the largest scores at lower and higher indices and least(m) = m − τ ·
 * max(1, |m|), `arm` is the choice where s ≥ least(higher) and lower < least(max(s, higher)). The smaller of the two slacks
 * says how far that is from false. Where both are violated, mending one makes the other worse; then the third, lower < s,
 * which the two imply, says how far it is from true.
 */
export function scoreMargin(
  scores: Float64Array,
  { arms, from, to }: Candidates,
  arm: number,
  tolerance: number,
): number {
  const none = Number.NEGATIVE_INFINITY;
  let [lower, s, higher] = [none, none, none];
  for (let i = from; i < to; i++) {
    const v = scores[i - from];
    if (arms[i] < arm) lower = Math.max(lower, v);
    else if (arms[i] > arm) higher = Math.max(higher, v);
    else s = v;
  }
  const least = (m: number): number => (m === none ? none : m - tolerance * Math.max(1, Math.abs(m)));
  const slack = Math.min(s - least(higher), least(Math.max(s, higher)) - lower, s - lower);
  return slack / Math.max(1, Math.abs(Math.max(lower, s, higher)));
}
