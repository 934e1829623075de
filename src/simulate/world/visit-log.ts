/** An event log of a world's visits, and the truth about each. */

import { f64Column, u32Column } from '../../log/build/memory.js';
import type { ContextTable, EventLog, KeyColumn } from '../../log/event-log.js';
import { ContextRows, type NumberedLevels } from './context-rows.js';
import { Explorer } from './explorer.js';
import { KINDS } from './rates.js';
import type { Traffic } from './traffic.js';
import type { World } from './world.js';

/** Name of the key column with the kind of user that a context speaks for most. */
export const SEGMENT = 'segment';

/** Visits without what was shown: who came when. Contexts of the same user share a row. */
export interface Visits {
  /** Milliseconds since 1970-01-01 UTC, [L]. */
  readonly time: Float64Array;
  readonly pool: Uint32Array;
  readonly contexts: ContextTable;
  /** Row of `contexts`, [L]. */
  readonly row: Uint32Array;
  /** Shares of the kinds of user, [rows of contexts, 5]. */
  readonly shares: Float64Array;
  readonly user: KeyColumn;
  readonly segment: KeyColumn;
}

/** Collects visits, of one traffic or of several. */
export class VisitCollector {
  private readonly contexts: ContextRows;
  private readonly row: Uint32Array;
  private readonly time: Float64Array;
  private readonly pool: Uint32Array;
  private readonly number: Uint32Array;

  /** @param visits the most that will be added. */
  constructor(
    private readonly world: World,
    visits: number,
  ) {
    this.contexts = new ContextRows(world, visits);
    this.row = u32Column(visits);
    this.time = f64Column(visits);
    this.pool = u32Column(visits);
    this.number = new Uint32Array(visits);
  }

  /** Takes the visit that `traffic` has loaded as event t. Returns the row of its context, with shares there. */
  add(t: number, traffic: Traffic): number {
    this.time[t] = this.world.start + traffic.time;
    this.pool[t] = traffic.page;
    this.number[t] = traffic.user;
    const row = this.contexts.rowOf(traffic);
    this.row[t] = row;
    return row;
  }

  /** Shares by row, while visits are added. */
  get sharesOfRows(): Float64Array {
    return this.contexts.shares;
  }

  finish(): Visits {
    const { contexts, row, time, pool, number } = this;
    return {
      time,
      pool,
      contexts: contexts.table(row),
      row,
      shares: contexts.shares,
      user: keyOf(number, contexts.users),
      segment: keyOf(
        Uint8Array.from(row, (r) => contexts.segments[r]),
        contexts.kinds,
      ),
    };
  }
}

/** A key column of numbers that stand for levels. */
function keyOf(numbers: ArrayLike<number>, { levels, rank }: NumberedLevels): KeyColumn {
  const code = u32Column(numbers.length);
  for (let t = 0; t < numbers.length; t++) code[t] = rank[numbers[t]];
  return { levels, code };
}

/** The log of events with these columns. */
export function visitLog(
  world: World,
  visits: Visits,
  shown: { arm: Uint32Array; clicks: Uint32Array; propensity: Float64Array | null },
): EventLog {
  const events = shown.arm.length;
  return {
    events,
    arms: world.arms,
    arm: shown.arm,
    payoff: {
      steps: shown.clicks,
      maxSteps: shown.clicks.includes(1) ? 1 : 0,
      scale: { rounded: false, origin: 0, numerator: 1, denominator: 1, low: 0, high: 1 },
      rangeBasis: 'declared',
    },
    contexts: visits.contexts,
    pools: world.pools(visits.pool),
    propensity: shown.propensity,
    time: visits.time,
    user: visits.user,
    keys: new Map([[SEGMENT, visits.segment]]),
    armFeatures: world.armFeatures,
    sourceRow: null,
    source: { files: [], format: 'simulate', where: null, rows: events, badRows: [] },
  };
}

/** The exploration log: traffic that is shown what the world's logging policy chooses. */
export function explorationLog(world: World, traffic: Traffic): { log: EventLog; visits: Visits } {
  const L = traffic.visits;
  const collector = new VisitCollector(world, L);
  const explorer = new Explorer(traffic);
  const arm = u32Column(L);
  const clicks = u32Column(L);
  const propensity = f64Column(L);
  for (let t = 0; t < L; t++) {
    traffic.load(t);
    const row = collector.add(t, traffic);
    explorer.decide(t, collector.sharesOfRows, row * KINDS);
    arm[t] = explorer.article;
    propensity[t] = explorer.propensity;
    clicks[t] = explorer.click;
  }
  const visits = collector.finish();
  return { log: visitLog(world, visits, { arm, clicks, propensity }), visits };
}
