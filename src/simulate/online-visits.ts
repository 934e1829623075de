/** Live visits to a world as an event log whose arms and clicks are filled in as they are served. */

import { u32Column } from '../log/build/memory.js';
import type { EventLog } from '../log/event-log.js';
import { Traffic } from './world/traffic.js';
import { VisitCollector, visitLog } from './world/visit-log.js';
import type { World } from './world/world.js';

/** An exploration log that live learners are fed from, and the number of its traffic. */
export interface Exploration {
  readonly log: EventLog;
  readonly traffic: number;
}

export interface LiveVisits {
  /** Live visits; with an exploration log, its events too, all in the order of time. */
  readonly log: EventLog;
  /** Number of the live visit that each event of `log` is; `null`: event t is visit t. Explored ones: {@link EXPLORED}. */
  readonly visit: Uint32Array | null;
  /** Shares of the kinds of user of event t: `shares[row[t] · 5 ..]`. */
  readonly shares: Float64Array;
  readonly row: Uint32Array;
  readonly traffic: Traffic;
}

export const EXPLORED = 0xffffffff;

/** @throws InputError for numbers out of range. */
export function liveVisits(world: World, visits: number, number: number, exploration: Exploration | null): LiveVisits {
  const traffic = new Traffic(world, visits, number);
  const explored = exploration === null ? 0 : exploration.log.events;
  const total = visits + explored;
  const collector = new VisitCollector(world, total);
  const arm = u32Column(total);
  const clicks = u32Column(total);
  const visit = exploration === null ? null : new Uint32Array(total);
  if (exploration === null || visit === null) {
    for (let t = 0; t < visits; t++) {
      traffic.load(t);
      collector.add(t, traffic);
    }
  } else {
    const { log } = exploration;
    const other = new Traffic(world, explored, exploration.traffic);
    let live = 0;
    if (visits > 0) traffic.load(0);
    if (explored > 0) other.load(0);
    for (let t = 0, e = 0; t < total; t++) {
      // What was explored in the same millisecond comes first: it is known by then.
      if (e < explored && (live === visits || other.time <= traffic.time)) {
        collector.add(t, other);
        visit[t] = EXPLORED;
        arm[t] = log.arm[e];
        clicks[t] = log.payoff.steps[e];
        if (++e < explored) other.load(e);
      } else {
        collector.add(t, traffic);
        visit[t] = live;
        if (++live < visits) traffic.load(live);
      }
    }
  }
  const found = collector.finish();
  // A click is worth one step whether or not there has been one: learners read no more of the payoffs than that.
  const log = visitLog(world, found, { arm, clicks, propensity: null });
  return { log, visit, shares: found.shares, row: found.row, traffic };
}
