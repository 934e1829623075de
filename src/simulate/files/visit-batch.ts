/** Batches of an exploration log in memory that does not grow with the log: what files are written from. */

import { R6A_FEATURES } from '../../formats/yahoo/features.js';
import { Explorer } from '../world/explorer.js';
import { KINDS } from '../world/rates.js';
import { Traffic } from '../world/traffic.js';
import type { World } from '../world/world.js';

/** Most features of a user of R6B. */
const MOST_LISTED = 31;

/** The columns of up to `capacity` events. */
export class VisitBatch {
  /** Events in the batch, the first of which is event `from` of the log. */
  count = 0;
  from = 0;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly time: Float64Array;
  readonly page: Uint32Array;
  /** Id of the article shown. */
  readonly displayed: Uint32Array;
  readonly click: Uint8Array;
  readonly propensity: Float64Array;
  readonly user: Uint32Array;
  /** 1..5 */
  readonly segment: Uint8Array;
  /** [capacity, 5] */
  readonly shares: Float64Array;
  /** R6A: [capacity, 6], #2 .. #6, #1. */
  readonly context: Float64Array;
  /** R6B: numbers of the features that are on, those of event i from `offsets[i]` on. */
  readonly features: Uint8Array;
  readonly offsets: Uint32Array;
  private readonly traffic: Traffic;
  private readonly explorer: Explorer;

  constructor(
    readonly world: World,
    readonly visits: number,
    number: number,
    readonly capacity: number,
  ) {
    this.traffic = new Traffic(world, visits, number);
    this.explorer = new Explorer(this.traffic);
    const isR6a = world.settings.kind === 'r6a';
    this.time = new Float64Array(capacity);
    this.page = new Uint32Array(capacity);
    this.displayed = new Uint32Array(capacity);
    this.click = new Uint8Array(capacity);
    this.propensity = new Float64Array(capacity);
    this.user = new Uint32Array(capacity);
    this.segment = new Uint8Array(capacity);
    this.shares = new Float64Array(capacity * KINDS);
    this.context = new Float64Array(isR6a ? capacity * R6A_FEATURES : 0);
    this.features = new Uint8Array(isR6a ? 0 : capacity * MOST_LISTED);
    this.offsets = new Uint32Array(capacity + 1);
  }

  /** Loads the next events after those loaded last; false where there are none. */
  next(): boolean {
    const { world, traffic, explorer, shares } = this;
    const { users } = traffic;
    this.from += this.count;
    this.count = Math.min(this.capacity, this.visits - this.from);
    for (let i = 0; i < this.count; i++) {
      const t = this.from + i;
      traffic.load(t);
      traffic.loadUser();
      explorer.decide(t, users.shares);
      this.time[i] = world.start + traffic.time;
      this.page[i] = traffic.page;
      this.displayed[i] = world.ids[explorer.article];
      this.click[i] = explorer.click;
      this.propensity[i] = explorer.propensity;
      this.user[i] = traffic.user;
      this.segment[i] = users.segment + 1;
      shares.set(users.shares, i * KINDS);
      if (this.context.length > 0) users.writeContext(this.context, i * R6A_FEATURES);
      else {
        this.features.set(users.listed.subarray(0, users.count), this.offsets[i]);
        this.offsets[i + 1] = this.offsets[i] + users.count;
      }
    }
    return this.count > 0;
  }

  /** Probability that the user of event i of the batch clicks an article. */
  clickProbability(i: number, article: number): number {
    const { world, time, shares } = this;
    return world.rates.probability(article, time[i] - world.start, shares, i * KINDS);
  }
}
