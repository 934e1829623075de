/** The exploration log of a world, batch by batch: the log of `simulate()`, in memory that does not grow with it. */

import { f64Column, u32Column } from '../../log/build/memory.js';
import type { EventLog } from '../../log/event-log.js';
import type { LogStream } from '../../log/stream.js';
import { bytesPerEvent, checkBatch } from '../../log/stream-of.js';
import { ContextRows } from './context-rows.js';
import { Explorer } from './explorer.js';
import { KINDS } from './rates.js';
import { Traffic } from './traffic.js';
import { SEGMENT, visitLog } from './visit-log.js';
import type { World } from './world.js';

export interface StreamOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of visits that were looked through since the last call. */
  readonly onVisits?: (visits: number) => void;
}

/** Visits between two looks at the signal. */
const BATCH = 65_536;

/**
 * A stream's dictionaries are known from its beginning, so all visits are drawn twice: to see who comes, and again, batch by
 * batch, to decide and log them.
 *
 * @param number of the traffic.
 * @throws InputError for numbers out of range.
 */
export async function explorationStream(
  world: World,
  visits: number,
  number: number,
  { signal, onVisits }: StreamOptions = {},
): Promise<LogStream> {
  const traffic = new Traffic(world, visits, number);
  const explorer = new Explorer(traffic);
  const contexts = new ContextRows(world, visits);
  let clicked = false;
  for (let from = 0; from < visits; from += BATCH) {
    signal?.throwIfAborted();
    const to = Math.min(visits, from + BATCH);
    for (let t = from; t < to; t++) {
      traffic.load(t);
      const row = contexts.rowOf(traffic);
      if (clicked) continue;
      // The largest payoff is part of the head: as soon as there is a click, it is known.
      explorer.decide(t, contexts.shares, row * KINDS);
      clicked = explorer.click === 1;
    }
    onVisits?.(to - from);
    await new Promise((resolve) => setTimeout(resolve));
  }
  const [users, kinds] = [contexts.users, contexts.kinds];
  const empty = visitLog(
    world,
    {
      time: f64Column(0),
      pool: u32Column(0),
      contexts: contexts.table(u32Column(0)),
      row: u32Column(0),
      shares: contexts.shares,
      user: { levels: users.levels, code: u32Column(0) },
      segment: { levels: kinds.levels, code: u32Column(0) },
    },
    { arm: u32Column(0), clicks: u32Column(0), propensity: f64Column(0) },
  );
  const head: EventLog = {
    ...empty,
    payoff: { ...empty.payoff, maxSteps: clicked ? 1 : 0 },
    source: { ...empty.source, rows: visits },
  };

  return {
    head,
    events: visits,
    bytesPerEvent: bytesPerEvent(head),
    async read(from, to, signal) {
      signal?.throwIfAborted();
      checkBatch(from, to, visits);
      const events = to - from;
      const [arm, steps, row, pool] = [u32Column(events), u32Column(events), u32Column(events), u32Column(events)];
      const [user, segment] = [u32Column(events), u32Column(events)];
      const [time, propensity] = [f64Column(events), f64Column(events)];
      for (let i = 0; i < events; i++) {
        traffic.load(from + i);
        const r = contexts.rowOf(traffic);
        explorer.decide(from + i, contexts.shares, r * KINDS);
        arm[i] = explorer.article;
        steps[i] = explorer.click;
        propensity[i] = explorer.propensity;
        row[i] = r;
        pool[i] = traffic.page;
        time[i] = world.start + traffic.time;
        user[i] = users.rank[traffic.user];
        segment[i] = kinds.rank[contexts.segments[r]];
      }
      return {
        ...head,
        firstEvent: from,
        events,
        arm,
        payoff: { ...head.payoff, steps },
        contexts: { ...head.contexts, row },
        pools: { ...head.pools, pool: head.pools.pool === null ? null : pool },
        propensity,
        time,
        user: { levels: users.levels, code: user },
        keys: new Map([[SEGMENT, { levels: kinds.levels, code: segment }]]),
      };
    },
    async close() {},
  };
}
