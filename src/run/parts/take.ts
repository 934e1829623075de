/** Sums of parts that were evaluated elsewhere, taken in the order of the log. */

import type { Archive } from '../../archive.js';
import type { BatchBlocks } from '../../estimate/blocks/block-makers.js';
import type { Predictions } from '../../estimate/event-numbers.js';
import {
  addBatchStatistics,
  type BlockStatistics,
  emptyBlockStatistics,
} from '../../estimate/sums/block-statistics.js';
import type { Summand } from '../../estimate/sums/summands.js';
import type { EventLog } from '../../log/event-log.js';
import type { AnyPolicies } from '../../policy/drawn/drawn.js';
import type { PolicyCompiler } from '../../policy/family.js';
import type { LogRun } from '../log-run.js';
import type { PolicySums } from '../policy-sums.js';
import { OwnPolicies } from './own-policies.js';
import type { StoredParts } from './stored.js';

/** A batch as its policies are evaluated on it. */
export interface PreparedBatch {
  readonly batch: EventLog;
  readonly cut: BatchBlocks;
  readonly predictions: Predictions | null;
  readonly columns: readonly Summand[];
  /** Of each entry: its policies, or those whose choices they mix. */
  readonly entries: readonly AnyPolicies[];
}

/** The run that takes them. */
export interface TakingRun {
  readonly run: LogRun;
  readonly compilers: readonly PolicyCompiler[];
  /** Of each entry. */
  readonly sums: readonly PolicySums[];
  /** T, where a policy's value is that of its first T matches. */
  readonly validEvents: number | null;
  /** Events of a batch. */
  readonly size: number;
  readonly prepare: (batch: EventLog) => Promise<PreparedBatch>;
  readonly carry: (archive: Archive) => void;
}

/** Goes through the log without deciding, and adds the parts up. */
export async function takeParts(
  stored: StoredParts,
  { run, compilers, sums, validEvents, size, prepare, carry }: TakingRun,
): Promise<void> {
  for (const { events, parts } of stored.byEvents()) {
    const [from, to] = events;
    // A policy's T-th match is looked for in the events of one part.
    const whole = validEvents !== null;
    if (whole) stored.checkRoom(to - from, size);
    let last: PreparedBatch | null = null;
    if (from < to || run.stream.events === 0)
      for await (const batch of run.batches(whole ? Math.max(1, to - from) : size, from, { to })) {
        last = await prepare(batch);
        await run.border(carry);
      }
    for (const part of parts) {
      const own = new OwnPolicies(compilers, part.header.span);
      const { blocks, tables } = await part.read(own.entries.map((entry) => sums[entry].stats.kinds));
      for (const [i, entry] of own.entries.entries()) {
        if (last === null || !whole) sums[entry].addStored(tables[i], blocks, own.range(entry)[0]);
        else sums[entry].add(last.batch, last.entries[entry], last.cut, storedSums(tables[i], blocks, last.cut));
      }
      run.work.addElsewhere(part.header.work);
    }
  }
}

/** Sums in the blocks of a cut of the part's events. @param blocks of the log, of each block of `stats`. */
function storedSums(stats: BlockStatistics, blocks: Uint32Array, { of }: BatchBlocks): BlockStatistics {
  const place = new Map([...of].map((block, i) => [block, i]));
  const all = emptyBlockStatistics(stats.policies, new Float64Array(of.length), stats.kinds);
  addBatchStatistics(
    all,
    stats,
    blocks.map((block) => place.get(block) ?? Number.MAX_SAFE_INTEGER),
  );
  return all;
}
