/** What the parts of a log are, for logs that name them themselves, and how a log was read. */

import type { EventLog } from './event-log.js';
import type { ColumnRole, ColumnUse, ReadingRecord } from './inputs.js';
import type { ReadOptions } from './read-options.js';

/** Parts of an event, as formats without columns call them. */
const PARTS: Readonly<
  Record<string, Partial<Record<'arm' | 'payoff' | 'propensity' | 'candidates' | 'time' | 'user', string>>>
> = {
  dsjson: {
    arm: '_labelIndex',
    payoff: '_label_cost',
    propensity: '_label_probability',
    candidates: 'a',
    time: 'Timestamp',
  },
  'vw-cb': { arm: 'label: action', payoff: 'label: cost', propensity: 'label: probability' },
  'vw-adf': {
    arm: 'line of the label',
    payoff: 'label: cost',
    propensity: 'label: probability',
    candidates: 'lines of actions',
  },
  r6a: { arm: 'displayed article', payoff: 'click', candidates: 'pool of articles', time: 'timestamp' },
  r6b: { arm: 'displayed article', payoff: 'click', candidates: 'pool of articles', time: 'timestamp' },
};

/** The columns of a log that says of none where it came from: its parts, under the names of its format. */
export function partsOf(log: EventLog): ColumnUse[] {
  const { contexts, pools, propensity, time, user, keys, armFeatures, source } = log;
  const names = { ...PARTS[source.format], ...source.columns };
  const use = (name: string, role: ColumnRole): ColumnUse => ({ name, roles: [role] });
  return [
    use(names.arm ?? 'arm', 'arm'),
    use(names.payoff ?? 'payoff', 'payoff'),
    ...(propensity === null ? [] : [use(names.propensity ?? 'propensity', 'propensity')]),
    ...(pools.allArms === null || pools.count > 1 ? [use(names.candidates ?? 'candidates', 'candidates')] : []),
    ...(time === null ? [] : [use(names.time ?? 'time', 'time')]),
    ...(user === null ? [] : [use(names.user ?? 'user', 'user')]),
    ...(source.format === 'dsjson' ? [use('EventId', 'event id')] : []),
    ...contexts.columns.map((name) => use(name, 'context')),
    ...[...keys.keys()].map((name) => use(name, 'key')),
    ...(armFeatures?.columns ?? []).map((name) => use(name, 'arm feature')),
  ];
}

/** Options that a result tells elsewhere, or that are no matter of the log's content. */
const ELSEWHERE: readonly (keyof ReadOptions)[] = [
  'mapping',
  'keys',
  'where',
  'format',
  'distinctViews',
  'onProgress',
  'signal',
];
/** Those that are in the mapping as it was used. */
const IN_MAPPING: readonly (keyof ReadOptions)[] = ['arms', 'payoffRange', 'missingPayoff', 'missingLevel', 'impute'];

/** Options as they were given. */
export function readingRecord(options: ReadOptions, isMapped: boolean): ReadingRecord {
  const told: ReadonlySet<string> = new Set([...ELSEWHERE, ...(isMapped ? IN_MAPPING : [])]);
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => !told.has(name) && value !== undefined && value !== false),
  );
}
