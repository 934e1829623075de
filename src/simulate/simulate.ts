/** `simulate()`: a world, its exploration log, and the truth about every visit of it. */

import type { EventLog } from '../log/event-log.js';
import { checkOptions, type OptionShape, option } from '../options/check-options.js';
import type { PolicyInput } from '../policy/families.js';
import { type TrueValue, trueValues } from './truth.js';
import { loggingProbabilities } from './world/logging.js';
import { WORLD_OPTIONS, type WorldOptions } from './world/options.js';
import { KINDS } from './world/rates.js';
import { Traffic } from './world/traffic.js';
import { explorationLog, type Visits } from './world/visit-log.js';
import { World } from './world/world.js';

/** A world and the log of it. */
export interface SimulateOptions extends WorldOptions {
  /** L, spread evenly over the world's days. */
  readonly events: number;
  /** Number of the traffic: logs of other people's visits, or of their other visits, to the same world. Default 0. */
  readonly traffic?: number;
}

/** Ranges are checked by the world and its traffic. */
const SIMULATE_OPTIONS: OptionShape<SimulateOptions> = {
  ...WORLD_OPTIONS,
  events: option.elsewhere,
  traffic: option.elsewhere,
};

/** A world with a log of visits to it. */
export class SimulatedWorld extends World {
  /** Contexts, articles as arms, clicks as payoffs 0/1, propensities, time, user, and the key column `segment`. */
  readonly log: EventLog;
  /** The number of the log's traffic. */
  readonly traffic: number;
  private readonly visits: Visits;

  /** @throws InputError for options out of range. */
  constructor(options: SimulateOptions) {
    checkOptions(options, SIMULATE_OPTIONS);
    const { events, traffic = 0, ...world } = options;
    super(world);
    const { log, visits } = explorationLog(this, new Traffic(this, events, traffic));
    this.log = log;
    this.visits = visits;
    this.traffic = traffic;
  }

  /** Probability that the user of event t clicks article `arm`, whether or not it is on the page. */
  clickProbability(event: number, arm: number): number {
    const { time, row, shares } = this.visits;
    return this.rates.probability(arm, time[event] - this.start, shares, row[event] * KINDS);
  }

  /** Probability that the logging policy shows each candidate of event t, in the order of the candidate set. */
  loggingProbabilities(event: number): Float64Array {
    const { pool, row, shares } = this.visits;
    const page = this.pages.articles[pool[event]];
    const out = new Float64Array(page.length);
    loggingProbabilities(this.settings.logging, page, this.rates, shares, out, row[event] * KINDS);
    return out;
  }

  /**
   * What fixed policies are worth on the very visits of the log, exactly.
   *
   * @throws InputError for policies that do not fit the log.
   */
  trueValues(policies: readonly PolicyInput[]): Promise<TrueValue[]> {
    return trueValues(this, policies);
  }
}

/**
 * Simulates a Today-Module-like world and L visits to it (Li, Chu, Langford & Wang, WSDM 2011): a page of about twenty
 * articles of which some are replaced every hour, click rates that differ by article and user and drift within the day, users
 * who come again. The same options give the same bytes on every machine.
 *
 * @throws InputError for options out of range.
 */
export function simulate(options: SimulateOptions): SimulatedWorld {
  return new SimulatedWorld(options);
}
