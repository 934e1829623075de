/**
 * A world like the Yahoo! Today Module of Li, Chu, Langford & Wang (WSDM 2011), whose truth is known. It holds articles, what
 * is on the page when, and how likely whom is to click what; visits are drawn from it (`traffic.ts`).
 *
 * Everything is a function of the options: only + − × ÷ on drawn integers, so the same bits on every machine.
 */

import { R6A_FEATURES } from '../../formats/yahoo/features.js';
import { R6B_FEATURES } from '../../formats/yahoo/users.js';
import { u32Column } from '../../log/build/memory.js';
import type { ArmDictionary, ArmFeatureTable, PoolTable } from '../../log/event-log.js';
import { PURPOSE, WorldDraws } from '../draws.js';
import { DAY, WORLD_START, type WorldOptions, type WorldSettings, worldSettings } from './options.js';
import { makePages, type Pages } from './pages.js';
import { KINDS, Rates } from './rates.js';

/** Ids of articles are numbers from here on, in the order of entry. */
const FIRST_ID = 100_001;

/** A world like the Yahoo! Today Module: articles, pages, and who is how likely to click what. @throws InputError for options out of range. */
export class World {
  /** Options with defaults filled in. */
  readonly settings: WorldSettings;
  /** Which articles are on the page when. */
  readonly pages: Pages;
  /** Probabilities of clicks. */
  readonly rates: Rates;
  /** Arms are articles: index 0 is the first to enter. */
  readonly arms: ArmDictionary;
  /** Id of each article, [K]. */
  readonly ids: Uint32Array;
  /** R6A: memberships of each article, those of the users who like it, and a constant; `null` for R6B. */
  readonly armFeatures: ArmFeatureTable | null;
  /** Names of the context's columns. */
  readonly columns: readonly string[];
  private readonly draws: WorldDraws;

  /** @throws InputError for options out of range. */
  constructor(options: WorldOptions) {
    this.settings = worldSettings(options);
    const { seed, kind } = this.settings;
    this.draws = new WorldDraws(seed);
    this.pages = makePages(this.settings, this.draws);
    const { entry } = this.pages;
    this.rates = new Rates(this.settings, entry, this.draws);
    this.ids = Uint32Array.from(entry, (_, a) => FIRST_ID + a);
    const ids = Array.from(this.ids, String);
    this.arms = { ids, index: new Map(ids.map((id, a) => [id, a])) };
    const order = kind === 'r6a' ? [2, 3, 4, 5, 6, 1] : Array.from({ length: R6B_FEATURES }, (_, j) => j + 1);
    this.columns = order.map((number) => `user_${number}`);
    this.armFeatures = kind === 'r6a' ? this.memberships() : null;
  }

  /** Length of a context, d. */
  get dimension(): number {
    return this.settings.kind === 'r6a' ? R6A_FEATURES : R6B_FEATURES;
  }

  /** Milliseconds. */
  get length(): number {
    return this.settings.days * DAY;
  }

  /** Days that the world touches. */
  get dayCount(): number {
    return Math.ceil(this.settings.days);
  }

  /** First millisecond of the world since 1970-01-01 UTC. */
  get start(): number {
    return WORLD_START;
  }

  /** The hidden factor of click probabilities of live visits on a day (0 for the first); 1 without business rules. */
  businessRule(day: number): number {
    const { businessRules } = this.settings;
    if (businessRules === 0) return 1;
    return 1 + businessRules * (2 * this.draws.unit(day, PURPOSE.businessRule) - 1);
  }

  /** Candidate sets: one per page, in order. `pool`: of each event. */
  pools(pool: Uint32Array): PoolTable {
    const { articles } = this.pages;
    const offsets = u32Column(articles.length + 1);
    for (const [s, page] of articles.entries()) offsets[s + 1] = offsets[s] + page.length;
    const arms = u32Column(offsets[articles.length]);
    for (const [s, page] of articles.entries()) arms.set(page, offsets[s]);
    return { count: articles.length, offsets, arms, pool: articles.length === 1 ? null : pool, allArms: null };
  }

  private memberships(): ArmFeatureTable {
    const { taste } = this.rates;
    const K = this.ids.length;
    const values = new Float64Array(K * R6A_FEATURES);
    for (let a = 0; a < K; a++) {
      let sum = 0;
      for (let k = 0; k < KINDS; k++) sum += taste[a * KINDS + k] + 0.02;
      for (let k = 0; k < KINDS; k++)
        values[a * R6A_FEATURES + k] = Math.floor(((taste[a * KINDS + k] + 0.02) / sum) * 1e6) / 1e6;
      values[a * R6A_FEATURES + KINDS] = 1;
    }
    const columns = [2, 3, 4, 5, 6, 1].map((number) => `article_${number}`);
    return { dimension: R6A_FEATURES, rows: K, values, row: null, columns };
  }
}
