/** Packed logs as what `readLog` returns. */

import { filesText, InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import type { ReadOptions } from '../../log/read-options.js';
import type { LogStream } from '../../log/stream.js';
import { listNames, nearestName } from '../../names/order.js';
import { openMerged } from '../../packed/merged.js';
import { openPacked, type PackedStream } from '../../packed/read.js';
import { filteredStream } from './filtered.js';

/**
 * Reads packed logs into memory; several are one log, in the given order. What could be said about a log's columns was said when it was converted, so that only
 * the filter, keys, progress and the signal of the options have a meaning here.
 *
 * @throws InputError for options that ask for more than the file holds, and for damaged files.
 */
export async function readPacked(files: readonly string[], options: ReadOptions = {}): Promise<EventLog> {
  const stream = await openPackedFiles(files, options);
  try {
    const { events } = stream;
    const log =
      'readBatch' in stream
        ? await stream.readBatch(0, events, {
            signal: options.signal,
            onEvents: (done) => options.onProgress?.(done / events, done),
          })
        : await stream.read(0, events, options.signal);
    const { firstEvent, ...whole } = log;
    return stream.head.firstEvent === undefined ? whole : log;
  } finally {
    await stream.close();
  }
}

/**
 * Opens packed logs for reading in batches; several are one log, in the given order.
 *
 * @throws InputError as `readPacked`.
 */
export async function openPackedFiles(
  files: readonly string[],
  options: ReadOptions = {},
): Promise<PackedStream | LogStream> {
  refuseOptions(files, options);
  const stream = await (files.length === 1 ? openPacked(files[0], options) : openMerged(files, options));
  try {
    checkKeys(filesText(files), stream.head, options.keys ?? []);
    if (files.length > 1) checkViews(files, stream.head, options);
    const { where = '', signal } = options;
    return where.trim() === '' ? stream : await filteredStream(stream, where, filesText(files), signal);
  } catch (error) {
    await stream.close();
    throw error;
  }
}

/** @throws InputError where repeated views count as one within files, but not from one file to the next. */
function checkViews(files: readonly string[], { source }: EventLog, { distinctViews }: ReadOptions): void {
  if (source.distinctViews === undefined || distinctViews === true) return;
  throw new InputError({
    file: filesText(files),
    problem: 'repeated views count as one in these packed logs, but not from one file to the next',
    needed: 'one count over all files',
    hint: 'give --distinct-views here too, which reads the log whole, or convert the original files together',
  });
}

/** @throws InputError for options that change what a log holds: a packed log is as it was converted. */
export function refuseOptions([file]: readonly string[], options: ReadOptions): void {
  const given = (
    ['mapping', 'arms', 'payoffRange', 'affinities', 'missingPayoff', 'missingLevel', 'impute'] as const
  ).find((name) => options[name] !== undefined && options[name] !== false);
  if (given === undefined) return;
  const what = {
    mapping: 'a mapping',
    arms: 'a list of arms',
    payoffRange: 'a range of payoffs',
    affinities: 'affinities',
    missingPayoff: 'a payoff for missing ones',
    missingLevel: 'a level for missing values',
    impute: 'values for missing ones',
  }[given];
  throw new InputError({
    file,
    problem: `a packed log is read as it is, without ${what}`,
    needed: 'no such option',
    hint: `give it when the original log is converted, or with a mapping of the file's columns and --log-format parquet`,
  });
}

/** @throws InputError for a column that a policy looks up and that the log does not keep. */
export function checkKeys(file: string, { keys }: EventLog, wanted: readonly string[]): void {
  const missing = wanted.find((name) => !keys.has(name));
  if (missing === undefined) return;
  const names = [...keys.keys()];
  const near = nearestName(missing, names);
  throw new InputError({
    file,
    problem: `the packed log has no column ${JSON.stringify(missing)}, which a policy or learner looks up`,
    needed: names.length === 0 ? 'keys, which this log was converted without' : `one of ${listNames(names)}`,
    hint:
      near === null
        ? `convert the original log again with --keys ${missing}, or with "keys" in its mapping`
        : `did you mean ${JSON.stringify(near)}?`,
  });
}
