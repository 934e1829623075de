/** What is on the page when: articles enter one at a time, and older ones leave. */

import { PURPOSE, type WorldDraws } from '../draws.js';
import { HOUR, type WorldSettings } from './options.js';

/** The pages in order. */
export interface Pages {
  /** Articles of each page, ascending; articles are numbered in the order of entry. */
  readonly articles: readonly Uint32Array[];
  /** First millisecond of each page since the world's start; ascending, the first 0. */
  readonly starts: Float64Array;
  /** First millisecond of each article, and the first one without it (infinite: it stays to the end); [K]. */
  readonly entry: Float64Array;
  readonly exit: Float64Array;
}

/** Share of changes that make the page longer, and of those that make it shorter, where it may. */
const GROWTH = 0.15;

/**
 * Changes come at about equal distances. At each a new article takes the place of one of the older half of the page, or an
 * article enters or leaves without another, as long as the page keeps to its sizes.
 */
export function makePages({ days, changesPerHour, pool: [least, most] }: WorldSettings, draws: WorldDraws): Pages {
  const changes = Math.floor(days * 24 * changesPerHour);
  let next = (least + most) >>> 1;
  // By age, oldest first; so also ascending.
  const page = Array.from({ length: next }, (_, a) => a);
  const articles = [Uint32Array.from(page)];
  const starts = [0];
  const entry = page.map(() => 0);
  const exit = page.map(() => Number.POSITIVE_INFINITY);
  for (let i = 0; i < changes; i++) {
    const { first, second } = draws.draw(i, PURPOSE.change);
    const jitter = ((second & 0xffff) / 65536 - 0.5) * 0.8;
    const at = Math.floor(((i + 1 + jitter) / changesPerHour) * HOUR);
    const u = (second >>> 16) / 65536;
    const grows = u < GROWTH && page.length < most;
    const shrinks = u >= 1 - GROWTH && page.length > least;
    if (!grows) {
      const [gone] = page.splice(Math.floor((first / 4294967296) * Math.ceil(page.length / 2)), 1);
      exit[gone] = at;
    }
    if (!shrinks) {
      page.push(next++);
      entry.push(at);
      exit.push(Number.POSITIVE_INFINITY);
    }
    articles.push(Uint32Array.from(page));
    starts.push(at);
  }
  return {
    articles,
    starts: Float64Array.from(starts),
    entry: Float64Array.from(entry),
    exit: Float64Array.from(exit),
  };
}
