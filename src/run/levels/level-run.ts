/**
 * Levels at work on a log that is gone through batch by batch: its blocks, level by level, and what estimates need of each. Rates at which
 * events were dropped are levels within them, whose sums become columns.
 */

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
import { ratesAsColumns } from '../../estimate/blocks/rates.js';
import type { BlockStatistics } from '../../estimate/sums/block-statistics.js';
import { EffectiveArms } from '../../log/build/effective-arms.js';
import { DROP_RATE, type EventLog } from '../../log/event-log.js';
import { rateCounts } from './drop-rates.js';

export class LevelRun implements Carried {
  /** n of each block of statistics, [V, R, B]; of levels or rates that of the batches that were cut. */
  readonly events: Float64Array;
  /** V; 0: there are none. */
  readonly levels: number;
  /** R, the rates at which events were dropped. */
  readonly rates: number;
  private readonly blocks: LevelBlocks | null;
  private readonly arms: readonly EffectiveArms[];

  /**
   * @param source when all events are counted; `null`: no levels.
   * @param head of the log.
   * @throws InputError where there cannot be such levels.
   */
  constructor(
    private readonly source: EventLevels | null,
    outline: BlockOutline,
    head: EventLog,
  ) {
    this.levels = source?.settle(outline) ?? 0;
    this.rates = rateCounts(head)?.length ?? 1;
    const levels = Math.max(1, this.levels) * this.rates;
    this.blocks = source === null && this.rates === 1 ? null : new LevelBlocks(levels, outline.blocks);
    this.events = this.blocks?.events ?? blockEvents(outline);
    this.arms = Array.from({ length: this.levels }, () => new EffectiveArms());
  }

  /** The batch's blocks of statistics. @param cut of the batch, by the outline. */
  cut(cut: BatchBlocks, batch: EventLog): BatchBlocks {
    const { source, blocks, levels, rates } = this;
    if (blocks === null) return cut;
    const blockOf = blockOfEvents(cut, batch.events);
    const level = source?.of(batch, blockOf) ?? new Uint32Array(batch.events);
    const { starts, order } = group(level, Math.max(1, levels));
    const events = order ?? Uint32Array.from({ length: batch.events }, (_, t) => t);
    for (const [v, arms] of this.arms.entries()) arms.add(batch, events.subarray(starts[v], starts[v + 1]));
    const rate = rates === 1 ? null : (batch.keys.get(DROP_RATE)?.code ?? null);
    return blocks.cut(cut, blockOf, rate === null ? level : level.map((v, t) => v * rates + rate[t]));
  }

  /** Those of each rate as columns, [P, B]. @param stats [P, R · B] */
  byRate(stats: BlockStatistics): BlockStatistics {
    return ratesAsColumns(stats, this.rates);
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
