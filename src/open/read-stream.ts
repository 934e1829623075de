/** Files as a stream of events: packed logs as they lie, small logs read whole, others by way of a packed log. */

import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { filesText, InputError } from '../errors.js';
import { type Head, readHead } from '../files/files.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { obdDirectory } from '../formats/obd/obd-directory.js';
import { openPackedFiles } from '../formats/packed/read-files.js';
import { alsoWarned, repeatedFiles } from '../formats/repeated-files.js';
import { readLog } from '../formats/table/read/read.js';
import type { ReadOptions } from '../log/read-options.js';
import type { LogStream } from '../log/stream.js';
import { streamOf } from '../log/stream-of.js';
import { distinctStream, noUsers } from '../log/views/distinct-views.js';
import { writing } from '../packed/replace-file.js';
import { convertBatches, goesInBatches, isPacked, LEAST_MEMORY } from './convert-batches.js';

/** What a file becomes in memory, times its size, about: at least and at most this. Compressed files say little about it. */
const GROWTH = { text: [0.5, 3], packed: [2, 60], parquet: [2, 20] } as const;

/**
 * @param memory bytes that the process may take; `null`: no bound.
 * @throws InputError as `readLog`; where the log must be read whole and does not fit.
 */
export async function readStream(
  paths: readonly string[],
  options: ReadOptions,
  memory: number | null,
): Promise<LogStream> {
  const directory = await obdDirectory(paths, options);
  const files = directory === null ? paths : [directory.log, directory.items];
  const heads: Head[] = [];
  for (const file of files) heads.push(await readHead(file, options.encoding));
  const { distinctViews = false, ...plain } = options;
  const packed = directory === null && isPacked(heads, plain);
  if (options.sortByTime === true) return sortedStream(paths, files, heads, options, memory);
  if (distinctViews && (memory !== null || packed)) {
    // Not after a long reading.
    if (options.mapping !== undefined && options.mapping.user === undefined) throw noUsers(paths);
    const stream = await (packed ? openPackedFiles(paths, options) : readStream(paths, plain, memory));
    return distinctStream(stream, options.signal).catch(async (error) => {
      await stream.close();
      throw error;
    });
  }
  if (packed) {
    const stream = await openPackedFiles(paths, options);
    const { head, events, bytesPerEvent, identity } = stream;
    const source = alsoWarned(head.source, await repeatedFiles(paths));
    const read: LogStream['read'] = (...batch) => stream.read(...batch);
    return { head: { ...head, source }, events, bytesPerEvent, identity, read, close: () => stream.close() };
  }
  if (memory === null) return streamOf(await readLog(paths, options));
  const [least, most] = await bytesInMemory(files, heads);
  if (most > memory && memory >= LEAST_MEMORY && goesInBatches(heads, options))
    return throughTemporaryPackedLog(paths, options, memory);
  if (least > memory) throw tooLarge(paths, least, memory, options);
  const stream = streamOf(await readLog(paths, options));
  const bytes = stream.events * stream.bytesPerEvent;
  if (bytes > memory) throw tooLarge(paths, bytes, memory, options);
  return stream;
}

/** A log is sorted with all of its events in memory, and those in their old order beside them. */
async function sortedStream(
  paths: readonly string[],
  files: readonly string[],
  heads: readonly Head[],
  options: ReadOptions,
  memory: number | null,
): Promise<LogStream> {
  const check = (bytes: number): void => {
    if (memory !== null && 2 * bytes > memory) throw tooLarge(paths, 2 * bytes, memory, options);
  };
  check((await bytesInMemory(files, heads))[0]);
  const stream = streamOf(await readLog(paths, options));
  check(stream.events * stream.bytesPerEvent);
  return stream;
}

async function bytesInMemory(paths: readonly string[], heads: readonly Head[]): Promise<[least: number, most: number]> {
  let least = 0;
  let most = 0;
  for (const [i, path] of paths.entries()) {
    const { packing, tail } = heads[i];
    const { size } = await stat(path);
    const [low, high] = GROWTH[packing !== null ? 'packed' : tail.length > 0 ? 'parquet' : 'text'];
    least += low * size;
    most += high * size;
  }
  return [least, most];
}

/** A packed log that is made for the occasion, and goes when the stream is closed. */
async function throughTemporaryPackedLog(
  paths: readonly string[],
  options: ReadOptions,
  memory: number,
): Promise<LogStream> {
  const folder = await temporaryFolder();
  try {
    const path = join(folder.path, 'log.parquet');
    const file = await open(path, 'w');
    try {
      await writing(path, () => convertBatches(paths, options, file, memory));
    } finally {
      await file.close();
    }
    const { keys, signal } = options;
    const stream = await openPackedFiles([path], { keys, signal });
    const { events, bytesPerEvent } = stream;
    const { inputs = [], ...source } = stream.head.source;
    // The packed log is nobody's: its files are what results are made of.
    const head = { ...stream.head, source: { ...source, inputs: inputs.flatMap(({ from = [] }) => from) } };
    const close = async () => {
      await stream.close();
      await folder.remove();
    };
    return { head, events, bytesPerEvent, read: (...batch) => stream.read(...batch), close };
  } catch (error) {
    await folder.remove();
    throw error;
  }
}

function tooLarge(files: readonly string[], bytes: number, memory: number, options: ReadOptions): InputError {
  const size = (n: number): string => `${Math.ceil(n / 1e6)} MB`;
  const isSorted = options.sortByTime === true;
  const why = isSorted
    ? 'it is sorted by time with all of its events in memory'
    : options.affinities === true
      ? 'affinities are read with the whole log'
      : `less than ${size(LEAST_MEMORY)} is too little to convert it on the way`;
  return new InputError({
    file: filesText(files),
    problem: `the log does not fit the memory that it may take, and ${why}`,
    got: `about ${size(bytes)} in memory`,
    needed: `at most ${size(memory)}, or a packed log, which is read in batches`,
    hint: `hindcast convert ${files[0]}${files.length === 1 ? '' : ' …'} ${isSorted ? '--sort-by-time ' : ''}PACKED.parquet, once; then name PACKED.parquet`,
  });
}
