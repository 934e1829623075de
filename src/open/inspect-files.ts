/** `inspect()`: a description of a log, or of the one that files hold. */

import type { EventLog } from '../log/event-log.js';
import { distinctViews, noUsers } from '../log/views/distinct-views.js';
import { checkOptions } from '../options/check-options.js';
import { type Inspection, inspectLog } from './inspect.js';
import { type LogFiles, OPEN_OPTIONS, type OpenOptions, openLog } from './open.js';

/**
 * Describes a log: arms, payoffs, candidates, columns of the context, and whether its decisions look uniformly random.
 *
 * @param log an event log (of `openLog`, `logFromColumns`), or the files to read it from. Files with `distinctViews` are
 *   described with the effect on the rates.
 * @throws InputError for bad logs and options.
 */
export async function inspect(log: EventLog | LogFiles, options: OpenOptions = {}): Promise<Inspection> {
  checkOptions(options, OPEN_OPTIONS, 'options');
  if (!('files' in log) || log.distinctViews !== true) return inspectLog(await openLog(log, options));
  if (log.mapping !== undefined && log.mapping.user === undefined) throw noUsers(log.files);
  const before = await openLog({ ...log, distinctViews: undefined }, options);
  return inspectLog(distinctViews(before), before);
}
