/**
 * Click probabilities. A user is a mixture of five kinds, with shares m_1 .. m_5; article a at time τ is clicked with
 *
 *     p = low + (high − low) · level_a(τ) · Σ_k taste_ak m_k,   level and taste in (0, 1).
 *
 * So it is linear in the shares, whatever the time. The level is the article's popularity, less what it loses with age, in
 * the course of the day, on a slow day, and on a path of its own.
 */

import { PURPOSE, type WorldDraws } from '../draws.js';
import { DAY, HOUR, type WorldSettings } from './options.js';
import type { Pages } from './pages.js';

/** Kinds of users, and memberships of R6A. */
export const KINDS = 5;

/** Distance of the points that an article's path goes through. */
const KNOTS = 3 * HOUR;
/** What a slow day takes from all articles at most; the path of days is theirs alike. */
const DAYS = 0.6;
/** An article of this age has lost half of what drift can take. */
const HALF_LIFE = 12 * HOUR;
/** What the middle of the day takes at most. */
const DAILY = 0.3;

export class Rates {
  /** [K, 5] */
  readonly taste: Float64Array;
  /** [K] */
  readonly popularity: Float64Array;
  /** The piece of its path that an article was last asked for: its number, level at its begin and at its end. Last: that of days. */
  private readonly knot: Int32Array;
  private readonly before: Float64Array;
  private readonly after: Float64Array;

  constructor(
    private readonly settings: WorldSettings,
    private readonly entry: Pages['entry'],
    private readonly draws: WorldDraws,
  ) {
    const K = entry.length;
    this.taste = new Float64Array(K * KINDS);
    this.popularity = new Float64Array(K);
    this.knot = new Int32Array(K + 1).fill(-1);
    this.before = new Float64Array(K + 1);
    this.after = new Float64Array(K + 1);
    for (let a = 0; a < K; a++) {
      // Squared: few articles are popular, and a kind likes few articles much.
      const popular = draws.unit(a, PURPOSE.article);
      this.popularity[a] = 0.1 + 0.9 * popular * popular;
      for (let k = 0; k < KINDS; k++) {
        const u = draws.unit(a, PURPOSE.article + 1 + k);
        this.taste[a * KINDS + k] = 0.3 + 0.7 * u * u;
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
    const day = 1 - drift * DAYS * this.path(this.entry.length, time / DAY);
    return this.popularity[article] * aged * daily * day * (1 - drift * this.path(article, time / KNOTS));
  }

  /** In [0, 1): goes smoothly from one drawn point to the next. @param at in distances of points. */
  private path(number: number, at: number): number {
    const knot = Math.floor(at);
    if (this.knot[number] !== knot) {
      this.knot[number] = knot;
      this.before[number] = this.draws.unit(number, PURPOSE.drift + knot);
      this.after[number] = this.draws.unit(number, PURPOSE.drift + knot + 1);
    }
    const f = at - knot;
    const before = this.before[number];
    return before + (this.after[number] - before) * f * f * (3 - 2 * f);
  }
}
