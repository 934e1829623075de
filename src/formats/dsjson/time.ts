/** `Timestamp` of decision-service events. */

import type { Fault } from '../../errors.js';
import { isoTime } from '../../log/build/time-units.js';
import { badRow, shown } from '../decisions/rows.js';
import type { JsonObject } from './json.js';

export const MIXED_TIMES: Fault = {
  problem: 'some events have a Timestamp and some have none, so the log has no times',
  needed: 'a Timestamp in all events, or in none',
};

export function hasTimestamp({ Timestamp }: JsonObject): boolean {
  return Timestamp !== undefined && Timestamp !== null;
}

/** Milliseconds since 1970; `null` where there is none. @throws RowFault */
export function timeOf(timestamp: unknown): number | null {
  if (timestamp === undefined || timestamp === null) return null;
  const time = typeof timestamp === 'string' ? isoTime(timestamp) : Number.NaN;
  if (Number.isFinite(time)) return time;
  return badRow({
    problem: 'Timestamp is not a time',
    path: 'Timestamp',
    got: shown(JSON.stringify(timestamp)),
    needed: 'a time that there is, e.g. 2021-02-04T16:31:29.2460000Z',
  });
}
