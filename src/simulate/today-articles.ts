/** The articles of the Today world: how much each kind of user likes them, and when they are on the page. */

import { PURPOSE, type WorldDraws } from './draws.js';

/** Membership features of a user; a constant 1 follows them. */
export const MEMBERSHIPS = 5;
/** d: length of a context. */
export const TODAY_DIMENSION = MEMBERSHIPS + 1;

const LOWEST_RATE = 0.02;
const HIGHEST_RATE = 0.1;

/**
 * θ, [K, 6]: the click rate of article a for user x is θ_a · x. Memberships are positive and sum to 1, so the rate is a mean
 * of the article's rates for the five kinds of user, each in 2–10 %. An article has a popularity and, within it, tastes.
 */
export function articleRates(articles: number, draws: WorldDraws): Float64Array {
  const theta = new Float64Array(articles * TODAY_DIMENSION);
  for (let a = 0; a < articles; a++) {
    const popularity = 0.3 + 0.7 * draws.unit(a, PURPOSE.popularity);
    for (let j = 0; j < MEMBERSHIPS; j++) {
      const taste = draws.unit(a, PURPOSE.taste + j);
      theta[a * TODAY_DIMENSION + j] = (HIGHEST_RATE - LOWEST_RATE) * popularity * taste * taste;
    }
    theta[a * TODAY_DIMENSION + MEMBERSHIPS] = LOWEST_RATE;
  }
  return theta;
}

/** The pages in order: pool s is shown from event `starts[s]` on. */
export interface Pages {
  pools: Uint32Array[];
  starts: number[];
}

/**
 * Starts with articles 0..pool−1; every later article replaces one of the older half of the page. Replacements come at
 * about equal distances.
 */
export function pages(events: number, articles: number, pool: number, draws: WorldDraws): Pages {
  // By age, oldest first.
  const page = Array.from({ length: pool }, (_, a) => a);
  const pools = [Uint32Array.from(page)];
  const starts = [0];
  const replacements = articles - pool;
  for (let i = 0; i < replacements; i++) {
    const { first, second } = draws.draw(i, PURPOSE.churn);
    const jitter = (second / 4294967296 - 0.5) * 0.8;
    starts.push(Math.floor(((i + 1 + jitter) * events) / (replacements + 1)));
    page.splice(Math.floor((first / 4294967296) * Math.ceil(pool / 2)), 1);
    page.push(pool + i);
    pools.push(Uint32Array.from(page).sort());
  }
  return { pools, starts };
}
