/** Logs into packed logs, whose next reading is a reading of columns. */

import { type FileHandle, stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import { readHead } from '../files/files.js';
import type { BadRows, EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import { checkOptions, type OptionShape, option } from '../options/check-options.js';
import { checkReplaceable, replaceFile } from '../packed/replace-file.js';
import { writePacked } from '../packed/write.js';
import { plural } from '../words.js';
import { convertBatches, goesInBatches, isPacked, LEAST_MEMORY } from './convert-batches.js';
import { checkLogFiles, type LogFiles, openStream } from './open.js';

/** How a log is converted. */
export interface ConvertOptions {
  /** Columns to keep by value, beside those of the mapping. */
  readonly keys?: readonly string[];
  /**
   * Bytes that the process may take, about, beside dictionaries, candidate sets and distinct contexts. Not for affinities,
   * for which the log is read whole.
   */
  readonly memory?: number;
  /** Told now and then how far the work is. */
  readonly onProgress?: (progress: ConvertProgress) => void;
  /** Ends the run where it is aborted: the promise rejects with the reason of the signal. */
  readonly signal?: AbortSignal;
}

const CONVERT_OPTIONS: OptionShape<ConvertOptions> = {
  keys: option.names,
  memory: option.number,
  onProgress: option.call,
  signal: option.signal,
};

/** How far a conversion is. */
export interface ConvertProgress {
  /** Reading the log, or writing the packed one. */
  phase: 'load' | 'write';
  /** Rows read; events written. */
  done: number;
  /** `done` at the end of the phase; `null`: not known yet. */
  total: number | null;
}

/** What was converted. */
export interface Conversion {
  /** L */
  readonly events: number;
  /** K */
  readonly arms: number;
  /** Distinct candidate sets. */
  readonly pools: number;
  /** d, the length of a context, and the number of distinct ones where they are a table. */
  readonly context: { readonly dimension: number; readonly distinct: number | null };
  /** What the log has of: propensity, time, user and keys by name. */
  readonly columns: readonly string[];
  /** Rows in the files, before a filter. */
  readonly rows: number | null;
  /** Rows that were dropped, counted by kind. */
  readonly badRows: readonly BadRows[];
  /** What every result of this log says first. */
  readonly warnings: readonly string[];
}

/**
 * Writes a log as a packed log, a Parquet file that every reader of logs takes without a mapping. Nothing is lost: reading it
 * gives the same log. The file appears only when it is complete.
 *
 * @param log an event log, a stream of one, or the files to read it from.
 * @throws InputError for bad logs, and where `out` is an input or a file that is no packed log; EngineError where writing fails.
 */
export async function convert(
  log: EventLog | LogStream | LogFiles,
  out: string,
  options: ConvertOptions = {},
): Promise<Conversion> {
  await checkReplaceable(out, 'files' in log ? log.files : []);
  let conversion: Conversion | null = null;
  await replaceFile(out, async (file) => {
    conversion = await convertTo(log, file, options);
  });
  if (conversion === null) throw new RangeError('nothing was converted');
  return conversion;
}

/** `convert` into a file that is open for writing and empty. */
export async function convertTo(
  input: EventLog | LogStream | LogFiles,
  file: FileHandle,
  options: ConvertOptions = {},
): Promise<Conversion> {
  const { keys = [], memory, onProgress, signal } = options;
  checkOptions(options, CONVERT_OPTIONS, 'options');
  if ('files' in input) checkLogFiles(input);
  const { way, fault } = await wayOf(input, file, memory);
  if (memory !== undefined) checkMemory(memory, way, fault);
  if (way === 'batches' && 'files' in input) {
    const { files, ...reading } = input;
    const { head, events } = await convertBatches(
      files,
      { ...reading, keys, signal, onProgress: toRows(onProgress) },
      file,
      memory,
    );
    return describe(head, events);
  }
  const stream = await openStream(input, {
    keys,
    memory: null,
    batches: way === 'stream' || 'head' in input,
    onProgress,
    signal,
  });
  try {
    await writePacked(stream, file, {
      signal,
      onEvents: (done, total) => onProgress?.({ phase: 'write', done, total }),
    });
    return describe(stream.head, stream.events);
  } finally {
    await stream.close();
  }
}

/** How a log is converted: handed on while it is read, as the stream that it is, or read whole. */
type Way = 'batches' | 'stream' | 'whole';

/** @returns the way, and what is wrong with a file that cannot be looked at, which is for the reader to say: it also reads directories. */
async function wayOf(
  input: EventLog | LogStream | LogFiles,
  file: FileHandle,
  memory: number | undefined,
): Promise<{ way: Way; fault?: unknown }> {
  if (!('files' in input)) return { way: 'head' in input ? 'stream' : 'whole' };
  const { files, ...reading } = input;
  if (reading.sortByTime === true) return { way: 'whole' };
  const heads = [];
  for (const path of files) {
    try {
      heads.push(await readHead(path));
    } catch (fault) {
      return { way: 'whole', ...((await isDirectory(path)) ? {} : { fault }) };
    }
  }
  const distinct = reading.distinctViews === true && reading.affinities !== true;
  if (isPacked(heads, reading) || (distinct && memory !== undefined)) return { way: 'stream' };
  // A file that is begun again must be one that can be.
  return { way: goesInBatches(heads, reading) && (await file.stat()).isFile() ? 'batches' : 'whole' };
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** @throws InputError where so much memory is not enough; the fault of a file that kept the log from being read in batches. */
function checkMemory(memory: number, way: Way, fault: unknown): void {
  if (fault !== undefined) throw fault;
  if (way === 'whole') {
    throw new InputError({
      problem: 'this log is converted in memory, which cannot be bounded',
      needed: 'files, without --affinities and --sort-by-time, and a file to write to',
      hint: 'leave --memory out',
    });
  }
  if (memory >= LEAST_MEMORY) return;
  throw new InputError({
    problem: 'option memory is not usable',
    got: `${plural(memory, 'byte')}`,
    needed: `at least ${LEAST_MEMORY / 1e6} MB, most of which the program itself takes`,
  });
}

/** Progress of a reading, as that of a conversion. */
function toRows(onProgress: ConvertOptions['onProgress']) {
  return (fraction: number, rows: number): void =>
    onProgress?.({ phase: 'load', done: rows, total: fraction > 0 ? Math.round(rows / fraction) : null });
}

function describe(
  { arms, pools, contexts, propensity, time, user, keys, source }: EventLog,
  events: number,
): Conversion {
  const columns = [
    propensity !== null && 'propensity',
    time !== null && 'time',
    user !== null && 'user',
    ...keys.keys(),
  ];
  return {
    events,
    arms: arms.ids.length,
    pools: pools.count,
    context: { dimension: contexts.dimension, distinct: contexts.row === null ? null : contexts.rows },
    columns: columns.filter((name) => name !== false),
    rows: source.rows,
    badRows: source.badRows,
    warnings: source.warnings ?? [],
  };
}

/** Bytes of files, or of what is read of a directory. */
export async function totalBytes(files: readonly string[]): Promise<number> {
  const { obdDirectory } = await import('../formats/obd/obd-directory.js');
  const directory = await obdDirectory(files, {});
  let bytes = 0;
  for (const file of directory === null ? files : [directory.log, directory.items]) bytes += (await stat(file)).size;
  return bytes;
}
