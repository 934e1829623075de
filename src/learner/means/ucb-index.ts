/** What `ucb` and `ucb1` share: the largest upper confidence bound of a mean, without contexts. */

import type { Archive } from '../../archive.js';
import { meanPayoff } from '../../estimate/sums/payoff-scale.js';
import type { EventLog } from '../../log/event-log.js';
import type { Blame } from '../broken.js';
import { LastChoice } from '../candidates.js';
import type { Candidates, Learner } from '../learner.js';
import { chooseByScore, scoreMargin } from '../ties.js';
import { Means } from './means.js';

/** Half width of the confidence interval of a mean of n trials, after t updates. */
export type Bonus = (n: number, t: number) => number;

/** A mean lies between payoffs. */
const BLAME: Blame = {
  setting: 'alpha',
  needed: 'a bound, mean + alpha times a width, below 1e308',
  hint: 'a smaller alpha: it is in payoff units',
};

/** Chooses max_a (r̄_a + bonus(n_a, t)); candidates that were never tried come first, in index order. */
export class UcbIndex implements Learner {
  private readonly means: Means;
  private readonly scores: Float64Array;
  private readonly last = new LastChoice();
  /** t */
  private updates = 0;

  constructor(
    private readonly log: EventLog,
    private readonly bonus: Bonus,
    private readonly tolerance: number,
  ) {
    this.means = new Means(log.arms.ids.length);
    this.scores = new Float64Array(log.arms.ids.length);
  }

  choose(_event: number, candidates: Candidates): number {
    return this.last.get(
      candidates,
      (set) => this.untried(set) ?? chooseByScore(this.scoresOf(set), set, this.tolerance, () => BLAME),
    );
  }

  /** Whether an arm was tried is known for certain; scores are not. */
  margin(_event: number, candidates: Candidates, arm: number): number {
    const untried = this.untried(candidates);
    if (untried !== null) return untried === arm ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    return scoreMargin(this.scoresOf(candidates), candidates, arm, this.tolerance);
  }

  /** The first candidate that was never tried; `null` where all were. */
  private untried({ arms, from, to }: Candidates): number | null {
    const { n } = this.means;
    for (let i = from; i < to; i++) if (n[arms[i]] === 0) return arms[i];
    return null;
  }

  /** Score of each candidate, all of them tried; overwritten by the next call. */
  private scoresOf({ arms, from, to }: Candidates): Float64Array {
    const { n } = this.means;
    const { scale } = this.log.payoff;
    for (let i = from; i < to; i++) {
      const a = arms[i];
      const mean = meanPayoff(scale, n[a], this.means.total(a)) ?? Number.NaN;
      this.scores[i - from] = mean + this.bonus(n[a], this.updates);
    }
    return this.scores;
  }

  update(_event: number, arm: number, _payoff: number, steps: number): void {
    this.means.add(arm, steps);
    this.updates++;
    this.last.forget();
  }

  carry(archive: Archive): void {
    this.means.carry(archive);
    this.updates = archive.number(this.updates);
    this.last.forget();
  }

  state() {
    return { updates: this.updates, ...this.means.describe(this.log.payoff.scale) };
  }
}
