/** A log in the order of its times. */

import { InputError } from '../../errors.js';
import { u32Column } from '../build/memory.js';
import { TimeSpan } from '../build/time-span.js';
import type { EventLog } from '../event-log.js';
import { pickEvents } from './pick.js';

/**
 * The events in the order of their times; those of one time stay in the order that they have. `sourceRow` says which rows
 * they were, so that what refers to rows of the files still does. A log that is in order is returned as it is.
 *
 * @throws InputError for a log without times.
 */
export function sortByTime(log: EventLog): EventLog {
  const { time, events, firstEvent = 0, source } = log;
  if (time === null) throw noTimes(source.files);
  if (new TimeSpan().add(log).sorted) return log;
  const order = u32Column(events);
  for (let t = 0; t < events; t++) order[t] = t;
  order.sort((a, b) => time[a] - time[b] || a - b);
  const sorted = pickEvents(log, order);
  return { ...sorted, sourceRow: sorted.sourceRow ?? order.map((t) => firstEvent + t) };
}

/** What to say where a log is to be sorted by times that it does not have. */
export function noTimes(files: readonly string[]): InputError {
  return new InputError({
    file: files.length === 0 ? undefined : files.join(', '),
    problem: 'events are sorted by their times, and the log has none',
    needed: 'a column of the time',
    hint: 'name it with --time (time in a mapping), or leave --sort-by-time out',
  });
}
