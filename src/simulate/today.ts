/**
 * A small Today-Module-like world whose truth is known: some twenty articles on a page, articles entering and leaving,
 * users described by five memberships and a constant, click rates of 2–10 %, an article shown uniformly at random.
 * The shape is that of the Yahoo! Front Page log of Li et al. (WSDM 2011); the numbers are made up.
 *
 * Only +, −, ×, ÷ on drawn integers: the same bytes for the same options on every machine.
 */

import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import { logFromColumns } from '../log/from-columns/columns.js';
import { checkOptions, type OptionShape, option } from '../options/check-options.js';
import { scaleToIndex } from '../random/threefry.js';
import { checkWhole, PURPOSE, WorldDraws } from './draws.js';
import { articleRates, MEMBERSHIPS, pages, TODAY_DIMENSION } from './today-articles.js';

export { TODAY_DIMENSION } from './today-articles.js';

export interface TodayOptions {
  /** Number of events, L. */
  events: number;
  /** A whole number in 0..2³²−1. */
  seed: number;
  /** K, all articles that are ever shown; default 50. */
  articles?: number;
  /** Articles on the page at a time; default 20. */
  pool?: number;
  /** Days that the log spans, from 2009-05-01 UTC on; default 5. */
  days?: number;
}

/** Values are checked where they are used. */
const TODAY_OPTIONS: OptionShape<TodayOptions> = {
  events: option.elsewhere,
  seed: option.elsewhere,
  articles: option.elsewhere,
  pool: option.elsewhere,
  days: option.elsewhere,
};

/** A simulated log and its truth. */
export interface TodayWorld {
  /** Contexts [L, 6] in f32; arms in order of entry; clicks as 0/1 payoffs; time ascending. */
  readonly log: EventLog;
  /** θ, [K, 6]: click rates are θ_a · x. As weights of a linear policy, the best policy there is. */
  readonly theta: Float64Array;
  /** Probability that the user of event t clicks article a, whether or not it is on the page. */
  clickProbability(event: number, arm: number): number;
}

const START = Date.UTC(2009, 4, 1);
const DAY = 86_400_000;

/**
 * Simulates L events.
 *
 * @throws InputError for options out of range.
 */
export function simulateToday(options: TodayOptions): TodayWorld {
  checkOptions(options, TODAY_OPTIONS);
  const { events, seed, articles = 50, pool = 20, days = 5 } = options;
  checkWhole('the number of events', events, 0);
  checkWhole('the size of the page', pool, 1);
  checkWhole('the number of articles', articles, pool);
  if (!(Number.isFinite(days) && days > 0)) {
    throw new InputError({
      problem: 'the number of days is not usable',
      got: String(days),
      needed: 'a finite number above 0',
    });
  }
  const draws = new WorldDraws(seed);
  const theta = articleRates(articles, draws);
  const { pools, starts } = pages(events, articles, pool, draws);
  const columns = {
    armIndex: new Uint32Array(events),
    payoff: new Uint8Array(events),
    contexts: new Float32Array(events * TODAY_DIMENSION),
    pool: new Uint32Array(events),
    propensity: new Float64Array(events).fill(1 / pool),
    time: new Float64Array(events),
  };
  let page = 0;
  for (let t = 0; t < events; t++) {
    while (page + 1 < starts.length && t >= starts[page + 1]) page++;
    drawContext(columns.contexts, t, draws);
    const { first, second } = draws.draw(t, PURPOSE.logging);
    const arm = pools[page][scaleToIndex(first, pool)];
    columns.pool[t] = page;
    columns.armIndex[t] = arm;
    // Whole milliseconds, one event per equal part of the period: ascending.
    columns.time[t] = START + Math.floor(((t + second / 4294967296) / events) * days * DAY);
    columns.payoff[t] = draws.unit(t, PURPOSE.click) < rate(theta, columns.contexts, t, arm) ? 1 : 0;
  }
  const width = String(articles - 1).length;
  const log = logFromColumns({
    armIndex: columns.armIndex,
    arms: Array.from({ length: articles }, (_, a) => `article-${String(a).padStart(width, '0')}`),
    payoff: columns.payoff,
    payoffRange: [0, 1],
    context: { values: columns.contexts, dimension: TODAY_DIMENSION, columns: contextNames() },
    candidates: { pools, pool: columns.pool },
    propensity: columns.propensity,
    time: columns.time,
  });
  return { log, theta, clickProbability: (event, arm) => rate(theta, columns.contexts, event, arm) };
}

/** Five positive memberships that sum to 1 (up to f32), mostly in one favourite kind; then 1. */
function drawContext(contexts: Float32Array, t: number, draws: WorldDraws): void {
  const base = t * TODAY_DIMENSION;
  let sum = 0;
  let favourite = 0;
  for (let j = 0; j < TODAY_DIMENSION; j += 2) {
    const { first, second } = draws.draw(t, PURPOSE.context + j);
    SHARE[j] = share(first);
    SHARE[j + 1] = share(second);
    // The sixth word chooses the favourite.
    favourite = scaleToIndex(second, MEMBERSHIPS);
  }
  SHARE[favourite] += 1.5;
  for (let j = 0; j < MEMBERSHIPS; j++) sum += SHARE[j];
  for (let j = 0; j < MEMBERSHIPS; j++) contexts[base + j] = SHARE[j] / sum;
  contexts[base + MEMBERSHIPS] = 1;
}

const SHARE = new Float64Array(TODAY_DIMENSION);

function share(word: number): number {
  const u = word / 4294967296;
  return 0.02 + u * u * u * u;
}

function rate(theta: Float64Array, contexts: Float32Array, event: number, arm: number): number {
  let p = 0;
  for (let j = 0; j < TODAY_DIMENSION; j++)
    p += theta[arm * TODAY_DIMENSION + j] * contexts[event * TODAY_DIMENSION + j];
  return p;
}

function contextNames(): string[] {
  return [...Array.from({ length: MEMBERSHIPS }, (_, j) => `membership_${j + 1}`), '(intercept)'];
}
