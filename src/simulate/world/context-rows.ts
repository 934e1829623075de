/** Distinct contexts of visitors, in the order of their first visits. */

import { R6A_FEATURES } from '../../formats/yahoo/features.js';
import { f32Column, f64Column } from '../../log/build/memory.js';
import type { ContextTable } from '../../log/event-log.js';
import { KINDS } from './rates.js';
import type { Traffic } from './traffic.js';
import type { World } from './world.js';

/** Levels of a key column whose values are whole numbers. */
export interface NumberedLevels {
  readonly levels: readonly string[];
  /** Code of each number that is a level. */
  readonly rank: Uint32Array;
}

/** Takes memory by the number of people, not of visits. */
export class ContextRows {
  /** Shares of the kinds of user, [rows, 5]; what lies behind is 0. */
  readonly shares: Float64Array;
  /** Kind that a row speaks for most, 0..4. */
  readonly segments: Uint8Array;
  private rows = 0;
  /** Row of each user, and of all guests; −1: none yet. */
  private readonly row: Int32Array;
  private readonly guests: number;
  private readonly seen: Uint8Array;
  private readonly values: Float32Array | Float64Array;

  /** @param visits the most that will be taken. */
  constructor(
    private readonly world: World,
    visits: number,
  ) {
    const { users, kind } = world.settings;
    // Users, and one row for all guests.
    const most = Math.min(visits, users + 1);
    this.guests = users;
    this.row = new Int32Array(users + 1).fill(-1);
    this.seen = new Uint8Array(users);
    this.values = kind === 'r6a' ? f64Column(most * R6A_FEATURES) : f32Column(most * world.dimension);
    this.shares = new Float64Array(most * KINDS);
    this.segments = new Uint8Array(most);
  }

  /** Row of the visit that `traffic` has loaded; a new one for who has not come before. */
  rowOf(traffic: Traffic): number {
    this.seen[traffic.user] = 1;
    const who = traffic.guest ? this.guests : traffic.user;
    let row = this.row[who];
    if (row < 0) {
      row = this.rows++;
      this.row[who] = row;
      traffic.loadUser();
      traffic.users.writeContext(this.values, row * this.world.dimension);
      this.shares.set(traffic.users.shares, row * KINDS);
      this.segments[row] = traffic.users.segment;
    }
    return row;
  }

  /** The rows so far. @param row of each event. */
  table(row: Uint32Array): ContextTable {
    const { rows, values, world } = this;
    const { dimension, columns } = world;
    return { dimension, rows, values: values.subarray(0, rows * dimension), row, columns };
  }

  /** Numbers of the users who have come. */
  get users(): NumberedLevels {
    return numbered(this.seen, 0);
  }

  /** Kinds that have come, counted from 1. */
  get kinds(): NumberedLevels {
    const seen = new Uint8Array(KINDS);
    for (let r = 0; r < this.rows; r++) seen[this.segments[r]] = 1;
    return numbered(seen, 1);
  }
}

/** Levels are numbers with `first` added. */
function numbered(seen: Uint8Array, first: number): NumberedLevels {
  const rank = new Uint32Array(seen.length);
  const levels: string[] = [];
  for (let n = 0; n < seen.length; n++) {
    rank[n] = levels.length;
    if (seen[n] === 1) levels.push(String(n + first));
  }
  return { levels, rank };
}
