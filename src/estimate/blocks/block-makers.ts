/**
 * Blocks of a log that is gone through batch by batch, twice: first its events are counted, which gives the outline
 * of its blocks; then each batch is cut along them. A log in memory is a single batch (`periodBlocks`, `userBlocks`).
 */

import type { Archive, Carried } from '../../archive.js';
import { InputError } from '../../errors.js';
import {
  type BlockPlan,
  blocksOfUsers,
  checkPeriod,
  checkUserBlocks,
  cutPeriods,
  group,
  MAX_BLOCKS,
  partsOf,
  startsOf,
  tooManyPeriods,
  unusableTime,
} from './blocks.js';

/** Blocks of a whole log, without the order of its events: block b holds `starts[b + 1] − starts[b]` of them. */
export interface BlockOutline extends Omit<BlockPlan, 'order'> {
  /** Blocks lie one behind the other in the log, as runs do; else events of several blocks are mixed. */
  readonly inOrder: boolean;
}

/** The columns of a batch that blocks depend on; `null` where the log has none. */
export interface BlockEvents {
  readonly events: number;
  /** Index in the log of the first event. */
  readonly firstEvent?: number;
  readonly time: Float64Array | null;
  readonly user: { readonly code: Uint32Array } | null;
}

/** The blocks of one batch: a plan for its events, and where its blocks stand among all. */
export interface BatchBlocks {
  readonly plan: BlockPlan;
  /** Block of the outline of each block of the plan; ascending, length plan.blocks. */
  readonly of: Uint32Array;
}

/** One way of making blocks. */
export interface BlockMaker extends Carried {
  /** Outline and cuts do not depend on what is counted. */
  readonly foreknown: boolean;
  /** Counts a batch; batches come in the order of the log. */
  count(batch: BlockEvents): void;
  /** When all batches are counted. @throws InputError where such blocks cannot be. */
  outline(): BlockOutline;
  /** Cuts a batch; after `outline`, batches again in the order of the log. */
  cut(batch: BlockEvents): BatchBlocks;
}

/** Runs of consecutive events. */
export class RunMaker implements BlockMaker {
  readonly foreknown = true;

  constructor(private readonly plan: BlockPlan) {}

  count(): void {}

  outline(): BlockOutline {
    return { ...this.plan, inOrder: true };
  }

  cut({ firstEvent = 0, events }: BlockEvents): BatchBlocks {
    const { starts, blocks, description } = this.plan;
    let first = 0;
    while (first + 1 < blocks && starts[first + 1] <= firstEvent) first++;
    let last = first;
    while (last + 1 < blocks && starts[last + 1] < firstEvent + events) last++;
    const count = last - first + 1;
    const cuts = Float64Array.from({ length: count + 1 }, (_, i) =>
      Math.min(events, Math.max(0, starts[first + i] - firstEvent)),
    );
    return {
      plan: { blocks: count, starts: cuts, order: null, description, labels: null },
      of: Uint32Array.from({ length: count }, (_, i) => first + i),
    };
  }

  carry(): void {}
}

/** Periods of time. */
export class PeriodMaker implements BlockMaker {
  readonly foreknown = false;
  /** Events of each period … */
  private readonly sizes = new Map<number, number>();
  /** … and, while batches are cut, how many have gone by. */
  private readonly passed = new Map<number, number>();
  /** First block of each period. */
  private readonly firstBlock = new Map<number, number>();
  private previous = Number.NaN;
  private inOrder = true;

  constructor(private readonly milliseconds: number) {
    checkPeriod(milliseconds);
  }

  count({ time, events, firstEvent = 0 }: BlockEvents): void {
    if (time === null) throw new RangeError('blocks by period need times');
    let from = 0;
    for (let t = 0; t < events; t++) {
      const period = Math.floor(time[t] / this.milliseconds);
      if (period === this.previous) continue;
      if (!Number.isFinite(period)) throw unusableTime(firstEvent + t, time[t]);
      // Neighbours mostly share a period: runs of them are counted together.
      this.add(this.previous, t - from);
      if (period < this.previous) this.inOrder = false;
      this.previous = period;
      from = t;
    }
    this.add(this.previous, events - from);
  }

  private add(period: number, events: number): void {
    if (events === 0) return;
    this.sizes.set(period, (this.sizes.get(period) ?? 0) + events);
    if (this.sizes.size > MAX_BLOCKS) throw tooManyPeriods(this.milliseconds);
  }

  outline(): BlockOutline {
    const periods = [...this.sizes.keys()].sort((a, b) => a - b);
    const starts = new Float64Array(periods.length + 1);
    let blocks = 0;
    periods.forEach((period, p) => {
      const size = this.sizes.get(period) ?? 0;
      starts[p + 1] = starts[p] + size;
      this.firstBlock.set(period, blocks);
      blocks += partsOf(size);
    });
    return { ...cutPeriods(periods, starts, this.milliseconds), inOrder: this.inOrder };
  }

  cut({ time, events, firstEvent = 0 }: BlockEvents): BatchBlocks {
    if (time === null) throw new RangeError('blocks by period need times');
    if (firstEvent === 0) this.passed.clear();
    const blockOf = new Uint32Array(events);
    for (let t = 0; t < events; ) {
      const period = Math.floor(time[t] / this.milliseconds);
      const size = this.sizes.get(period) ?? 0;
      const parts = partsOf(size);
      const first = this.firstBlock.get(period) ?? 0;
      let rank = this.passed.get(period) ?? 0;
      let part = Math.min(parts - 1, Math.floor((rank * parts) / size));
      for (; t < events && Math.floor(time[t] / this.milliseconds) === period; t++, rank++) {
        while (rank >= Math.floor((size * (part + 1)) / parts)) part++;
        blockOf[t] = first + part;
      }
      this.passed.set(period, rank);
    }
    return batchBlocks(blockOf, { kind: 'period', milliseconds: this.milliseconds });
  }

  carry(archive: Archive): void {
    this.previous = archive.number(this.previous);
    this.inOrder = archive.flag(this.inOrder);
    carryCounts(archive, this.sizes);
    carryCounts(archive, this.passed);
  }
}

/** Groups of users. */
export class UserMaker implements BlockMaker {
  readonly foreknown = false;
  private readonly blockOf: Uint32Array;
  private readonly sizes: Float64Array;
  private previous = 0;
  private inOrder = true;

  constructor(blocks: number, hash: Uint32Array) {
    this.blockOf = blocksOfUsers(blocks, hash);
    this.sizes = new Float64Array(blocks);
  }

  count({ user, events }: BlockEvents): void {
    if (user === null) throw new RangeError('blocks by user need users');
    for (let t = 0; t < events; t++) {
      const block = this.blockOf[user.code[t]];
      if (block < this.previous) this.inOrder = false;
      this.previous = block;
      this.sizes[block]++;
    }
  }

  outline(): BlockOutline {
    const starts = startsOf(this.sizes);
    checkUserBlocks(starts);
    return { blocks: this.sizes.length, starts, description: { kind: 'user' }, labels: null, inOrder: this.inOrder };
  }

  cut({ user, events }: BlockEvents): BatchBlocks {
    if (user === null) throw new RangeError('blocks by user need users');
    const blockOf = new Uint32Array(events);
    for (let t = 0; t < events; t++) blockOf[t] = this.blockOf[user.code[t]];
    return batchBlocks(blockOf, { kind: 'user' });
  }

  carry(archive: Archive): void {
    archive.array(this.sizes);
    this.previous = archive.number(this.previous);
    this.inOrder = archive.flag(this.inOrder);
  }
}

/** The plan of a batch whose events lie in these blocks. */
export function batchBlocks(blockOf: Uint32Array, description: BlockPlan['description']): BatchBlocks {
  const local = new Map<number, number>();
  let last = -1;
  for (const block of blockOf) {
    if (block !== last) local.set(block, 0);
    last = block;
  }
  // A batch without events still has one block, as empty logs have.
  if (local.size === 0) local.set(0, 0);
  const of = Uint32Array.from(local.keys()).sort();
  of.forEach((block, i) => {
    local.set(block, i);
  });
  const code = new Uint32Array(blockOf.length);
  let at = 0;
  last = -1;
  for (let t = 0; t < blockOf.length; t++) {
    if (blockOf[t] !== last) {
      last = blockOf[t];
      at = local.get(last) ?? 0;
    }
    code[t] = at;
  }
  return { plan: { blocks: of.length, ...group(code, of.length), description, labels: null }, of };
}

function carryCounts(archive: Archive, counts: Map<number, number>): void {
  const keys = archive.list(Float64Array.from(counts.keys()));
  const values = archive.list(Float64Array.from(counts.values()));
  counts.clear();
  keys.forEach((key, i) => {
    counts.set(key, values[i]);
  });
}

/**
 * One block per period that holds events, in order of time. Periods are whole multiples of `milliseconds` since
 * 1970-01-01 UTC. A period of more than {@link MAX_BLOCK_EVENTS} events becomes several blocks.
 *
 * @param time milliseconds of each event, length L, in any order; all finite.
 * @param milliseconds length of a period, above 0 (a day is 86,400,000).
 * @throws InputError for another length, or for more than {@link MAX_BLOCKS} blocks.
 */
export function periodBlocks(time: Float64Array, milliseconds: number): BlockPlan {
  return planOf(new PeriodMaker(milliseconds), { events: time.length, time, user: null });
}

/**
 * Blocks of users: all events of a user fall in one block, so that blocks are independent where users are. Block of user
 * u: ⌊hash[u] · B / 2³²⌋, the same in every file if the hash depends on the user's name alone (`userHash`). Blocks may be empty.
 *
 * @param code user of each event, length L, as an index into `hash`.
 * @param blocks B, at least 1.
 * @param hash 32 uniform bits per user.
 * @throws InputError where a block holds more than {@link MAX_BLOCK_EVENTS} events: more blocks are needed.
 */
export function userBlocks(code: Uint32Array, blocks: number, hash: Uint32Array): BlockPlan {
  const maker = new UserMaker(blocks, hash);
  const row = code.findIndex((user) => user >= hash.length);
  if (row >= 0) {
    throw new InputError({
      problem: 'an event names a user without a hash',
      row,
      got: `user ${code[row]}`,
      needed: `an index below ${hash.length}`,
    });
  }
  return planOf(maker, { events: code.length, time: null, user: { code } });
}

/** The plan of a log in memory. */
function planOf(maker: BlockMaker, log: BlockEvents): BlockPlan {
  maker.count(log);
  const { inOrder, ...outline } = maker.outline();
  return { ...outline, order: inOrder ? null : maker.cut(log).plan.order };
}
