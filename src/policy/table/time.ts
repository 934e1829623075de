/** Periods and times as specs write them. Times are milliseconds since 1970-01-01 UTC. */

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds of "5m", "1.5h", "1d", "300000" or 300000; `null` where that is not a positive whole number. */
export function parsePeriod(value: string | number): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(String(value).trim());
  const unit = UNITS[match?.[2] || 'ms'];
  if (match === null || unit === undefined) return null;
  const milliseconds = Number(match[1]) * unit;
  return Number.isSafeInteger(milliseconds) && milliseconds > 0 ? milliseconds : null;
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,3})?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Milliseconds of an ISO 8601 date or time; `null` where it is none. Without a zone it is UTC, as a log's times are,
 * and not local time, as in `Date.parse`.
 */
export function parseTime(text: string): number | null {
  const match = TIME.exec(text.trim());
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const utc = Date.UTC(year, month - 1, day, hour, minute, second);
  // `Date` carries 30 February over into March; such a day is a mistake.
  const same = new Date(utc).toISOString().slice(0, 19);
  const given = `${match[1]}-${match[2]}-${match[3]}T${match[4] ?? '00'}:${match[5] ?? '00'}:${match[6] ?? '00'}`;
  if (same !== given) return null;
  return utc + Math.round(Number(match[7] ?? 0) * 1000) - zoneMinutes(match[8]) * 60_000;
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return zone.startsWith('-') ? -minutes : minutes;
}

/** Number of the period that holds a time, exact at the borders: a period holds its start and not its end. */
export function periodOf(time: number, origin: number, period: number): number {
  const passed = time - origin;
  const n = Math.floor(passed / period);
  // The quotient of a time a hair before a border may round up to it.
  return n * period > passed ? n - 1 : n;
}
