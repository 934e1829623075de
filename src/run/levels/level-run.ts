/** Levels at work on a log that is gone through batch by batch: its blocks, level by level, and what estimates need of each. */

import type { Archive, Carried } from '../../archive.js';
import type { BatchBlocks, BlockOutline } from '../../estimate/blocks/block-makers.js';
import { blockEvents, group } from '../../estimate/blocks/blocks.js';
import {
  blockOfEvents,
  type EventLevels,
  LevelBlocks,
  statisticsOfLevel,
  sumOverLevels,
} from '../../estimate/blocks/levels.js';
import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import { EffectiveArms } from '../../log/build/effective-arms.js';
import type { EventLog } from '../../log/event-log.js';

export class LevelRun implements Carried {
  /** n of each block of statistics, [V, B]; of levels that of the batches that were cut. */
  readonly events: Float64Array;
  private readonly blocks: LevelBlocks | null;
  private readonly arms: readonly EffectiveArms[];

  /** @param source when all events are counted; `null`: no levels. @throws InputError where there cannot be such levels. */
  constructor(
    private readonly source: EventLevels | null,
    outline: BlockOutline,
  ) {
    this.blocks = source === null ? null : new LevelBlocks(source.settle(outline), outline.blocks);
    this.events = this.blocks?.events ?? blockEvents(outline);
    this.arms = Array.from({ length: this.levels }, () => new EffectiveArms());
  }

  /** V; 0: there are none. */
  get levels(): number {
    return this.blocks?.levels ?? 0;
  }

  /** The batch's blocks of statistics. @param cut of the batch, by the outline. */
  cut(cut: BatchBlocks, batch: EventLog): BatchBlocks {
    const { source, blocks, levels } = this;
    if (source === null || blocks === null) return cut;
    const blockOf = blockOfEvents(cut, batch.events);
    const level = source.of(batch, blockOf);
    const { starts, order } = group(level, levels);
    const events = order ?? Uint32Array.from({ length: batch.events }, (_, t) => t);
    for (const [v, arms] of this.arms.entries()) arms.add(batch, events.subarray(starts[v], starts[v + 1]));
    return blocks.cut(cut, blockOf, level);
  }

  /** Statistics of the log without levels. */
  whole(stats: BlockStatistics): BlockStatistics {
    return this.levels === 0 ? stats : sumOverLevels(stats, this.levels);
  }

  /** Those of a level. */
  of(level: number): (stats: BlockStatistics) => BlockStatistics {
    return (stats) => statisticsOfLevel(stats, this.levels, level);
  }

  /** L / Σ 1/|A_t| over the events of a level. @param head of the log. */
  effectiveArms(head: EventLog, level: number): number {
    return this.arms[level].value(head);
  }

  carry(archive: Archive): void {
    this.blocks?.carry(archive);
    for (const arms of this.arms) arms.carry(archive);
  }
}
