/** `inspect()`: a description of a log, or of the one that files hold. */

import { checkOptions, type OptionShape, option } from './check-options.js';
import { distinctViews, noUsers } from './distinct-views.js';
import type { EventLog } from './event-log.js';
import { type Inspection, inspectLog } from './inspect.js';
import { type LogFiles, type OpenOptions, openLog } from './open.js';

const INSPECT_OPTIONS: OptionShape<OpenOptions> = {
  keys: option.names,
  onProgress: option.call,
  signal: option.signal,
};

/**
 * Describes a log: arms, payoffs, candidates, columns of the context, and whether its decisions look uniformly random.
 *
 * @param log an event log (of `openLog`, `logFromColumns`), or the files to read it from. Files with `distinctViews` are
 *   described with the effect on the rates.
 * @throws InputError for bad logs and options.
 */
export async function inspect(log: EventLog | LogFiles, options: OpenOptions = {}): Promise<Inspection> {
  checkOptions(options, INSPECT_OPTIONS, 'options');
  if (!('files' in log) || log.distinctViews !== true) return inspectLog(await openLog(log, options));
  if (log.mapping !== undefined && log.mapping.user === undefined) throw noUsers(log.files);
  const before = await openLog({ ...log, distinctViews: undefined }, options);
  return inspectLog(distinctViews(before), before);
}
