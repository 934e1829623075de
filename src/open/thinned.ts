/** A log that is opened and, where that is asked for, thinned: what `evaluate` and `replay` go through. */

import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import type { LogStream } from '../log/stream.js';
import { streamOf } from '../log/stream-of.js';
import { distinctStream, distinctViews, noUsers } from '../log/views/distinct-views.js';
import { checkLeast, noPropensities, type ThinOptions, thinLog, thinStream } from '../log/views/thin.js';
import { type LogFiles, openStream, type StreamOptions } from './open.js';

export interface ThinningOptions extends ThinOptions {
  thin?: boolean;
}

/** @param bounds κ is asked for by an interval. @throws InputError for options of a thinning that is not asked for, or that there cannot be. */
export function checkThinning({ thin, leastPropensity, thinSeed }: ThinningOptions, bounds = false): void {
  checkLeast(leastPropensity);
  if (thin === true) return;
  const [unfit] = Object.entries({ leastPropensity: bounds ? undefined : leastPropensity, thinSeed }).filter(
    ([, value]) => value !== undefined,
  );
  if (unfit === undefined) return;
  throw new InputError({
    problem: `option ${unfit[0]} belongs to --thin (in code: thin)`,
    got: 'no thinning',
    needed: 'both, or neither',
  });
}

/**
 * The log as a stream, as of `openStream`. Repeated views are made one after the thinning: before, likely arms would come in longer
 * runs than others, so that the propensity of an event would not be that of a run.
 *
 * @returns the stream; and `given`, the one whose content names the log in results: that of files says so itself.
 * @throws InputError as `openStream`, `thinLog` and `distinctViews`.
 */
export async function openThinned(
  log: EventLog | LogFiles | LogStream,
  options: StreamOptions & ThinningOptions,
): Promise<{ readonly stream: LogStream; readonly given: LogStream }> {
  if (options.thin !== true) {
    const stream = await openStream(log, options);
    return { stream, given: stream };
  }
  const read = typeof log === 'object' && log !== null && 'files' in log && Array.isArray(log.files) ? log : null;
  const views = read?.distinctViews === true;
  if (read?.mapping !== undefined) {
    // Not after a long reading.
    const { propensity, user } = read.mapping;
    if (propensity === undefined) throw noPropensities(read.files);
    if (views && user === undefined) throw noUsers(read.files);
  }
  const opened = await openStream(read === null ? log : { ...read, distinctViews: undefined }, options);
  try {
    const stream = await thinned(opened, options, views);
    return { stream, given: read === null ? opened : stream };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** @param views repeated ones are to count as one. */
async function thinned(
  opened: LogStream,
  { batches, leastPropensity, thinSeed, signal }: StreamOptions & ThinOptions,
  views: boolean,
): Promise<LogStream> {
  const how = { leastPropensity, thinSeed };
  if (batches) {
    const stream = await thinStream(opened, how, signal);
    return views ? distinctStream(stream, signal) : stream;
  }
  const log = thinLog(await opened.read(0, opened.events, signal), how);
  return streamOf(views ? distinctViews(log) : log);
}
