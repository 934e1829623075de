/**
 * The two parts of a hold-out: events that a policy is picked by, and events that the pick is evaluated on. Parts are made of whole
 * users, of whole days, or of whole blocks; where the log names users, none has events in both.
 */

import type { Archive } from '../../archive.js';
import { InputError } from '../../errors.js';
import { plural } from '../../words.js';
import type { BlockMaker, BlockOutline } from './block-makers.js';
import { unusableTime } from './blocks.js';
import { blockOfEvents, type EventLevels, type LevelEvents } from './levels.js';
import { userHashes } from './user-hash.js';

/** A share of the events to pick on, in (0, 1); every other day; a number of the blocks. */
export type PartChoice =
  | number
  | 'days'
  | {
      /** Blocks to pick on, at least 1; the others are for evaluation. */
      readonly blocks: number;
    };

/** What parts are made of. */
export type PartUnit = 'users' | 'days' | 'blocks';

/** The levels of events. */
export const PART = { selection: 0, evaluation: 1, leftOut: 2 } as const;

/** Milliseconds. */
const DAY = 86_400_000;
/** Users have other bits here than in blocks of users, so that a block is not one part. */
const SALT = 0x9e3779b9;

/** What parts depend on of a log without its events. */
interface PartHead {
  /** `null`: events have no times. */
  readonly time: object | null;
  /** Names of the users; `null`: the log names none. */
  readonly user: { readonly levels: readonly string[] } | null;
}

/** Levels of events that are their parts: `PART`. */
export class PartLevels implements EventLevels {
  /** Known when all events are counted: where days cannot be parts, a share of blocks is. */
  by: PartUnit;
  /** Events of each part; after `settle`. */
  readonly sizes = { selection: 0, evaluation: 0, leftOut: 0 };

  private readonly users: number;
  /** Side of each user, where parts are made of users. */
  private readonly userSide: Uint8Array;
  /** Events of each user on each side, where days or blocks have sides, [U, 2]; of a log without users: of all. */
  private readonly sideEvents: Float64Array;
  /** Days since 1970-01-01 UTC. */
  private firstDay = Number.POSITIVE_INFINITY;
  private lastDay = Number.NEGATIVE_INFINITY;
  /** Sides change places. */
  private turned = 0;
  private blockSide: Uint8Array = new Uint8Array(0);
  /** Users on both sides. */
  private onBoth: Uint8Array = new Uint8Array(0);

  /** @throws InputError for days of a log without times. */
  constructor(
    { time, user }: PartHead,
    private readonly choice: PartChoice,
    private readonly maker: BlockMaker,
  ) {
    if (choice === 'days' && time === null) {
      throw new InputError({
        problem: 'a hold-out by days needs the time of each event, and the log has none',
        hint: '--time COLUMN, or "time" in the mapping; or a share: --select-on 0.5 (in code: selectOn)',
      });
    }
    const ofShare = user !== null ? 'users' : time !== null ? 'days' : 'blocks';
    this.by = typeof choice === 'number' ? ofShare : choice === 'days' ? 'days' : 'blocks';
    this.users = user?.levels.length ?? 0;
    const hashes = this.by === 'users' ? userHashes(user?.levels ?? [], SALT) : new Uint32Array(0);
    this.userSide = Uint8Array.from(hashes, (hash) => (hash < this.share * 2 ** 32 ? 0 : 1));
    this.sideEvents = new Float64Array(2 * Math.max(1, this.users));
  }

  count(batch: LevelEvents): void {
    if (this.by === 'blocks' && !(this.users > 0 && this.maker.foreknown)) return;
    if (this.by === 'blocks') this.blockSide = blockSides(this.maker.outline().blocks, this.choice);
    const { user, events } = batch;
    const blockOf = this.by === 'blocks' ? blockOfEvents(this.maker.cut(batch), events) : null;
    const sides = this.sides(batch, blockOf);
    for (let t = 0; t < events; t++) this.sideEvents[2 * (user === null ? 0 : user.code[t]) + sides[t]]++;
    if (this.by === 'days') this.seeDays(batch);
  }

  settle(outline: BlockOutline): number {
    const { sideEvents, sizes } = this;
    this.onBoth = new Uint8Array(this.users);
    this.turned = 0;
    if (this.by === 'days') {
      // With as many days on each side, the log's first day is to pick on.
      if (this.share === 0.5 && daySide(this.firstDay, this.share) === 1) this.turned = 1;
      const isOneSided = [0, 1].some((side) => sumOf(sideEvents, side) === 0);
      if (isOneSided && this.choice === 'days') throw this.oneSided();
      if (isOneSided && this.users === 0) this.by = 'blocks';
    }
    if (this.by === 'blocks') this.settleBlocks(outline);
    else {
      sizes.selection = sumOf(sideEvents, this.turned);
      sizes.evaluation = sumOf(sideEvents, 1 - this.turned);
    }
    if (this.by !== 'users') {
      for (let u = 0; u < this.users; u++) this.onBoth[u] = sideEvents[2 * u] > 0 && sideEvents[2 * u + 1] > 0 ? 1 : 0;
    }
    sizes.leftOut = this.onBoth.reduce((sum, both, u) => sum + both * sideEvents[2 * u + 1 - this.turned], 0);
    sizes.evaluation -= sizes.leftOut;
    if (sizes.selection === 0 || sizes.evaluation === 0) throw this.empty();
    return sizes.leftOut > 0 ? 3 : 2;
  }

  of(batch: LevelEvents, blockOf: Uint32Array): Uint32Array {
    const { turned, onBoth, users } = this;
    const { user } = batch;
    return Uint32Array.from(this.sides(batch, blockOf), (side, t) => {
      if ((side ^ turned) === 0) return PART.selection;
      return users > 0 && user !== null && onBoth[user.code[t]] === 1 ? PART.leftOut : PART.evaluation;
    });
  }

  carry(archive: Archive): void {
    archive.array(this.sideEvents);
    this.firstDay = archive.number(this.firstDay);
    this.lastDay = archive.number(this.lastDay);
  }

  /** Share to pick on of users or days. */
  private get share(): number {
    return typeof this.choice === 'number' ? this.choice : 0.5;
  }

  /** @param blockOf block of each event, where blocks have sides. */
  private sides({ events, firstEvent = 0, time, user }: LevelEvents, blockOf: Uint32Array | null): Uint8Array {
    const sides = new Uint8Array(events);
    const { by, share, userSide, blockSide } = this;
    if (by === 'users' && user !== null) for (let t = 0; t < events; t++) sides[t] = userSide[user.code[t]];
    if (by === 'blocks' && blockOf !== null) for (let t = 0; t < events; t++) sides[t] = blockSide[blockOf[t]];
    if (by === 'days' && time !== null) {
      for (let t = 0; t < events; t++) {
        if (!Number.isFinite(time[t])) throw unusableTime(firstEvent + t, time[t]);
        sides[t] = daySide(Math.floor(time[t] / DAY), share);
      }
    }
    return sides;
  }

  private seeDays({ time }: LevelEvents): void {
    for (const milliseconds of time ?? []) {
      const day = Math.floor(milliseconds / DAY);
      if (day < this.firstDay) this.firstDay = day;
      if (day > this.lastDay) this.lastDay = day;
    }
  }

  private settleBlocks({ blocks, starts, description }: BlockOutline): void {
    const { choice, users, sizes } = this;
    if (users > 0 && description.kind === 'period') {
      throw new InputError({
        problem: 'a hold-out by blocks that are periods does not keep users apart, and the log names users',
        needed: 'no user in both parts',
        hint: '--select-on 0.5 or --select-on days (in code: selectOn)',
      });
    }
    const asked = typeof choice === 'object' ? choice.blocks : 1;
    if (asked >= blocks) {
      throw new InputError({
        problem: 'a hold-out needs blocks for each of its parts',
        got:
          typeof choice === 'object' ? `${asked} to pick on, of ${plural(blocks, 'block')}` : plural(blocks, 'block'),
        needed: `at least ${plural(asked + 1, 'block')}`,
        hint: 'more --blocks (in code: blocks), or fewer to pick on; a log of very few events cannot hold any out',
      });
    }
    this.blockSide = blockSides(blocks, choice);
    const events = [0, 0];
    for (let b = 0; b < blocks; b++) events[this.blockSide[b]] += starts[b + 1] - starts[b];
    [sizes.selection, sizes.evaluation] = events;
  }

  /** Of days. */
  private oneSided(): InputError {
    const oneDay = this.firstDay >= this.lastDay;
    return new InputError({
      problem: 'a hold-out by days needs days of both kinds: every other day of the calendar is to pick on',
      got: oneDay ? 'events of one day (UTC)' : 'a log without events every other day (UTC)',
      needed: 'events on at least two days that follow one another',
      hint: `a share in place of days: --select-on 0.5 (in code: selectOn), by ${this.users > 0 ? 'users' : 'blocks'}`,
    });
  }

  private empty(): InputError {
    const { sizes, by, users } = this;
    const all = sizes.selection + sizes.evaluation + sizes.leftOut;
    const part = sizes.selection === 0 ? 'to pick on' : 'to evaluate the pick on';
    const why =
      sizes.leftOut > 0
        ? `; all ${plural(sizes.leftOut, 'event')} there are of users who are on both sides`
        : by === 'users'
          ? `, with ${plural(users, 'user')} at a share of ${this.share}`
          : '';
    return new InputError({
      problem: `a part of the hold-out by ${by} is empty`,
      got: all === 0 ? 'a log without events' : `no event ${part}${why}`,
      needed: 'events in both parts',
      hint:
        sizes.leftOut > 0
          ? 'a share of the users in place of it: --select-on 0.5 (in code: selectOn)'
          : 'another --select-on (in code: selectOn)',
    });
  }
}

/** 0: to pick on; the share of the whole numbers up to any one is as near as can be. */
function daySide(day: number, share: number): 0 | 1 {
  return Math.ceil((day + 1) * share) > Math.ceil(day * share) ? 0 : 1;
}

/** Side of each block, those to pick on spread evenly. */
function blockSides(blocks: number, choice: PartChoice): Uint8Array {
  const share = typeof choice === 'number' ? choice : 0.5;
  const picked =
    typeof choice === 'object' ? choice.blocks : Math.min(blocks - 1, Math.max(1, Math.round(share * blocks)));
  return Uint8Array.from({ length: blocks }, (_, b) =>
    Math.ceil(((b + 1) * picked) / blocks) > Math.ceil((b * picked) / blocks) ? 0 : 1,
  );
}

function sumOf(sideEvents: Float64Array, side: number): number {
  let sum = 0;
  for (let i = side; i < sideEvents.length; i += 2) sum += sideEvents[i];
  return sum;
}
