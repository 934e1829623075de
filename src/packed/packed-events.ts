/** The events of a packed log, decoded row group by row group. */

import type { ReadNeed } from '../log/stream.js';
import type { BatchColumns } from './batch-columns.js';
import { type Decoded, Groups } from './groups.js';
import { countedColumns, type PackedColumns } from './layout.js';
import type { PackedFile } from './packed-file.js';
import type { Recoding } from './recoding.js';

/** What reading a batch may be told. */
export interface BatchOptions {
  readonly signal?: AbortSignal;
  /** Told after every row group: events read so far. */
  readonly onEvents?: (events: number) => void;
  /** Default: all. */
  readonly need?: ReadNeed;
}

export class PackedEvents {
  /** Number of events. */
  readonly count: number;
  private readonly groups: Groups;
  /** The row group in which the last batch ended, decoded: the next batch mostly begins there. */
  private last: { group: number; need: ReadNeed; decoded: Decoded } | null = null;

  /** @param table events and CRC-32 of each row group, as pairs. */
  constructor(
    private readonly file: PackedFile,
    private readonly columns: PackedColumns,
    table: Uint32Array,
  ) {
    this.count = file.header.events;
    this.groups = new Groups(file, columns.all, table);
  }

  /** Has `target` take events [from, to). @throws InputError where they are damaged. */
  async fill(
    target: BatchColumns,
    from: number,
    to: number,
    recoding: Recoding,
    { signal, onEvents, need = 'all' }: BatchOptions = {},
  ): Promise<void> {
    if (from >= to) return;
    const { groups, last, columns } = this;
    const wanted = need === 'all' ? columns.all : countedColumns(columns);
    const end = groups.groupOf(to - 1) + 1;
    this.last = null;
    for (let group = groups.groupOf(from); group < end; group++) {
      const isHeld = last?.group === group && last.need === need;
      const decoded = isHeld ? last.decoded : await groups.decode(group, await groups.bytes(group), wanted);
      signal?.throwIfAborted();
      const start = groups.start(group);
      const stop = Math.min(to, groups.start(group + 1));
      target.append({ columns, decoded, from: Math.max(from, start) - start, to: stop - start, start }, recoding);
      if (stop < groups.start(group + 1)) this.last = { group, need, decoded };
      onEvents?.(stop - from);
    }
  }

  /** Payoffs of all events, a row group at a time. */
  async *payoffs(signal?: AbortSignal): AsyncGenerator<ArrayLike<number>> {
    const { groups, columns } = this;
    for (let group = 0; group < groups.count; group++) {
      const decoded = await groups.decode(group, await groups.bytes(group), [columns.payoff]);
      signal?.throwIfAborted();
      yield decoded.get(columns.payoff) ?? [];
    }
  }

  /** Forgets what is decoded. */
  release(): void {
    this.last = null;
  }

  close(): Promise<void> {
    this.release();
    return this.file.close();
  }
}
