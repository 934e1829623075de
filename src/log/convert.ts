/** Logs into packed logs, whose next reading is a reading of columns. */

import { type FileHandle, stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import type { BadRows, EventLog } from './event-log.js';
import { readHead } from './formats/files.js';
import { type LogFiles, openLog } from './open.js';
import { checkReplaceable, replaceFile } from './packed/replace-file.js';
import { writePacked } from './packed/write.js';
import { PackedWriter } from './packed/writer.js';
import { streamOf } from './stream-of.js';

export interface ConvertOptions {
  /** Columns to keep by value, beside those of the mapping. */
  readonly keys?: readonly string[];
  /**
   * Bytes that the process may take, about, beside dictionaries, candidate sets and distinct contexts. Only for files that
   * are read under a mapping, whose events are written while they are read.
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
 * @param log an event log, or the files to read it from.
 * @throws InputError for bad logs, and where `out` is an input or a file that is no packed log; EngineError where writing fails.
 */
export async function convert(
  log: EventLog | LogFiles,
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
  input: EventLog | LogFiles,
  file: FileHandle,
  options: ConvertOptions = {},
): Promise<Conversion> {
  const { keys = [], memory, onProgress, signal } = options;
  if ('files' in input && (await file.stat()).isFile() && (await canStream(input)))
    return convertStretches(input, file, options);
  if (memory !== undefined) {
    throw new InputError({
      problem: 'this log is converted in memory, which cannot be bounded',
      needed: 'CSV, Parquet or JSON lines with a mapping, and a file to write to',
      hint: 'leave --memory out',
    });
  }
  const log = await openLog(input, { keys, onProgress, signal });
  await writePacked(streamOf(log), file, {
    signal,
    onEvents: (done, total) => onProgress?.({ phase: 'write', done, total }),
  });
  return describe(log, log.events);
}

/** What Node, DuckDB's code and the stretch in work take. */
const OWN_MEMORY = 200e6;
/** What DuckDB needs to read at all. */
const LEAST_DATABASE_MEMORY = 100e6;

/** Options that leave a log's events independent of each other. */
const STREAMED: ReadonlySet<string> = new Set<keyof LogFiles>([
  'files',
  'format',
  'mapping',
  'arms',
  'payoffRange',
  'where',
  'skipBadRows',
  'strict',
]);

/** Whether the events of a log can be written while they are read: those of tables, which are read under a mapping. */
async function canStream(input: LogFiles): Promise<boolean> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  if (!given.every(([name]) => STREAMED.has(name))) return false;
  const { eventFormatOf } = await import('./formats/index.js');
  const heads = [];
  for (const path of input.files) {
    // What is wrong with a file is for the reader to say.
    const head = await readHead(path).catch(() => null);
    if (head === null) return false;
    heads.push(head);
  }
  return heads.length > 0 && eventFormatOf(heads, input) === null;
}

/** Memory is bounded by a stretch, the dictionaries, the candidate sets and the distinct contexts where those are a table. */
async function convertStretches(
  { files, ...reading }: LogFiles,
  file: FileHandle,
  { keys = [], memory, onProgress, signal }: ConvertOptions,
): Promise<Conversion> {
  if (memory !== undefined && memory < OWN_MEMORY + LEAST_DATABASE_MEMORY) {
    throw new InputError({
      problem: 'option memory is not usable',
      got: `${memory} bytes`,
      needed: `at least ${(OWN_MEMORY + LEAST_DATABASE_MEMORY) / 1e6} MB, of which the program itself takes ${OWN_MEMORY / 1e6}`,
    });
  }
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
