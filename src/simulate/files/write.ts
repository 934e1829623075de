/** Writes the files of a simulated log: `hindcast simulate` without its options. */

import { createWriteStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { writePacked } from '../../packed/write.js';
import { explorationStream } from '../world/exploration-stream.js';
import type { World } from '../world/world.js';
import { YahooDirt, type YahooDirtOptions } from '../yahoo-dirt.js';
import { logMapping, logTable, truthTable } from './log-table.js';
import { type TableFormat, writeTable } from './table-file.js';
import { BATCH, yahooLines } from './yahoo-log.js';

/** A third of the time of the usual level 6, and files half as large again. */
const GZIP_LEVEL = 3;

/** The log to write. */
export interface LogToWrite {
  readonly world: World;
  /** Number of visits, L. */
  readonly visits: number;
  /** Number of the traffic. */
  readonly traffic: number;
  readonly signal?: AbortSignal;
  /** Called with the number of events since the last call. */
  readonly onEvents?: (events: number) => void;
}

export interface TextOptions {
  readonly gzip: boolean;
  /** Shares of lines with each fault. */
  readonly dirt?: YahooDirtOptions['rates'];
}

/**
 * Writes R6A or R6B text, as the world's kind is. Returns what the faults amount to, where there are any.
 *
 * @throws InputError for logging that is not uniform, and for faults that the format cannot have.
 */
export async function writeYahooLog(
  log: LogToWrite,
  file: string,
  { gzip, dirt }: TextOptions,
): Promise<YahooDirt | null> {
  const { world, visits, traffic, signal, onEvents } = log;
  const { kind: format, seed } = world.settings;
  const spoiler = dirt === undefined ? null : new YahooDirt({ format, seed, rates: dirt });
  function* text(): Generator<Uint8Array, void> {
    let events = 0;
    for (const lines of yahooLines(world, visits, traffic)) {
      yield spoiler === null ? lines : spoiler.soil(lines);
      const done = Math.min(visits, events + BATCH);
      onEvents?.(done - events);
      events = done;
    }
  }
  const source = Readable.from(text(), { objectMode: true, highWaterMark: 2 });
  const target = createWriteStream(file);
  if (gzip) await pipeline(source, createGzip({ level: GZIP_LEVEL, chunkSize: 1 << 18 }), target, { signal });
  else await pipeline(source, target, { signal });
  return spoiler;
}

/** Writes a log as a table, and the mapping that reads it back. */
export async function writeTableLog(
  log: LogToWrite,
  file: string,
  format: TableFormat,
  mapping: string,
): Promise<void> {
  const { world, visits, traffic, signal, onEvents = () => {} } = log;
  await writeTable(file, format, logTable(world, visits, traffic, onEvents), signal);
  await writeFile(mapping, `${JSON.stringify(logMapping(world))}\n`);
}

/** Writes a packed log: the log of `simulate()` itself. Every visit is looked through twice, and told twice to `onEvents`. */
export async function writePackedLog(log: LogToWrite, file: string): Promise<void> {
  const { world, visits, traffic, signal, onEvents } = log;
  const stream = await explorationStream(world, visits, traffic, { signal, onVisits: onEvents });
  const handle = await open(file, 'w');
  try {
    let before = 0;
    await writePacked(stream, handle, {
      signal,
      onEvents: (events) => {
        onEvents?.(events - before);
        before = events;
      },
    });
  } finally {
    await handle.close();
  }
}

/** Writes the probability of a click for every candidate of every visit: columns `event`, `arm`, `probability`. */
export async function writeTruth(log: LogToWrite, file: string, format: TableFormat): Promise<void> {
  const { world, visits, traffic, signal, onEvents = () => {} } = log;
  await writeTable(file, format, truthTable(world, visits, traffic, onEvents), signal);
}
