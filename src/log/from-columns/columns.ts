/** `logFromColumns`: an event log from arrays, checked value by value. */

import { atPlace, InputError } from '../../errors.js';
import { checkOptions, type OptionShape, option } from '../../options/check-options.js';
import { armDictionary, idText } from '../build/arms.js';
import { keyColumn } from '../build/keys.js';
import { f64Column, u32Column } from '../build/memory.js';
import { PayoffPacker } from '../build/payoff.js';
import { checkedRange, outsideRange, propensityFault, propensityIsBad } from '../build/rules.js';
import {
  ImplausibleTimes,
  isoTime,
  isPlausible,
  millisecondsOf,
  type TimeUnit,
  UNCLEAR_UNIT,
  unclearUnit,
} from '../build/time-units.js';
import { sourceWarnings } from '../checks/dropped-warnings.js';
import { alikeWarnings } from '../checks/look-alikes.js';
import type { ArmDictionary, EventLog, KeyColumn } from '../event-log.js';
import { candidateColumn } from './column-candidates.js';
import {
  type CandidateFeatures,
  type Candidates,
  checkedId,
  checkLength,
  fail,
  type Id,
  type Matrix,
  unknownArm,
} from './column-checks.js';
import { armFeatureTable, contextTable } from './column-matrix.js';
import { versionColumns } from './column-versions.js';

export type { CandidateFeatures, Candidates, Id, Matrix } from './column-checks.js';

/** The columns of a log, each of length L. */
export interface LogColumns {
  /** Logged arm of each event, as an id. Give this or `armIndex`. */
  readonly arm?: ArrayLike<Id>;
  /** Logged arm of each event, as an index into `arms`, or 0 .. K−1 where `arms` is the number K. */
  readonly armIndex?: ArrayLike<number>;
  /** Every arm in the order of their indices. Needed with `armIndex` (there also the number K, for ids 0 .. K−1). */
  readonly arms?: readonly Id[] | number;
  /** Payoff of each event, length L: finite numbers. */
  readonly payoff: ArrayLike<number>;
  /** Declared [low, high] of payoffs; any payoff outside is an error. */
  readonly payoffRange?: readonly [number, number];
  /** Context of each event, [L, d]. */
  readonly context?: Matrix;
  /** Default: every arm at every event. */
  readonly candidates?: Candidates;
  /** Probability with which the logged arm was chosen, in (0, 1]. */
  readonly propensity?: ArrayLike<number>;
  /** Milliseconds since 1970-01-01 UTC, of the years 1990 to 2099, a Date, or ISO 8601 text (UTC where it names no zone). */
  readonly time?: ArrayLike<number | Date | string>;
  /** Unit of numbers in `time`; with one, `ms` too, any time is taken, and warned of outside those years. */
  readonly timeUnit?: TimeUnit;
  /** User of each event, length L. */
  readonly user?: ArrayLike<Id>;
  /** Further columns kept by value, by name. */
  readonly keys?: Readonly<Record<string, ArrayLike<Id>>>;
  /** A row of features per arm, in the order of the arms. */
  readonly armFeatures?: Matrix;
  /**
   * Features of each candidate as it is shown, nested as `candidates` is, where an arm's features change: give this or
   * `armFeatures`. The same arms with other features are another candidate set.
   */
  readonly candidateFeatures?: CandidateFeatures;
}

/** Values are checked one by one. */
const LOG_COLUMNS: OptionShape<LogColumns> = {
  arm: option.elsewhere,
  armIndex: option.elsewhere,
  arms: option.elsewhere,
  payoff: option.elsewhere,
  payoffRange: option.elsewhere,
  context: option.elsewhere,
  candidates: option.elsewhere,
  propensity: option.elsewhere,
  time: option.elsewhere,
  timeUnit: option.elsewhere,
  user: option.elsewhere,
  keys: option.elsewhere,
  armFeatures: option.elsewhere,
  candidateFeatures: option.elsewhere,
};

const matrix = { values: option.elsewhere, dimension: option.elsewhere, columns: option.names };

/** Keys of columns that may be objects. */
const PARTS = {
  context: matrix,
  armFeatures: matrix,
  candidates: { pools: option.elsewhere, pool: option.elsewhere },
  candidateFeatures: { rows: option.elsewhere, columns: option.names },
} as const;

/**
 * Builds an event log from arrays. Nothing is copied by reference: the log holds packed columns of its own.
 *
 * @throws InputError with the row and column of the first bad value.
 */
export function logFromColumns(columns: LogColumns): EventLog {
  checkOptions(columns, LOG_COLUMNS);
  for (const name of ['context', 'armFeatures', 'candidates', 'candidateFeatures'] as const) {
    const part = columns[name];
    // What has none of the keys is told of as what it is not: rows.
    const isPart = typeof part === 'object' && part !== null && Object.keys(PARTS[name]).some((key) => key in part);
    if (isPart && !('length' in part)) checkOptions<object>(part, PARTS[name], name);
  }
  const events = columns.payoff.length;
  const { arms, arm } = armColumn(columns, events);
  const { pools, armFeatures } = shownColumns(columns, arms, arm);
  const { time, warnings } = timeColumn(columns, events);
  const log: EventLog = {
    events,
    arms,
    arm,
    payoff: payoffColumn(columns, events),
    contexts: contextTable(columns.context, events),
    pools,
    propensity: propensityColumn(columns.propensity, events),
    time,
    user: columns.user === undefined ? null : idColumn('user', columns.user, events),
    keys: new Map(Object.entries(columns.keys ?? {}).map(([name, ids]) => [name, idColumn(name, ids, events)])),
    armFeatures,
    sourceRow: null,
    source: { files: [], format: 'columns', where: null, rows: events, badRows: [] },
  };
  return { ...log, source: { ...log.source, ...sourceWarnings([...warnings, ...alikeWarnings(log)]) } };
}

/** Candidate sets, and what their arms show. */
function shownColumns(columns: LogColumns, arms: ArmDictionary, arm: Uint32Array) {
  const { candidates, candidateFeatures } = columns;
  const byIndex = columns.armIndex !== undefined;
  if (candidateFeatures === undefined) {
    const pools = candidateColumn(candidates, byIndex, arms, arm);
    return { pools, armFeatures: armFeatureTable(columns.armFeatures, arms) };
  }
  if (columns.armFeatures !== undefined) {
    throw new InputError({
      column: 'candidateFeatures',
      problem: 'the features of arms are given once',
      needed: 'either `armFeatures` (a row per arm) or `candidateFeatures` (a row per candidate as it is shown)',
    });
  }
  return versionColumns(candidates, candidateFeatures, byIndex, arms, arm);
}

function armColumn(columns: LogColumns, events: number): { arms: ArmDictionary; arm: Uint32Array } {
  if ((columns.arm === undefined) === (columns.armIndex === undefined)) {
    throw new InputError({
      column: 'arm',
      problem: 'the logged arms are given once',
      needed: 'either `arm` (ids) or `armIndex`',
    });
  }
  const arm = u32Column(events);
  if (columns.armIndex !== undefined) {
    checkLength('armIndex', columns.armIndex.length, events);
    const arms = indexedArms(columns.arms);
    for (let t = 0; t < events; t++) {
      const a = columns.armIndex[t];
      if (!Number.isInteger(a) || a < 0 || a >= arms.ids.length) {
        fail('armIndex', t, {
          problem: 'not an arm index',
          got: String(a),
          needed: `an integer in 0 .. ${arms.ids.length - 1}`,
        });
      }
      arm[t] = a;
    }
    return { arms, arm };
  }
  const ids = columns.arm ?? [];
  checkLength('arm', ids.length, events);
  if (typeof columns.arms === 'number') {
    throw new InputError({
      column: 'arms',
      problem: 'a number of arms goes with `armIndex`',
      needed: 'the list of arm ids',
    });
  }
  const seen = new Set<string>();
  for (let t = 0; t < events; t++) seen.add(checkedId('arm', t, ids[t]));
  if (columns.arms === undefined) for (const id of candidateIds(columns.candidates)) seen.add(id);
  const arms = armDictionary(seen, columns.arms);
  for (let t = 0; t < events; t++) {
    const id = idText(ids[t]);
    arm[t] = arms.index.get(id) ?? fail('arm', t, unknownArm(id, arms));
  }
  return { arms, arm };
}

function indexedArms(arms: readonly Id[] | number | undefined): ArmDictionary {
  if (typeof arms === 'object') return armDictionary([], arms);
  if (arms !== undefined && Number.isInteger(arms) && arms > 0) {
    return armDictionary(
      [],
      Array.from({ length: arms }, (_, a) => a),
    );
  }
  throw new InputError({
    column: 'arms',
    problem: '`armIndex` needs the arms',
    got: String(arms),
    needed: 'the list of arm ids, or their number K',
  });
}

function candidateIds(candidates: Candidates | undefined): Set<string> {
  const ids = new Set<string>();
  if (candidates === undefined) return ids;
  const lists = 'pools' in candidates ? candidates.pools : candidates;
  for (let i = 0; i < lists.length; i++) {
    const entry: Id | ArrayLike<Id> = lists[i];
    if (typeof entry !== 'object') ids.add(candidateId(i, entry));
    else for (let j = 0; j < entry.length; j++) ids.add(candidateId(i, entry[j]));
  }
  return ids;
}

function candidateId(row: number, id: unknown): string {
  if (id === '') fail('candidates', row, { problem: 'a candidate is empty', got: '""', needed: 'the id of an arm' });
  return checkedId('candidates', row, id);
}

function payoffColumn(columns: LogColumns, events: number) {
  const range = checkedRange(columns.payoffRange);
  const packer = new PayoffPacker(events);
  for (let t = 0; t < events; t++) {
    const r = columns.payoff[t];
    if (typeof r !== 'number' || !Number.isFinite(r)) {
      fail('payoff', t, { problem: 'payoff is not a finite number', got: String(r), needed: 'a finite number' });
    }
    if (range !== undefined && (r < range[0] || r > range[1])) fail('payoff', t, outsideRange(String(r), range));
    packer.push(r);
  }
  return atPlace({ column: 'payoff' }, () => packer.finish(range));
}

function propensityColumn(propensity: ArrayLike<number> | undefined, events: number): Float64Array | null {
  if (propensity === undefined) return null;
  checkLength('propensity', propensity.length, events);
  const column = f64Column(events);
  for (let t = 0; t < events; t++) {
    const p = propensity[t];
    if (propensityIsBad(p)) fail('propensity', t, propensityFault(p));
    column[t] = p;
  }
  return column;
}

function timeColumn({ time, timeUnit }: LogColumns, events: number): { time: Float64Array | null; warnings: string[] } {
  if (time === undefined) return { time: null, warnings: [] };
  checkLength('time', time.length, events);
  const column = f64Column(events);
  const implausible = new ImplausibleTimes();
  for (let t = 0; t < events; t++) {
    const value = time[t];
    if (typeof value === 'number' && timeUnit === undefined && Number.isFinite(value) && !isPlausible(value))
      fail('time', t, { problem: UNCLEAR_UNIT, ...unclearUnit(value, (unit) => `timeUnit: '${unit}'`) });
    column[t] =
      typeof value === 'string'
        ? isoTime(value)
        : typeof value === 'number'
          ? millisecondsOf(value, timeUnit ?? 'ms')
          : Number(value);
    if (!Number.isFinite(column[t])) {
      fail('time', t, {
        problem: 'not a time',
        got: String(value),
        needed: 'milliseconds since 1970-01-01 UTC (another unit: `timeUnit`), a Date or ISO 8601 text',
      });
    }
    implausible.add(column[t]);
  }
  return { time: column, warnings: implausible.warnings('of `time`') };
}

function idColumn(name: string, ids: ArrayLike<Id>, events: number): KeyColumn {
  checkLength(name, ids.length, events);
  function* texts(): Generator<string> {
    for (let t = 0; t < events; t++) yield checkedId(name, t, ids[t]);
  }
  return keyColumn(texts(), events);
}
