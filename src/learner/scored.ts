/** Learners that give every candidate a real-valued score and choose by the tie rule (`ties.ts`). */

import type { Archive } from '../archive.js';
import { type Blame, type BrokenNumbers, noScore } from './broken.js';
import type { Candidates, Learner } from './learner.js';
import { chooseByScore, scoreMargin } from './ties.js';

/** `choose`, `matches` and `margin` from one score. */
export abstract class ScoredLearner implements Learner {
  private readonly scores: Float64Array;
  /** The arm that last ruled another out; it is asked first. A hint: answers do not depend on it. */
  private rival = 0;

  /**
   * @param arms K
   * @param tieTolerance τ
   */
  constructor(
    protected readonly arms: number,
    private readonly tieTolerance: number,
  ) {
    this.scores = new Float64Array(arms);
  }

  /** Called before the scores of an event are asked for. */
  protected abstract prepare(event: number): void;
  /** Score of an arm at the event prepared last: a pure function of event, arm and state. */
  protected abstract score(arm: number): number;
  /** What the score of an arm, at the event prepared last, comes from where it is no finite number. */
  protected abstract blame(arm: number): Blame;
  abstract update(event: number, arm: number, payoff: number, steps: number): void;
  abstract state(): Record<string, unknown>;
  abstract carry(archive: Archive): void;

  choose(event: number, candidates: Candidates): number {
    return chooseByScore(this.scoresAt(event, candidates), candidates, this.tieTolerance, (arm) => this.blame(arm));
  }

  margin(event: number, candidates: Candidates, arm: number): number {
    return scoreMargin(this.scoresAt(event, candidates), candidates, arm, this.tieTolerance);
  }

  /** Score of each candidate, in their order; overwritten by the next call. */
  private scoresAt(event: number, { arms, from, to }: Candidates): Float64Array {
    this.prepare(event);
    for (let i = from; i < to; i++) {
      const score = this.score(arms[i]);
      if (!Number.isFinite(score)) throw this.broken(arms[i], score);
      this.scores[i - from] = score;
    }
    return this.scores;
  }

  private broken(arm: number, score: number): BrokenNumbers {
    return noScore(arm, score, this.blame(arm));
  }

  /**
   * With m the largest score and least(m) = m − τ · max(1, |m|), the choice is the lowest index with a score ≥ least(m).
   * `least` never decreases (τ ≤ 1/2), so `arm`, with score s, is not the choice as soon as some candidate's score v shows
   *
   * 1. least(v) > s, since least(m) ≥ least(v): the arm is too low, whatever else is to come; or
   * 2. v ≥ s at a lower index: if the arm is high enough, so is that one, and it comes first.
   *
   * After all candidates without such a proof s ≥ least(m), and `arm` is the choice unless a lower index with v < s
   * also reaches least(m), which needs m and is looked at last.
   */
  matches(event: number, { arms, from, to }: Candidates, arm: number): boolean {
    this.prepare(event);
    const s = this.score(arm);
    if (!Number.isFinite(s)) throw this.broken(arm, s);
    const { rival } = this;
    if (rival !== arm && to - from === this.arms) {
      const v = this.score(rival);
      if (this.rulesOut(v, rival, s, arm)) {
        if (v === Number.POSITIVE_INFINITY) throw this.broken(rival, v);
        return false;
      }
    }
    let max = s;
    let lower = Number.NEGATIVE_INFINITY;
    for (let i = from; i < to; i++) {
      const other = arms[i];
      if (other === arm) continue;
      const v = this.score(other);
      if (!Number.isFinite(v)) throw this.broken(other, v);
      if (this.rulesOut(v, other, s, arm)) {
        this.rival = other;
        return false;
      }
      if (v > max) max = v;
      else if (other < arm && v > lower) lower = v;
    }
    return lower < this.least(max);
  }

  /** Whether `other` with score v proves that `arm` with score s is not the choice. */
  private rulesOut(v: number, other: number, s: number, arm: number): boolean {
    return v >= s && (other < arm || this.least(v) > s);
  }

  private least(max: number): number {
    return max - this.tieTolerance * Math.max(1, Math.abs(max));
  }
}
