/** Logs into packed logs, whose next reading is a reading of columns. */

import { type FileHandle, stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import type { BadRows, EventLog } from './event-log.js';
import { readHead } from './formats/files.js';
import { type LogFiles, openStream } from './open.js';
import { checkReplaceable, replaceFile } from './packed/replace-file.js';
import { writePacked } from './packed/write.js';
import { PackedWriter } from './packed/writer.js';
import type { LogStream } from './stream.js';

export interface ConvertOptions {
  /** Columns to keep by value, beside those of the mapping. */
  readonly keys?: readonly string[];
  /**
   * Bytes that the process may take, about, beside dictionaries, candidate sets and distinct contexts. Not for distinct
   * views and affinities, for which the log is read whole.
   */
  readonly memory?: number;
  readonly onProgress?: (progress: ConvertProgress) => void;
  readonly signal?: AbortSignal;
}

export interface ConvertProgress {
  phase: 'load' | 'write';
  /** Rows read; events written. */
  done: number;
  total: number | null;
}

/** What was converted. */
export interface Conversion {
  readonly events: number;
  readonly arms: number;
  readonly pools: number;
  /** d, the length of a context, and the number of distinct ones where they are a table. */
  readonly context: { readonly dimension: number; readonly distinct: number | null };
  /** What the log has of: propensity, time, user and keys by name. */
  readonly columns: readonly string[];
  /** Rows in the files, before a filter. */
  readonly rows: number | null;
  readonly badRows: readonly BadRows[];
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
  const way = 'files' in input && (await file.stat()).isFile() ? await wayOf(input) : 'whole';
  if (memory !== undefined) checkMemory(memory, way);
  if (way === 'stretches') return convertStretches(input as LogFiles, file, options);
  const stream = await openStream(input, {
    keys,
    memory: null,
    stretches: way === 'stream' || 'head' in input,
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

/** What Node, DuckDB's code and the stretch in work take. */
const OWN_MEMORY = 200e6;
/** What DuckDB needs to read at all. */
const LEAST_DATABASE_MEMORY = 100e6;

/** How a log is converted: handed on while it is read, as the stream that it is, or read whole. */
type Way = 'stretches' | 'stream' | 'whole';

/** @throws InputError where so much memory is not enough. */
function checkMemory(memory: number, way: Way): void {
  if (way === 'whole') {
    throw new InputError({
      problem: 'this log is converted in memory, which cannot be bounded',
      needed:
        'files whose events are independent of each other, without --affinities and --distinct-views, and a file to write to',
      hint: 'leave --memory out',
    });
  }
  const least = OWN_MEMORY + (way === 'stretches' ? LEAST_DATABASE_MEMORY : 0);
  if (memory >= least) return;
  throw new InputError({
    problem: 'option memory is not usable',
    got: `${memory} bytes`,
    needed: `at least ${least / 1e6} MB, of which the program itself takes ${OWN_MEMORY / 1e6}`,
  });
}

/** Whether the events of a log can be written while they are read: not where one event says what becomes of another. */
async function wayOf(input: LogFiles): Promise<Way> {
  if (input.distinctViews === true || input.affinities === true) return 'whole';
  const { eventFormatOf } = await import('./formats/index.js');
  const heads = [];
  for (const path of input.files) {
    // What is wrong with a file is for the reader to say, which also reads directories.
    const head = await readHead(path).catch(() => null);
    if (head === null) return 'whole';
    heads.push(head);
  }
  if (heads.length === 0) return 'whole';
  return eventFormatOf(heads, input)?.name === 'packed' ? 'stream' : 'stretches';
}

/** Memory is bounded by a stretch, the dictionaries, the candidate sets and the distinct contexts where those are a table. */
async function convertStretches(
  { files, ...reading }: LogFiles,
  file: FileHandle,
  { keys = [], memory, onProgress, signal }: ConvertOptions,
): Promise<Conversion> {
  const { readFiles } = await import('./read.js');
  let writer: PackedWriter | null = null;
  const written = (): PackedWriter => {
    if (writer === null) throw new RangeError('nothing was begun');
    return writer;
  };
  const onRows = (fraction: number, rows: number): void =>
    onProgress?.({ phase: 'load', done: rows, total: fraction > 0 ? Math.round(rows / fraction) : null });
  const head = await readFiles(
    files,
    { ...reading, keys, signal, onProgress: onRows },
    {
      databaseMemory: memory === undefined ? undefined : memory - OWN_MEMORY,
      async begin(layout) {
        await file.truncate(0);
        writer = new PackedWriter(file, layout);
      },
      take: (stretch) => written().append(stretch),
    },
  );
  await written().finish(head);
  return describe(head, written().events);
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
  };
}

/** Bytes of files, or of what is read of a directory. */
export async function totalBytes(files: readonly string[]): Promise<number> {
  const { obdDirectory } = await import('./formats/obd-directory.js');
  const directory = await obdDirectory(files, {});
  let bytes = 0;
  for (const file of directory === null ? files : [directory.log, directory.items]) bytes += (await stat(file)).size;
  return bytes;
}
