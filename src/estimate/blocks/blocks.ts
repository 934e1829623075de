/** How events are cut into blocks: runs of consecutive events, periods of time, or users. */

import { InputError } from '../../errors.js';
import { scaleToIndex } from '../../random/threefry.js';
import { plural } from '../../words.js';

/**
 * An assignment of every event to one block. `order` lists the events block by block (ascending within a block);
 * `null`: the events' own order, i.e. blocks are runs of consecutive events.
 */
export interface BlockPlan {
  /** Number of blocks, B. */
  readonly blocks: number;
  /** Block b holds positions `starts[b] .. starts[b+1])` of `order`. Length B + 1. */
  readonly starts: Float64Array;
  /** Events block by block, length L; `null`: in their own order. */
  readonly order: Uint32Array | null;
  /** How the blocks were made, for the result: `{ kind: 'run' }`, `{ kind: 'period', milliseconds }`, `{ kind: 'user' }`. */
  readonly description: { readonly kind: 'run' | 'period' | 'user'; readonly milliseconds?: number };
  /** Label of each block (`2009-05-01T00:00:00Z`, …); `null` for runs and users. */
  readonly labels: readonly string[] | null;
}

/** Default number of blocks: enough to resample, few enough to keep thousands of policies in memory. */
export const DEFAULT_BLOCKS = 64;

/** Largest block that keeps Σ k below 2⁵³ for every 32-bit k. */
export const MAX_BLOCK_EVENTS = 1 << 21;

/** Most blocks of one plan: beyond it statistics of even a few policies fill the memory. */
export const MAX_BLOCKS = 1 << 20;

/**
 * Cuts L events into B runs of nearly equal length (lengths differ by at most one). B is raised where a run would be too
 * long, and lowered to L for short logs.
 */
export function runBlocks(events: number, blocks = DEFAULT_BLOCKS): BlockPlan {
  checkCount(blocks);
  const needed = Math.ceil(events / MAX_BLOCK_EVENTS);
  const count = Math.max(1, Math.min(Math.max(blocks, needed), events));
  const starts = new Float64Array(count + 1);
  for (let b = 0; b <= count; b++) starts[b] = Math.floor((events * b) / count);
  return { blocks: count, starts, order: null, description: { kind: 'run' }, labels: null };
}

/**
 * Cuts L events every so many: borders that stay where they are when the log grows. The last run may have fewer.
 *
 * @param each events of a run, 1..{@link MAX_BLOCK_EVENTS}.
 * @throws InputError for another number, or for more than {@link MAX_BLOCKS} blocks.
 */
export function eventBlocks(events: number, each: number): BlockPlan {
  if (!(Number.isSafeInteger(each) && each >= 1 && each <= MAX_BLOCK_EVENTS))
    throw new InputError({
      problem: 'the number of events of a block is not usable',
      got: String(each),
      needed: `a whole number in 1..${MAX_BLOCK_EVENTS}`,
    });
  const blocks = Math.max(1, Math.ceil(events / each));
  if (blocks > MAX_BLOCKS)
    throw new InputError({
      problem: 'the log has too many blocks',
      got: `${plural(blocks, 'block')} of ${plural(each, 'event')}`,
      needed: `at most ${MAX_BLOCKS}`,
      hint: 'ask for more events in each',
    });
  const starts = Float64Array.from({ length: blocks + 1 }, (_, b) => Math.min(events, b * each));
  return { blocks, starts, order: null, description: { kind: 'run' }, labels: null };
}

/**
 * Blocks of periods, without the order of events.
 *
 * @param periods numbers of the periods, ascending.
 * @param starts period p holds `starts[p + 1] − starts[p]` events.
 */
export function cutPeriods(
  periods: readonly number[],
  starts: Float64Array,
  milliseconds: number,
): Omit<BlockPlan, 'order'> {
  const description = { kind: 'period', milliseconds } as const;
  const ends: number[] = [0];
  const labels: string[] = [];
  for (let p = 0; p < periods.length; p++) {
    const size = starts[p + 1] - starts[p];
    const parts = partsOf(size);
    for (let i = 1; i <= parts; i++) {
      ends.push(starts[p] + Math.floor((size * i) / parts));
      labels.push(periodLabel(periods[p] * milliseconds) + (parts > 1 ? ` (${i} of ${parts})` : ''));
    }
  }
  // An empty log still has one block, as runs have.
  if (labels.length === 0) return { blocks: 1, starts: new Float64Array(2), description, labels: ['(no events)'] };
  return { blocks: labels.length, starts: Float64Array.from(ends), description, labels };
}

/** Start of a period, from the label of a block of it. */
export function periodOf(label: string): string {
  return label.replace(/ \(\d+ of \d+\)$/, '');
}

/** Blocks that a period of so many events becomes; block i of n begins at event ⌊size · i / n⌋ of it. */
export function partsOf(size: number): number {
  return Math.ceil(size / MAX_BLOCK_EVENTS);
}

/** Block of each user. */
export function blocksOfUsers(blocks: number, hash: Uint32Array): Uint32Array {
  checkCount(blocks);
  return Uint32Array.from(hash, (h) => scaleToIndex(h, blocks));
}

/** @throws InputError where a block holds more than {@link MAX_BLOCK_EVENTS} events. */
export function checkUserBlocks(starts: Float64Array): void {
  const blocks = starts.length - 1;
  for (let b = 0; b < blocks; b++) {
    const size = starts[b + 1] - starts[b];
    if (size <= MAX_BLOCK_EVENTS) continue;
    throw new InputError({
      problem: `block ${b} of users holds too many events`,
      got: `${plural(size, 'event')}`,
      needed: `at most ${MAX_BLOCK_EVENTS}, so that sums of payoffs stay exact`,
      hint: `ask for more than ${plural(blocks, 'block')}`,
    });
  }
}

/** @throws InputError unless a period is a finite number of milliseconds above 0. */
export function checkPeriod(milliseconds: number): void {
  if (Number.isFinite(milliseconds) && milliseconds > 0) return;
  throw new InputError({
    problem: 'the length of a period is not usable',
    got: `${milliseconds} ms`,
    needed: 'a finite number of milliseconds above 0',
  });
}

/** n[b] of a plan. */
export function blockEvents(plan: Pick<BlockPlan, 'blocks' | 'starts'>): Float64Array {
  return Float64Array.from({ length: plan.blocks }, (_, b) => plan.starts[b + 1] - plan.starts[b]);
}

/** `starts` of blocks of so many events. */
export function startsOf(events: Float64Array): Float64Array {
  const starts = new Float64Array(events.length + 1);
  events.forEach((size, b) => {
    starts[b + 1] = starts[b] + size;
  });
  return starts;
}

function checkCount(blocks: number): void {
  if (Number.isSafeInteger(blocks) && blocks >= 1 && blocks <= MAX_BLOCKS) return;
  throw new InputError({
    problem: 'the number of blocks is not usable',
    got: String(blocks),
    needed: `a whole number in 1..${MAX_BLOCKS}`,
  });
}

/** Counting sort, stable. `order` is `null` where the events already lie block by block. */
export function group(code: Uint32Array, count: number): { starts: Float64Array; order: Uint32Array | null } {
  const starts = new Float64Array(count + 1);
  let sorted = true;
  for (let t = 0; t < code.length; t++) {
    starts[code[t] + 1]++;
    if (t > 0 && code[t] < code[t - 1]) sorted = false;
  }
  for (let b = 0; b < count; b++) starts[b + 1] += starts[b];
  if (sorted) return { starts, order: null };
  const next = starts.slice();
  const order = new Uint32Array(code.length);
  for (let t = 0; t < code.length; t++) order[next[code[t]]++] = t;
  return { starts, order };
}

/** An event whose time is no number. */
export function unusableTime(event: number, time: number): InputError {
  return new InputError({
    problem: 'an event has no usable time',
    row: event,
    got: String(time),
    needed: 'a finite number of milliseconds',
  });
}

/** More periods than blocks may be. */
export function tooManyPeriods(milliseconds: number): InputError {
  return new InputError({
    problem: 'the log spans too many periods',
    got: `more than ${MAX_BLOCKS} periods of ${milliseconds} ms`,
    needed: `at most ${MAX_BLOCKS} blocks`,
    hint: 'choose a longer period',
  });
}

/** `2009-05-01T00:00:00Z`; fractions of a second only where there are some. Beyond the calendar of `Date`: milliseconds. */
function periodLabel(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? `${milliseconds} ms` : date.toISOString().replace('.000Z', 'Z');
}
