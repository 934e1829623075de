/** A packed log that is written while the original is read: memory is bounded by a batch and by what all events share. */

import type { FileHandle } from 'node:fs/promises';
import type { Head } from '../files/files.js';
import { eventFormatOf } from '../formats/index.js';
import { readFiles } from '../formats/table/read/read.js';
import type { EventLog } from '../log/event-log.js';
import type { ReadOptions } from '../log/read-options.js';
import { PackedWriter } from '../packed/writer.js';

/** What Node, DuckDB's code and the batch in work take. */
const OWN_MEMORY = 200e6;
/** What DuckDB needs to read at all. */
const LEAST_DATABASE_MEMORY = 100e6;

/** Bytes that a process needs to convert a log in batches. */
export const LEAST_MEMORY = OWN_MEMORY + LEAST_DATABASE_MEMORY;

/** Whether files that begin so are packed logs. */
export function isPacked(heads: readonly Head[], options: ReadOptions): boolean {
  return heads.length > 0 && eventFormatOf(heads, options)?.name === 'packed';
}

/** Whether the events of files can be written while they are read: not where one says what becomes of another. */
export function goesInBatches(heads: readonly Head[], { distinctViews, affinities, sortByTime }: ReadOptions): boolean {
  return heads.length > 0 && [distinctViews, affinities, sortByTime].every((whole) => whole !== true);
}

/**
 * Writes the log of `paths` into a file that is open for writing, and empties it first.
 *
 * @param memory bytes that the process may take, about, beside dictionaries, candidate sets and contexts that repeat.
 * @returns the log without its events, and how many these were.
 */
export async function convertBatches(
  paths: readonly string[],
  options: ReadOptions,
  file: FileHandle,
  memory: number | undefined,
): Promise<{ head: EventLog; events: number }> {
  let writer: PackedWriter | null = null;
  const written = (): PackedWriter => {
    if (writer === null) throw new RangeError('nothing was begun');
    return writer;
  };
  const head = await readFiles(paths, options, {
    databaseMemory: memory === undefined ? undefined : memory - OWN_MEMORY,
    async begin(layout) {
      await file.truncate(0);
      writer = new PackedWriter(file, layout);
    },
    take: (batch) => written().append(batch),
  });
  await written().finish(head);
  return { head, events: written().events };
}
