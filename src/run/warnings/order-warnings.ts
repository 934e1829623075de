/** Warnings of logs whose events are not in the order of their times, where a result depends on that order. */

import type { TimeSpan } from '../../log/build/time-span.js';
import { timeText } from '../../log/build/time-units.js';
import type { LogStream } from '../../log/stream.js';
import { plural } from '../../words.js';

/**
 * @param reasons what depends on the order of events, in words; none: nothing is said.
 * @throws what the stream throws.
 */
export async function orderWarnings(stream: LogStream, time: TimeSpan, reasons: readonly string[]): Promise<string[]> {
  if (time.sorted || reasons.length === 0) return [];
  const { inversions, inversion, furthest } = time;
  const { event, before } = inversion;
  const { files } = stream.head.source;
  const row = await rowOf(stream, event);
  const place =
    files.length === 1 ? `${files[0]}, row ${row}` : files.length === 0 ? `event ${row}` : `row ${row} of all files`;
  const events = `${plural(inversions, 'event')} ${inversions === 1 ? 'is' : 'are'}`;
  return [
    `the log is not in the order of its times, on which ${listed(reasons)} depend: ${events} before the one that they follow, by up to ${duration(furthest)}; the first is ${place}: ${timeText(inversion.time)} after ${timeText(before)}; give the files in order, or sort with --sort-by-time (in code: sortByTime)`,
  ];
}

/** Row of an event over all files. */
export async function rowOf(stream: LogStream, event: number): Promise<number> {
  const { firstEvent = 0, sourceRow } = stream.head;
  if (sourceRow === null) return firstEvent + event;
  return (await stream.read(event, event + 1)).sourceRow?.[0] ?? event;
}

function listed(reasons: readonly string[]): string {
  return reasons.length === 1 ? reasons[0] : `${reasons.slice(0, -1).join(', ')} and ${reasons[reasons.length - 1]}`;
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
] as const;

function duration(milliseconds: number): string {
  const [name, size] = UNITS.find(([, size]) => milliseconds >= 2 * size) ?? (['ms', 1] as const);
  return `${Number((milliseconds / size).toFixed(1))} ${name}`;
}
