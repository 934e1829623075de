/** What the logged arm may depend on: a factor puts each event into one of a fixed number of groups. */

import type { Archive } from '../../../archive.js';
import type { EventLog, KeyColumn } from '../../event-log.js';

/** The log as a factor must know it before its events are gone through. */
export interface FactorSpan {
  /** L */
  readonly events: number;
  /** Most groups that a factor's table has room for. */
  readonly room: number;
}

export interface Factor {
  /** For people, after "depends on": `dev`, `the hour of the day`. */
  readonly name: string;
  readonly groups: number;
  /** Four times as many events are counted in a log so large that factors go by a sample. */
  readonly often?: boolean;
  /** Which groups there are events of depends on arms, so that none of them may be left out of account. */
  readonly random?: boolean;
  /** It is about neighbouring events: repeated views and arms shown in turn depend on it, and may be balanced all the same. */
  readonly neighbours?: boolean;
  /** Groups of events [from, to) of a batch, into `out[0 ..]`; `first` is the index of event 0 of the batch. */
  groupsOf(log: EventLog, from: number, to: number, first: number, out: Uint32Array): void;
  /** A group, for people. */
  label(group: number): string;
  /** Told when a batch is done with. */
  leave?(log: EventLog): void;
  carry?(archive: Archive): void;
}

/** Blocks of the position in the log. */
const BLOCKS = 32;

/** Its many divisors show what recurs every 2, 3, 4, 5, 6, 10, 12, 15, 20, 30 events. */
const CYCLE = 60;

/** The position in the log, and what recurs along it. */
export function positionFactors({ events: total }: FactorSpan): Factor[] {
  const blocks = Math.min(BLOCKS, Math.max(1, total));
  const start = (block: number): number => Math.ceil((block * total) / blocks);
  return [
    {
      name: 'the position in the log',
      groups: blocks,
      groupsOf(_, from, to, first, out) {
        for (let t = from; t < to; t++) out[t - from] = Math.floor(((first + t) * blocks) / total);
      },
      label: (block) => `events ${(start(block) + 1).toLocaleString('en')} to ${start(block + 1).toLocaleString('en')}`,
    },
    {
      name: `the position modulo ${CYCLE}`,
      groups: CYCLE,
      neighbours: true,
      groupsOf(_, from, to, first, out) {
        for (let t = from; t < to; t++) out[t - from] = (first + t) % CYCLE;
      },
      label: (rest) => `events ${rest + 1}, ${rest + 1 + CYCLE} …`,
    },
  ];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Days that a table tells apart: those of longer logs share groups. */
const DAYS = 128;
const WEEKDAYS = ['Thursday', 'Friday', 'Saturday', 'Sunday', 'Monday', 'Tuesday', 'Wednesday'];

/** Parts of the time, in UTC. */
export function timeFactors(head: EventLog): Factor[] {
  if (head.time === null) return [];
  const cyclic = (name: string, unit: number, groups: number, label: (group: number) => string): Factor => ({
    name,
    groups,
    groupsOf({ time }, from, to, _, out) {
      for (let t = from; t < to; t++) {
        const rest = Math.floor((time as Float64Array)[t] / unit) % groups;
        out[t - from] = rest < 0 ? rest + groups : rest;
      }
    },
    label,
  });
  const two = (n: number): string => String(n).padStart(2, '0');
  return [
    cyclic('the minute of the hour (UTC)', 60_000, 60, (minute) => `minute ${two(minute)}`),
    cyclic('the hour of the day (UTC)', HOUR, 24, (hour) => `${two(hour)}:00 to ${two(hour)}:59`),
    cyclic('the weekday (UTC)', DAY, 7, (day) => WEEKDAYS[day]),
    dayFactor(cyclic('the day (UTC)', DAY, DAYS, String)),
  ];
}

/** Remembers which day a group stands for. */
function dayFactor(cyclic: Factor): Factor {
  const day = new Float64Array(DAYS).fill(Number.NaN);
  const shared = new Uint8Array(DAYS);
  return {
    ...cyclic,
    groupsOf(log, from, to, first, out) {
      cyclic.groupsOf(log, from, to, first, out);
      for (let t = from; t < to; t++) {
        const group = out[t - from];
        const number = Math.floor((log.time as Float64Array)[t] / DAY);
        if (number === day[group]) continue;
        if (Number.isNaN(day[group])) day[group] = number;
        else shared[group] = 1;
      }
    },
    label(group) {
      const time = day[group] * DAY;
      const text = Math.abs(time) <= 8.64e15 ? new Date(time).toISOString().slice(0, 10) : `day ${day[group]}`;
      return shared[group] === 0 ? text : `${text} and others`;
    },
    carry(archive) {
      archive.array(day);
      archive.array(shared);
    },
  };
}

/** A column kept by value: the user, or a key. */
export function keyFactor(
  name: string,
  { levels }: KeyColumn,
  { room }: FactorSpan,
  codesOf: (log: EventLog) => Uint32Array,
  often = false,
): Factor | null {
  const groups = Math.min(levels.length, room);
  if (groups < 2) return null;
  return {
    name,
    groups,
    often,
    groupsOf(log, from, to, _, out) {
      const codes = codesOf(log);
      if (groups === levels.length) for (let t = from; t < to; t++) out[t - from] = codes[t];
      else for (let t = from; t < to; t++) out[t - from] = codes[t] % groups;
    },
    label: (group) => (group + groups < levels.length ? `${levels[group]} and others` : levels[group]),
  };
}

/** The arm logged before. */
export function previousFactor(head: EventLog, { room }: FactorSpan): Factor | null {
  const { ids } = head.arms;
  const arms = Math.min(ids.length, room - 1);
  if (arms < 2) return null;
  // Group 0 is that of the first event; this is that of the next batch's first.
  let last = 0;
  const groupAfter = (arm: number): number => (arm % arms) + 1;
  return {
    name: 'the arm logged before',
    groups: arms + 1,
    random: true,
    neighbours: true,
    groupsOf({ arm }, from, to, _, out) {
      for (let t = from; t < to; t++) out[t - from] = t === 0 ? last : groupAfter(arm[t - 1]);
    },
    label: (group) => (group === 0 ? 'none' : arms < ids.length ? `${ids[group - 1]} and others` : ids[group - 1]),
    leave({ arm, events }) {
      if (events > 0) last = groupAfter(arm[events - 1]);
    },
    carry(archive) {
      last = archive.number(last);
    },
  };
}
