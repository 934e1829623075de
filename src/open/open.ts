/** A log, or the files it is to be read from: what `evaluate` and `replay` take. */

import { z } from 'zod';
import { InputError } from '../errors.js';
import { ENCODINGS, type Encoding } from '../files/encodings.js';
import type { FormatName } from '../formats/index.js';
import { IMPUTE, type Impute } from '../log/build/missing.js';
import type { EventLog, PayoffFromCost } from '../log/event-log.js';
import type { Mapping } from '../log/mapping.js';
import type { ReadOptions } from '../log/read-options.js';
import type { LogStream } from '../log/stream.js';
import { streamOf } from '../log/stream-of.js';
import { checkOptions, type OptionShape, option } from '../options/check-options.js';
import { recordOf } from '../options/record-of.js';

/** A log still to be read from files (Node only). */
export interface LogFiles {
  /** CSV, Parquet or JSON lines; several are one log, in the given order. Or one directory of the Open Bandit Dataset. */
  files: readonly string[];
  /** Reader or preset; default: by ending and content. */
  format?: FormatName;
  /** Which columns mean what; not needed for presets. */
  mapping?: Mapping;
  /** Every arm, in the order of their indices; overrides the mapping's. */
  arms?: readonly (string | number)[];
  /** Declared range of payoffs; overrides the mapping's. */
  payoffRange?: readonly [number, number];
  /** SQL filter over the files' columns. */
  where?: string;
  /** Columns with a role (payoff, arm, propensity, candidates, time, user) that may be contexts or keys too; results warn of it. */
  allowLeak?: readonly string[];
  /** What a missing payoff counts as; results warn of it. Default: it is an error. */
  missingPayoff?: number;
  /** Missing values of one-hot columns and keys are a level of their own, `(missing)`. Default: they are errors. */
  missingLevel?: boolean;
  /**
   * What missing numbers of the context are filled in with, by column (`*` for any text): the mean of the others, in the rows that are
   * read, or 0. Beside those of the mapping. Default: they are errors.
   */
  impute?: Readonly<Record<string, Impute>>;
  /** Drop and count bad rows instead of failing at the first. */
  skipBadRows?: boolean;
  /** Bytes of the longest line of a text file (record, where one spans lines); default: 64 MB, of R6A and R6B 1 MiB. */
  maxLine?: number;
  /** CSV, JSON lines: how characters are bytes; `utf-16` goes by its byte order mark. Default: `utf-8`. */
  encoding?: Encoding;
  /** CSV, JSON lines: what stands before the decimals of numbers in text; default `.`. With `,` a number with a dot is none. */
  decimalSeparator?: '.' | ',';
  /** Fail at the first deviation from a format's grammar, forgiven ones too. */
  strict?: boolean;
  /** A directory of the Open Bandit Dataset: user-item affinities are a further arm feature, which differs by event. */
  affinities?: boolean;
  /** Sort events by time before anything that depends on their order; those of one time stay in the order of the files. */
  sortByTime?: boolean;
  /** Leave out events whose id (`eventId` of a mapping, EventId of `dsjson`) was there before; they are counted. Default: they count again, with a warning. */
  dropRepeatedEvents?: boolean;
  /** Count consecutive events of one user with the same arm as one, of the largest payoff; needs a user column. */
  distinctViews?: boolean;
  /** `vw`, `dsjson`: features that become columns, `*` for any text; default: all. */
  features?: readonly string[];
  /** `vw`, `dsjson`: most columns of contexts, or of actions; default: 1,000. */
  featureLimit?: number;
  /** `vw`, `dsjson`: what names an action's arm, `tag` or a feature with one `*`; default: its position, from 1. */
  armId?: string;
  /** `vw`, `dsjson`: how a cost becomes a payoff; default: payoff = −cost. */
  payoffFromCost?: PayoffFromCost;
}

/** Every option of a log's files; an option is added to `LogFiles` and here. */
const LOG_FILES: OptionShape<LogFiles> = {
  files: z.array(z.string(), { error: 'a list of file names' }),
  format: option.text,
  mapping: option.elsewhere,
  arms: z.array(z.union([z.string(), z.number()]), { error: 'a list of arm ids' }),
  payoffRange: z.tuple([z.number(), z.number()], { error: 'two numbers, the lowest and the highest payoff' }),
  where: option.text,
  allowLeak: option.names,
  missingPayoff: option.number,
  missingLevel: option.flag,
  impute: recordOf(z.enum(IMPUTE, { error: 'mean or zero' })),
  skipBadRows: option.flag,
  maxLine: option.whole(1),
  encoding: option.oneOf(...ENCODINGS),
  decimalSeparator: option.oneOf('.', ','),
  strict: option.flag,
  affinities: option.flag,
  distinctViews: option.flag,
  sortByTime: option.flag,
  dropRepeatedEvents: option.flag,
  features: option.names,
  featureLimit: option.whole(0),
  armId: option.text,
  payoffFromCost: z.strictObject(
    { scale: z.number(), offset: z.number() },
    { error: '{ scale, offset }, two numbers' },
  ),
};

/** @throws InputError for an option that there is not, or whose value is of the wrong type. */
export function checkLogFiles(log: LogFiles): void {
  checkOptions(log, LOG_FILES, 'log');
}

/** How a log is loaded. */
export interface OpenOptions {
  /**
   * Columns to keep by value, beside those of the mapping: those that policies and learners will look up. They are known only
   * where these are; a policy that looks up another says so.
   */
  keys?: readonly string[];
  /** Told after every batch of rows. */
  onProgress?: (progress: { phase: 'load'; done: number; total: number | null }) => void;
  /** Ends the run where it is aborted: the promise rejects with the reason of the signal. */
  signal?: AbortSignal;
}

export const OPEN_OPTIONS: OptionShape<OpenOptions> = {
  keys: option.names,
  onProgress: option.call,
  signal: option.signal,
};

export interface StreamOptions extends OpenOptions {
  /** Bound on the memory that a log may take, in bytes; `null`: none. */
  memory: number | null;
  /** The log is to be gone through in batches; else it is read into memory once. */
  batches: boolean;
}

/**
 * Reads the log that files hold, once for any number of calls of `evaluate`, `replay` and `inspect`; a log is returned as it is.
 *
 * @throws InputError for anything else; the signal's reason where it is aborted already.
 */
export async function openLog(log: EventLog | LogFiles, options: OpenOptions = {}): Promise<EventLog> {
  checkOptions(options, OPEN_OPTIONS, 'options');
  return loadLog(log, options);
}

async function loadLog(log: EventLog | LogFiles, options: OpenOptions): Promise<EventLog> {
  options.signal?.throwIfAborted();
  checkForm(log);
  if ('events' in log) return log;
  checkLogFiles(log);
  const { readLog } = await import('../formats/table/read/read.js');
  return readLog(log.files, readOptions(log, options));
}

/**
 * The log as a stream. One in memory, or read from files that have to be read whole, is a stream of its own columns.
 *
 * @throws InputError as `openLog`; where files have to be read whole and do not fit the memory.
 */
export async function openStream(log: EventLog | LogFiles | LogStream, options: StreamOptions): Promise<LogStream> {
  const { memory, batches, signal } = options;
  signal?.throwIfAborted();
  if (isStream(log)) return batches ? borrowed(log) : streamOf(await log.read(0, log.events, signal));
  if (!batches) return streamOf(await loadLog(log, options));
  checkForm(log);
  if ('events' in log) return streamOf(log);
  checkLogFiles(log);
  const { readStream } = await import('./read-stream.js');
  return readStream(log.files, readOptions(log, options), memory);
}

function readOptions({ files: _, ...reading }: LogFiles, { keys = [], onProgress, signal }: OpenOptions): ReadOptions {
  return {
    ...reading,
    keys,
    signal,
    onProgress: (fraction, rows) =>
      onProgress?.({ phase: 'load', done: rows, total: fraction > 0 ? Math.round(rows / fraction) : null }),
  };
}

/** The caller's stream, which stays open. */
function borrowed(log: LogStream): LogStream {
  const { head, events, bytesPerEvent, identity } = log;
  return { head, events, bytesPerEvent, identity, read: (...batch) => log.read(...batch), close: async () => {} };
}

function isStream(log: unknown): log is LogStream {
  return typeof log === 'object' && log !== null && 'head' in log && 'read' in log;
}

/** Callers without types often pass a path. */
function checkForm(log: unknown): void {
  const isObject = typeof log === 'object' && log !== null;
  if (isObject && ('events' in log || ('files' in log && Array.isArray(log.files)))) return;
  throw new InputError({
    path: isObject && 'files' in log ? 'log.files' : 'log',
    problem: 'neither an event log nor the files of one',
    got: typeof log === 'string' ? JSON.stringify(log) : isObject ? Object.keys(log).join(', ') : String(log),
    needed: '{ files: ["log.csv"], mapping: { arm: "action", payoff: "click" } }, or what logFromColumns returns',
  });
}
