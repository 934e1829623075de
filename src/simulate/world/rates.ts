/**
 * Click probabilities. A user is a mixture of five kinds, with shares m_1 .. m_5; article a at time τ is clicked with
 *
 *     p = low + (high − low) · level_a(τ) · Σ_k taste_ak m_k,   level and taste in (0, 1).
 *
 * So it is linear in the shares, whatever the time. The level is the article's popularity, less what it loses with age, in
 * the course of the day, and on a path of its own.
 */

import { type Draws, PURPOSE } from '../draws.js';
import { DAY, HOUR, type WorldSettings } from './options.js';
import type { Pages } from './pages.js';

/** Kinds of users, and memberships of R6A. */
export const KINDS = 5;

/** Distance of the points that an article's path goes through. */
const KNOTS = 3 * HOUR;
/** An article of this age has lost half of what drift can take. */
const HALF_LIFE = 12 * HOUR;
/** What the middle of the day takes at most. */
const DAILY = 0.3;

export class Rates {
  /** [K, 5] */
  readonly taste: Float64Array;
  /** [K] */
  readonly popularity: Float64Array;
  /** The stretch of its path that an article was last asked for: its number, level at its begin and at its end. */
  private readonly knot: Int32Array;
  private readonly before: Float64Array;
  private readonly after: Float64Array;

  constructor(
    private readonly settings: WorldSettings,
    private readonly entry: Pages['entry'],
    private readonly draws: Draws,
  ) {
    const K = entry.length;
    this.taste = new Float64Array(K * KINDS);
    this.popularity = new Float64Array(K);
    this.knot = new Int32Array(K).fill(-1);
    this.before = new Float64Array(K);
    this.after = new Float64Array(K);
    for (let a = 0; a < K; a++) {
      this.popularity[a] = 0.4 + 0.6 * draws.unit(a, PURPOSE.article);
      for (let k = 0; k < KINDS; k++) {
        // Squared: few kinds like an article much.
        const u = draws.unit(a, PURPOSE.article + 1 + k);
        this.taste[a * KINDS + k] = u * u;
      }
    }
  }

  /**
   * @param time milliseconds since the world's start.
   * @param shares of the five kinds, `shares[from .. from + 5)`.
   */
  probability(article: number, time: number, shares: ArrayLike<number>, from = 0): number {
    const [low, high] = this.settings.clickRates;
    return low + (high - low) * this.level(article, time) * this.liking(article, shares, from);
  }

  /** The same without drift: what a model that knows users, and not the hour, would say. */
  steady(article: number, shares: ArrayLike<number>, from = 0): number {
    const [low, high] = this.settings.clickRates;
    return low + (high - low) * this.popularity[article] * this.liking(article, shares, from);
  }

  private liking(article: number, shares: ArrayLike<number>, from: number): number {
    const { taste } = this;
    let sum = 0;
    for (let k = 0, i = article * KINDS; k < KINDS; k++) sum += taste[i + k] * shares[from + k];
    return sum;
  }

  private level(article: number, time: number): number {
    const { drift } = this.settings;
    if (drift === 0) return this.popularity[article];
    const age = Math.max(0, time - this.entry[article]);
    const hour = (time % DAY) / DAY;
    const aged = 1 - (drift * age) / (age + HALF_LIFE);
    const daily = 1 - drift * DAILY * 4 * hour * (1 - hour);
    return this.popularity[article] * aged * daily * (1 - drift * this.path(article, time));
  }

  /** In [0, 1): goes smoothly from one drawn point to the next. */
  private path(article: number, time: number): number {
    const knot = Math.floor(time / KNOTS);
    if (this.knot[article] !== knot) {
      this.knot[article] = knot;
      this.before[article] = this.draws.unit(article, PURPOSE.drift + knot);
      this.after[article] = this.draws.unit(article, PURPOSE.drift + knot + 1);
    }
    const f = time / KNOTS - knot;
    const before = this.before[article];
    return before + (this.after[article] - before) * f * f * (3 - 2 * f);
  }
}
