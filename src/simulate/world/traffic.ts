/**
 * Visits to a world. Traffic number 0 is the bucket that explores; 1, 2, … are others of the same people at the same time,
 * such as live buckets.
 */

import { InputError } from '../../errors.js';
import { scaleToIndex } from '../../random/threefry.js';
import { plural } from '../../words.js';
import { checkWhole, PURPOSE, WorldDraws } from '../draws.js';
import { Users } from './users.js';
import type { World } from './world.js';

/** Sessions that go on side by side. */
const SLOTS = 256;
/** Share of sessions of R6B in which the user is not logged in. */
const GUESTS = 0.075;
const MOST_VISITS = 0xf0000000;

/** One visit after another. Fields are those of the visit loaded last; ask in ascending order where speed matters. */
export class Traffic {
  /** Milliseconds since the world's start, whole. */
  time = 0;
  /** Number of the page. */
  page = 0;
  /** Number of the user. */
  user = 0;
  /** Not logged in: a context that says nothing. */
  guest = false;
  readonly users: Users;
  private readonly draws: WorldDraws;
  private readonly slots: number;
  private readonly session: number;

  /**
   * @param visits spread evenly over the world's length.
   * @throws InputError for numbers out of range.
   */
  constructor(
    readonly world: World,
    readonly visits: number,
    readonly number = 0,
  ) {
    checkWhole('the number of visits', visits, 0);
    checkWhole('the number of the traffic', number, 0);
    if (visits > MOST_VISITS || number > 0xffff) {
      throw new InputError({
        problem: 'so many visits cannot be drawn',
        got: `${plural(visits, 'visit')}, traffic ${number}`,
        needed: `at most ${MOST_VISITS} visits, traffic 0 to 65535`,
      });
    }
    const { seed, kind, visitsPerSession } = world.settings;
    this.draws = new WorldDraws(seed, number);
    // The same people, whatever the traffic.
    this.users = new Users(kind, new WorldDraws(seed));
    this.slots = visitsPerSession === 1 ? 1 : SLOTS;
    this.session = Math.round(this.slots * visitsPerSession);
  }

  /** Loads visit t: when, who, and what was on the page. */
  load(t: number): void {
    const { world, draws, slots } = this;
    const { starts } = world.pages;
    draws.draw(t, PURPOSE.visit);
    const slot = scaleToIndex(draws.first, slots);
    this.time = Math.floor(((t + draws.second / 4294967296) / this.visits) * world.length);
    if (this.time < starts[this.page]) this.page = 0;
    while (this.page + 1 < starts.length && this.time >= starts[this.page + 1]) this.page++;
    // Sessions of a slot follow each other; those of other slots begin in between.
    const begun = Math.floor((t + Math.floor((slot * this.session) / slots)) / this.session);
    draws.draw(begun * slots + slot, PURPOSE.session);
    // Squared: some come much more often than others.
    const u = draws.first / 4294967296;
    this.user = Math.floor(u * u * world.settings.users);
    this.guest = world.settings.kind === 'r6b' && draws.second / 4294967296 < GUESTS;
  }

  /** Loads what is known of the user of the visit, and how they are inclined, into `users`. */
  loadUser(): void {
    this.users.load(this.user, this.guest);
  }

  /** The article that the exploration log shows at visit t, as a place on the page; with its probability. Needs the user unless logging is uniform. */
  explore(t: number, probabilities: Float64Array): number {
    const { world, page, draws } = this;
    const size = world.pages.articles[page].length;
    draws.draw(t, PURPOSE.choice);
    if (world.settings.logging.policy === 'uniform') return scaleToIndex(draws.first, size);
    return pick(probabilities, size, ((draws.first >>> 5) * 67108864 + (draws.second >>> 6)) / 9007199254740992);
  }

  /** Whether visit t ends in a click, where its probability is p. */
  clicks(t: number, p: number): boolean {
    return this.draws.unit(t, PURPOSE.visitClick) < p;
  }
}

/** First place at which the running sum of probabilities exceeds u; the last one where rounding leaves the sum short. */
function pick(probabilities: Float64Array, size: number, u: number): number {
  let sum = 0;
  for (let i = 0; i < size - 1; i++) {
    sum += probabilities[i];
    if (u < sum) return i;
  }
  return size - 1;
}
