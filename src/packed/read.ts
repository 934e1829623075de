/** Reads packed logs: whole, or batch by batch. */

import { u32Column } from '../log/build/memory.js';
import { readingRecord } from '../log/column-uses.js';
import type { EventLog, LogSource } from '../log/event-log.js';
import type { ReadOptions } from '../log/read-options.js';
import type { LogStream, ReadNeed } from '../log/stream.js';
import { bytesPerEvent, checkBatch } from '../log/stream-of.js';
import { BatchColumns } from './batch-columns.js';
import { layoutOf, readHead } from './head.js';
import { type PackedColumns, packedColumns } from './layout.js';
import { type BatchOptions, PackedEvents } from './packed-events.js';
import { PackedFile } from './packed-file.js';
import { UNCHANGED } from './recoding.js';
import { readNumbers } from './sections.js';

/** A packed log, of one file or of several. */
export interface PackedStream extends LogStream {
  /** `read`, with progress. */
  readBatch(from: number, to: number, options?: BatchOptions): Promise<EventLog>;
}

/** Opens a packed log for reading in batches. @throws InputError where it is missing, no packed log, or damaged. */
export async function openPacked(file: string, options: ReadOptions = {}): Promise<PackedLog> {
  const packed = await PackedFile.open(file);
  try {
    const { head, columns, groups } = await readTables(packed);
    const source = { ...recorded(head.source, options), inputs: [packed.input] };
    return new PackedLog({ ...head, source }, new PackedEvents(packed, columns, groups), packed.identity);
  } catch (error) {
    await packed.close();
    throw error;
  }
}

/** The source with the options of this reading, beside those of the conversion. */
export function recorded(source: LogSource, options: ReadOptions): LogSource {
  const all = { ...source.options, ...readingRecord(options, false) };
  return Object.keys(all).length === 0 ? source : { ...source, options: all };
}

/** What a file holds beside its events, and where these are. @throws InputError where it is damaged. */
export async function readTables(
  file: PackedFile,
): Promise<{ head: EventLog; columns: PackedColumns; groups: Uint32Array }> {
  const head = await readHead(file);
  const columns = packedColumns(layoutOf(file, head));
  const groups = u32Column(2 * file.header.groups.count);
  await readNumbers(file, file.header.groups.table, groups);
  return { head, columns, groups };
}

/** A packed log that is open. */
export class PackedLog implements PackedStream {
  readonly events: number;
  readonly bytesPerEvent: number;

  constructor(
    readonly head: EventLog,
    private readonly content: PackedEvents,
    readonly identity: readonly string[],
  ) {
    this.events = content.count;
    this.bytesPerEvent = bytesPerEvent(head);
  }

  read(from: number, to: number, signal?: AbortSignal, need?: ReadNeed): Promise<EventLog> {
    return this.readBatch(from, to, { signal, need });
  }

  async readBatch(from: number, to: number, options: BatchOptions = {}): Promise<EventLog> {
    options.signal?.throwIfAborted();
    checkBatch(from, to, this.events);
    const target = new BatchColumns(this.head, to - from, options.need);
    await this.content.fill(target, from, to, UNCHANGED, options);
    return target.finish(from);
  }

  close(): Promise<void> {
    return this.content.close();
  }
}
