/** Payoffs of all events of a log by block, batch by batch: what the policy that logged them earned. */

import type { Archive, Carried } from '../archive.js';
import type { BatchBlocks, BlockOutline } from '../estimate/blocks/block-makers.js';
import { blockEvents } from '../estimate/blocks/blocks.js';
import { replayColumns, replayKinds } from '../estimate/estimators/replay-totals.js';
import { allEvents } from '../estimate/sums/all-events.js';
import {
  addBatchStatistics,
  type BlockStatistics,
  carryStatistics,
  emptyBlockStatistics,
} from '../estimate/sums/block-statistics.js';
import type { EventLog } from '../log/event-log.js';

export class LoggedPayoffs implements Carried {
  /** As of one policy that always chose the logged arm. */
  readonly stats: BlockStatistics;

  constructor(
    outline: BlockOutline,
    private readonly payoff: EventLog['payoff'],
  ) {
    this.stats = emptyBlockStatistics(1, blockEvents(outline), replayKinds(payoff));
  }

  add(batch: EventLog, { plan, of }: BatchBlocks): void {
    const columns = replayColumns({ maxSteps: this.payoff.maxSteps, steps: batch.payoff.steps });
    addBatchStatistics(this.stats, allEvents(plan, columns), of);
  }

  carry(archive: Archive): void {
    carryStatistics(archive, this.stats);
  }
}
