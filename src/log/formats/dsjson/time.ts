/** `Timestamp` of decision-service events. */

import type { Fault } from '../../../errors.js';
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
  // An ISO time without a zone is local to JavaScript; these are UTC.
  const text = typeof timestamp === 'string' ? timestamp.trim() : '';
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  const whole = parts === null ? Number.NaN : Date.parse(`${parts[1]}${parts[3] ?? 'Z'}`);
  if (parts !== null && Number.isFinite(whole)) return whole + Math.round(Number(parts[2] ?? 0) * 1e6) / 1e3;
  return badRow({
    problem: 'Timestamp is not a time',
    path: 'Timestamp',
    got: shown(JSON.stringify(timestamp)),
    needed: 'e.g. 2021-02-04T16:31:29.2460000Z',
  });
}
