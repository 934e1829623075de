/** Decides visits as the exploration log does: which article is shown, how likely that was, and whether it is clicked. */

import { loggingProbabilities } from './logging.js';
import type { Traffic } from './traffic.js';

export class Explorer {
  /** Article shown, its probability, and the click (0 or 1) of the visit decided last. */
  article = 0;
  propensity = 1;
  click = 0;
  private readonly probabilities: Float64Array;
  private readonly uniform: boolean;

  constructor(private readonly traffic: Traffic) {
    const { logging, pool } = traffic.world.settings;
    this.probabilities = new Float64Array(pool[1]);
    this.uniform = logging.policy === 'uniform';
  }

  /** Decides visit t, which the traffic has loaded. @param shares of the user's kinds, from `from` on. */
  decide(t: number, shares: ArrayLike<number>, from = 0): void {
    const { traffic, probabilities } = this;
    const { pages, rates, settings } = traffic.world;
    const page = pages.articles[traffic.page];
    if (!this.uniform) loggingProbabilities(settings.logging, page, rates, shares, probabilities, from);
    const place = traffic.explore(t, probabilities);
    this.article = page[place];
    this.propensity = this.uniform ? 1 / page.length : probabilities[place];
    this.click = traffic.clicks(t, rates.probability(this.article, traffic.time, shares, from)) ? 1 : 0;
  }
}
