/** What `ucb` and `ucb1` share: the largest upper confidence bound of a mean, without contexts. */

import { meanPayoff } from '../estimate/payoff-scale.js';
import type { EventLog } from '../log/event-log.js';
import { LastChoice } from './candidates.js';
import type { Candidates, Learner } from './learner.js';
import { Means } from './means.js';
import { chooseByScore } from './ties.js';

/** Half width of the confidence interval of a mean of n trials, after t updates. */
export type Bonus = (n: number, t: number) => number;

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
    return this.last.get(candidates, (set) => this.decide(set));
  }

  private decide(candidates: Candidates): number {
    const { arms, from, to } = candidates;
    const { n } = this.means;
    const { scale } = this.log.payoff;
    for (let i = from; i < to; i++) {
      const a = arms[i];
      const mean = meanPayoff(scale, n[a], this.means.total(a));
      if (mean === null) return a;
      this.scores[i - from] = mean + this.bonus(n[a], this.updates);
    }
    return chooseByScore(this.scores, candidates, this.tolerance);
  }

  update(_event: number, arm: number, _payoff: number, steps: number): void {
    this.means.add(arm, steps);
    this.updates++;
    this.last.forget();
  }

  state() {
    return { updates: this.updates, ...this.means.describe(this.log.payoff.scale) };
  }
}
