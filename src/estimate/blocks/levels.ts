/**
 * Levels of events: segments of a log, or the parts of a hold-out. Blocks become level × block, so that one pass gives the
 * statistics of every level; engines see nothing but more blocks. Block b of level v is block v · B + b.
 */

import type { Archive, Carried } from '../../archive.js';
import { InputError } from '../../errors.js';
import { type BlockStatistics, emptyBlockStatistics } from '../sums/block-statistics.js';
import { type BatchBlocks, type BlockEvents, type BlockOutline, batchBlocks } from './block-makers.js';
import { MAX_BLOCKS } from './blocks.js';

/** The columns of a batch that levels depend on. */
export interface LevelEvents extends BlockEvents {
  /** Columns kept by value, by name. */
  readonly keys: ReadonlyMap<string, { readonly code: Uint32Array }>;
}

/** One way of giving events levels. */
export interface EventLevels extends Carried {
  /** Counts a batch; batches come in the order of the log. */
  count(batch: LevelEvents): void;
  /**
   * When all batches are counted, and again where an interrupted run goes on.
   *
   * @param outline of the blocks.
   * @returns V, the number of levels, at least 1.
   * @throws InputError where such levels cannot be.
   */
  settle(outline: BlockOutline): number;
  /**
   * Level of each event of a batch, below V; after `settle`.
   *
   * @param blockOf block of each, by the outline.
   */
  of(batch: LevelEvents, blockOf: Uint32Array): Uint32Array;
}

/** Cuts batches by level and block, and counts their events. */
export class LevelBlocks implements Carried {
  /** n[v, b] of the batches that were cut, [V, B] row-major: that of the log at the end. */
  readonly events: Float64Array;

  /** @param levels V, at least 1. @param blocks B of the outline. @throws InputError where they are more than {@link MAX_BLOCKS} together. */
  constructor(
    readonly levels: number,
    readonly blocks: number,
  ) {
    if (levels * blocks > MAX_BLOCKS) {
      throw new InputError({
        problem: 'there are too many blocks of levels',
        got: `${levels} levels × ${blocks} blocks`,
        needed: `at most ${MAX_BLOCKS} in all`,
        hint: 'fewer --blocks (in code: blocks), longer periods, or fewer segments',
      });
    }
    this.events = new Float64Array(levels * blocks);
  }

  /** @param cut of the batch, by the outline. @param blockOf of it. @param level of each event, below V. */
  cut({ plan }: BatchBlocks, blockOf: Uint32Array, level: Uint32Array): BatchBlocks {
    const { blocks, events } = this;
    const code = blockOf.map((block, t) => level[t] * blocks + block);
    for (const block of code) events[block]++;
    return batchBlocks(code, plan.description);
  }

  carry(archive: Archive): void {
    archive.array(this.events);
  }
}

/** Block of the outline of each event of a batch. */
export function blockOfEvents({ plan, of }: BatchBlocks, events: number): Uint32Array {
  const blockOf = new Uint32Array(events);
  const { starts, order } = plan;
  for (let b = 0; b < plan.blocks; b++) {
    if (order === null) blockOf.fill(of[b], starts[b], starts[b + 1]);
    else for (let i = starts[b]; i < starts[b + 1]; i++) blockOf[order[i]] = of[b];
  }
  return blockOf;
}

/** Statistics of one level, [P, B]: those of a log that has only its events, in the same blocks. @param stats [P, V · B] */
export function statisticsOfLevel(stats: BlockStatistics, levels: number, level: number): BlockStatistics {
  const blocks = stats.blocks / levels;
  const from = level * blocks;
  const part = emptyBlockStatistics(stats.policies, stats.events.slice(from, from + blocks), stats.kinds);
  const copy = (to: Float64Array, column: Float64Array): void => {
    for (let p = 0; p < stats.policies; p++) {
      const at = p * stats.blocks + from;
      to.set(column.subarray(at, at + blocks), p * blocks);
    }
  };
  copy(part.matches, stats.matches);
  stats.columns.forEach((column, c) => {
    copy(part.columns[c], column);
  });
  return part;
}

/**
 * Statistics over all levels, [P, B]: equal, to the last bit, to those of the log without levels, as sums of a block are whole
 * numbers below 2⁵³ (MAX_BLOCK_EVENTS) with levels and without.
 *
 * @param stats [P, V · B]
 */
export function sumOverLevels(stats: BlockStatistics, levels: number): BlockStatistics {
  const whole = statisticsOfLevel(stats, levels, 0);
  const { blocks } = whole;
  for (let v = 1; v < levels; v++) {
    for (let b = 0; b < blocks; b++) whole.events[b] += stats.events[v * blocks + b];
    const merge = (to: Float64Array, from: Float64Array, isMaximum: boolean): void => {
      for (let p = 0; p < stats.policies; p++) {
        const at = p * stats.blocks + v * blocks;
        for (let b = 0; b < blocks; b++) {
          const i = p * blocks + b;
          to[i] = isMaximum ? Math.max(to[i], from[at + b]) : to[i] + from[at + b];
        }
      }
    };
    merge(whole.matches, stats.matches, false);
    for (const [c, { reduce }] of stats.kinds.entries()) merge(whole.columns[c], stats.columns[c], reduce === 'max');
  }
  return whole;
}
