/** A mapping guessed from the names and values of columns: for a person to check, never used unasked. */

import { millisecondsOf, plausibleUnits, type TimeUnit, timeText } from '../../../log/build/time-units.js';
import type { Mapping } from '../../../log/mapping.js';
import { plural } from '../../../words.js';
import type { ColumnProfile } from './column.js';

/** The guess, and what stands behind it. */
export interface Proposal {
  /** Ready to be a mapping file; `null` where no column looks like the arm or like the payoff. */
  readonly mapping: Mapping | null;
  /** Whole sentences: what each part was guessed from, what was left out and why, what is to be checked. */
  readonly remarks: string[];
}

/** One-hot columns of more levels than this are rather left to a person. */
const MOST_LEVELS = 50;

type Role = 'arm' | 'payoff' | 'propensity' | 'candidates' | 'time' | 'user' | 'eventId';

/** Names that columns of a role go by, the surer first, and what their values must be. */
const ROLES: readonly { role: Role; name: RegExp; fits: (column: ColumnProfile, rows: number) => boolean }[] = [
  {
    role: 'payoff',
    name: /^(reward|payoff|click(s|ed)?|conver(sion|ted)|purchase[ds]?|bought|revenue|sale|label|y|r)$/i,
    fits: ({ kind }) => kind === 'integer' || kind === 'number',
  },
  {
    role: 'propensity',
    name: /^(p|prop|propensit(y|ies)|propensity_score|pscore|prob(ability)?|action_prob(ability)?|logging_prob(ability)?)$/i,
    fits: ({ kind, low, high }) =>
      (kind === 'integer' || kind === 'number') && low !== null && high !== null && low > 0 && high <= 1,
  },
  {
    role: 'candidates',
    name: /^(cands?|candidates?|pool|slate|available|eligible|actions|arms|items|choices)$/i,
    fits: ({ kind, examples }) => kind === 'list' || examples.some((text) => text.includes('|')),
  },
  {
    role: 'arm',
    name: /^(arm|action|treatment|variant|banner|article|item|creative|product|offer|price|choice|shown|displayed)(_?id|_?index)?$/i,
    fits: ({ distinct, kind }, rows) =>
      kind !== 'list' && kind !== 'time' && distinct > 1 && distinct <= Math.max(2, rows / 2),
  },
  {
    role: 'time',
    name: /^(time(stamp)?|ts|date(time)?|event_time|created(_at)?|logged_at|day)$/i,
    fits: ({ kind }) => kind === 'time' || kind === 'integer' || kind === 'number',
  },
  {
    role: 'user',
    name: /^(user|user_?id|uid|visitor(_?id)?|customer(_?id)?|session(_?id)?|cookie)$/i,
    fits: () => true,
  },
  {
    role: 'eventId',
    name: /^((event|impression|request|decision|interaction|log|record|message)[ _-]?)?(id|uuid|guid)$/i,
    // Retries and copies are what it is for; beyond 10,000 the number of distinct values is an estimate.
    fits: ({ distinct, missing, kind }, rows) =>
      (kind === 'integer' || kind === 'text') && missing === 0 && distinct >= 0.9 * rows,
  },
];

/** @param rows of the files. */
export function propose(columns: readonly ColumnProfile[], rows: number): Proposal {
  const taken = new Map<Role, ColumnProfile>();
  const remarks: string[] = [];
  for (const { role, name, fits } of ROLES) {
    const fitting = columns.filter(
      (column) => ![...taken.values()].includes(column) && name.test(column.name) && fits(column, rows),
    );
    if (fitting.length === 0) continue;
    taken.set(role, fitting[0]);
    if (fitting.length > 1)
      remarks.push(
        `${role} may also be ${fitting
          .slice(1)
          .map(({ name }) => JSON.stringify(name))
          .join(' or ')}.`,
      );
  }
  const context = contextOf(
    columns.filter((column) => ![...taken.values()].includes(column)),
    rows,
    remarks,
  );
  const [arm, payoff, time] = [taken.get('arm'), taken.get('payoff'), taken.get('time')];
  for (const [role, column] of [
    ['arm', arm],
    ['payoff', payoff],
  ] as const)
    if (column === undefined) remarks.push(`No column looks like the ${role}: name it with --${role} COLUMN.`);
  const unit = time === undefined || time.kind === 'time' ? null : unitOf(time, remarks);
  const id = taken.get('eventId');
  if (id !== undefined)
    remarks.push(
      `${JSON.stringify(id.name)} is taken for the id of an event: events that have one again are told of, and left out with --drop-repeated-events.`,
    );
  if (payoff !== undefined && payoff.missing > 0)
    remarks.push(
      `The payoff is missing in ${plural(payoff.missing, 'row')}, which is an error unless --missing-payoff says what that counts as, or --skip-bad-rows drops them.`,
    );
  if (arm === undefined || payoff === undefined) return { mapping: null, remarks };
  const named = (role: Role) => {
    const column = taken.get(role);
    return column === undefined ? {} : { [role]: column.name };
  };
  const mapping: Mapping = {
    arm: arm.name,
    payoff: payoff.name,
    ...named('propensity'),
    ...context,
    ...named('candidates'),
    ...(time === undefined ? {} : { time: unit === null ? time.name : { column: time.name, unit } }),
    ...named('user'),
    ...named('eventId'),
  };
  return { mapping, remarks };
}

/** The one unit in which numbers are times that a log may have. `null`: it needs no naming, or nobody knows it. */
function unitOf({ name, low, high }: ColumnProfile, remarks: string[]): TimeUnit | null {
  const units =
    low === null || high === null ? [] : plausibleUnits(low).filter((unit) => plausibleUnits(high).includes(unit));
  const [unit] = units;
  if (low === null || high === null || units.length !== 1) {
    remarks.push(`${JSON.stringify(name)} holds numbers: say their unit with --time-unit.`);
    return null;
  }
  const [first, last] = [low, high].map((value) => timeText(millisecondsOf(value, unit)));
  remarks.push(`${JSON.stringify(name)} holds numbers, taken for a time in ${unit}: from ${first} to ${last}.`);
  return unit === 'ms' ? null : unit;
}

/** Numbers and columns of few levels; what is left out is said. */
function contextOf(
  columns: readonly ColumnProfile[],
  rows: number,
  remarks: string[],
): Pick<Mapping, 'context' | 'intercept'> {
  const numeric: string[] = [];
  const onehot: string[] = [];
  for (const { name, kind, distinct, missing } of columns) {
    const quoted = JSON.stringify(name);
    if (kind === 'empty' || distinct <= 1) remarks.push(`${quoted} is left out: it never differs.`);
    else if (missing > 0) {
      const isNumber = kind === 'integer' || kind === 'number';
      const how = isNumber
        ? `--impute ${JSON.stringify(`${name}=mean`)} fills them in`
        : '--missing-level takes them for a level';
      remarks.push(
        `${quoted} is left out: ${plural(missing, 'value')} ${missing === 1 ? 'is' : 'are'} missing (${how}).`,
      );
    } else if (kind === 'integer' && distinct === rows)
      remarks.push(`${quoted} is left out: it differs in every row, as a number of rows does.`);
    else if (kind === 'integer' || kind === 'number') numeric.push(name);
    else if (kind === 'text' && distinct <= MOST_LEVELS) onehot.push(name);
    else remarks.push(`${quoted} is left out: ${kind === 'text' ? `${distinct} different texts` : `a ${kind}`}.`);
  }
  if (numeric.length + onehot.length === 0) return {};
  if (numeric.length > 0)
    remarks.push(
      'Every number is taken for a feature that was known before the decision; leave out what came after it, and codes that are no quantities.',
    );
  return {
    context: {
      ...(onehot.length > 0 ? { onehot } : {}),
      ...(numeric.length > 0 ? { numeric } : {}),
    },
    intercept: true,
  };
}
