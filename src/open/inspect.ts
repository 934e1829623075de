/** `inspectLog`: what is in a log, as a plain JSON object. */

import { meanPayoff, stepSize, totalPayoff } from '../estimate/sums/payoff-scale.js';
import { roundingWarning } from '../estimate/sums/rounding.js';
import { WordInterner } from '../log/build/interner.js';
import { contextCells } from '../log/cells.js';
import { testUniformity, type UniformityReport } from '../log/checks/uniformity.js';
import { partsOf } from '../log/column-uses.js';
import type { BadRows, EventLog, MissingValues, PayoffFromCost } from '../log/event-log.js';
import type { ColumnUse, InputFile, ReadingRecord } from '../log/inputs.js';
import { type JointColumns, jointColumns } from '../log/joint-features.js';
import type { Mapping } from '../log/mapping.js';
import { contentWarnings } from './inspect-warnings.js';

/** Distinct values counted per context column before counting is given up. */
const MOST_DISTINCT = 10000;

/** Events up to which distinct contexts are counted even where nearly all differ. */
const MOST_COUNTED = 1_000_000;

/** Products of context and arm features whose names are listed. */
const MOST_PRODUCTS = 100_000;

/** What is in a log, as plain JSON. */
export interface Inspection {
  /** Files in the given order; none of a log that was made in code. */
  files: string[];
  /** What the log was read from. */
  format: string;
  /** SQL filter; `null`: none. */
  where: string | null;
  /** The mapping as it was used, every column and what became of it, and further options: as results have them. */
  mapping: Mapping | null;
  /** Every column and what became of it. */
  columns: ColumnUse[];
  /** Further options of the reading, as in code. */
  options: ReadingRecord;
  /** The files of the log, with their hashes; none of a log that was made in code. */
  inputs: InputFile[];
  /** Rows in the files, before `where`. */
  rows: number | null;
  /** L */
  events: number;
  /** Where repeated views count as one: what that did to the rates. */
  distinctViews?: ViewEffect;
  /** First and last time (the smallest and the largest) as ISO 8601; `null` where the log has no time. */
  period: { first: string; last: string; ascending: boolean } | null;
  /** In arm order; `mean` is `null` for an arm that was never logged. */
  arms: { id: string; events: number; payoff: number; mean: number | null }[];
  /** Sizes over events. */
  candidates: { distinctSets: number; minSize: number; medianSize: number; maxSize: number } | null;
  /** Range, step and sums of the payoffs, in payoff units. */
  payoff: {
    low: number;
    high: number;
    range: 'declared' | 'unit' | 'observed';
    step: number;
    rounded: boolean;
    /** Observed; `null` for an empty log. */
    min: number | null;
    max: number | null;
    total: number;
    mean: number | null;
  };
  /** Contexts: their columns, and how many differ. */
  context: {
    dimension: number;
    type: 'f32' | 'f64';
    /** Names of the columns, ready for `columns` of a linear entry of a policy set. */
    names: string[];
    /** `distinct` is `null` beyond 10,000; `min` and `max` are `null` for an empty log. */
    columns: { name: string; distinct: number | null; min: number | null; max: number | null }[];
    /** `null` where nearly all of very many contexts differ. */
    distinctContexts: number | null;
    /** Distinct (context, candidate set) pairs; `null` where they are more than half as many as events. */
    distinctPairs: number | null;
  };
  /** Features of arms; more rows than arms where they change. */
  armFeatures: {
    dimension: number;
    rows: number;
    columns: string[];
    /** By `features` of a joint-linear entry, what its `columns` takes; `null` for more than 100,000 products. */
    jointColumns: JointColumns;
  } | null;
  /** Distinct users; `null`: the log has none. */
  users: number | null;
  /** Key columns with the number of their distinct values. */
  keys: { name: string; values: number }[];
  /** Whether the logged decisions look uniformly random. */
  uniformity: UniformityReport;
  /** Σ 1/|A_t|: matches that a fixed policy can expect if logging was uniform. */
  expectedMatches: number;
  /** Rows that were dropped, counted by kind. */
  badRows: BadRows[];
  /** Columns with missing values: how many rows, how many of these were filled in, and with what. */
  missing: MissingValues[];
  /** What every result of this log says first. */
  warnings: string[];
  /** Where the log has costs: payoff = offset + scale · cost. */
  payoffFromCost?: PayoffFromCost;
}

/** Events and the mean payoff, `null` where there are no events. */
export interface Rate {
  events: number;
  mean: number | null;
}

/** Rates before and after repeated views were counted as one, of the log and in arm order. */
export interface ViewEffect {
  before: Rate;
  after: Rate;
  arms: { id: string; before: Rate; after: Rate }[];
}

/**
 * Describes a log.
 *
 * @param before the same log before its repeated views were counted as one, to tell the effect.
 */
export function inspectLog(log: EventLog, before?: EventLog): Inspection {
  const { source, user } = log;
  const cells = contextCells(log);
  const arms = armSummaries(log);
  const payoff = payoffSummary(log);
  const rounding = roundingWarning(log.payoff);
  return {
    files: [...source.files],
    format: source.format,
    where: source.where,
    mapping: (source.mapping as Mapping | undefined) ?? null,
    columns: [...(source.uses ?? partsOf(log))],
    options: { ...source.options },
    inputs: [...(source.inputs ?? [])],
    rows: source.rows,
    events: log.events,
    ...(before === undefined ? {} : { distinctViews: viewEffect(before, { events: log.events, arms, payoff }) }),
    period: period(log.time),
    arms,
    ...candidates(log),
    payoff,
    context: {
      dimension: log.contexts.dimension,
      type: log.contexts.values instanceof Float32Array ? 'f32' : 'f64',
      names: [...log.contexts.columns],
      columns: contextSummaries(log),
      distinctContexts: distinctContexts(log),
      distinctPairs: cells.event === null ? null : cells.count,
    },
    armFeatures:
      log.armFeatures === null
        ? null
        : {
            dimension: log.armFeatures.dimension,
            rows: log.armFeatures.rows,
            columns: [...log.armFeatures.columns],
            jointColumns: jointColumns(log.contexts.columns, log.armFeatures.columns, MOST_PRODUCTS),
          },
    users: user === null ? null : new Set(user.code).size,
    keys: [...log.keys].map(([name, { code }]) => ({ name, values: new Set(code).size })),
    uniformity: testUniformity(log),
    badRows: [...source.badRows],
    missing: [...(source.missing ?? [])],
    warnings: [...(source.warnings ?? []), ...contentWarnings(log), ...(rounding === null ? [] : [rounding])],
    ...(source.payoffFromCost === undefined ? {} : { payoffFromCost: { ...source.payoffFromCost } }),
  };
}

function viewEffect(log: EventLog, after: Pick<Inspection, 'events' | 'arms' | 'payoff'>): ViewEffect {
  const rate = ({ events, mean }: Rate): Rate => ({ events, mean });
  return {
    before: { events: log.events, mean: payoffSummary(log).mean },
    after: { events: after.events, mean: after.payoff.mean },
    arms: armSummaries(log).map((arm, a) => ({ id: arm.id, before: rate(arm), after: rate(after.arms[a]) })),
  };
}

function period(time: Float64Array | null): Inspection['period'] {
  if (time === null || time.length === 0) return null;
  let first = time[0];
  let last = time[0];
  let ascending = true;
  for (let t = 1; t < time.length; t++) {
    if (time[t] < time[t - 1]) ascending = false;
    if (time[t] < first) first = time[t];
    if (time[t] > last) last = time[t];
  }
  return { first: isoText(first), last: isoText(last), ascending };
}

/** Times beyond what a Date holds are shown as numbers: most likely the unit is not milliseconds. */
function isoText(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : `${milliseconds} ms`;
}

function armSummaries(log: EventLog): Inspection['arms'] {
  const { arms, arm, payoff } = log;
  const events = new Float64Array(arms.ids.length);
  const steps = new Float64Array(arms.ids.length);
  for (let t = 0; t < log.events; t++) {
    events[arm[t]]++;
    steps[arm[t]] += payoff.steps[t];
  }
  return arms.ids.map((id, a) => ({
    id,
    events: events[a],
    payoff: totalPayoff(payoff.scale, events[a], steps[a]),
    mean: meanPayoff(payoff.scale, events[a], steps[a]),
  }));
}

function candidates({ pools, events }: EventLog): Pick<Inspection, 'candidates' | 'expectedMatches'> {
  const eventsOf = new Float64Array(pools.count);
  if (pools.pool === null) eventsOf[0] = events;
  else for (const s of pools.pool) eventsOf[s]++;
  const sizes = Array.from(eventsOf, (count, s) => ({ size: pools.offsets[s + 1] - pools.offsets[s], count })).filter(
    ({ count }) => count > 0,
  );
  if (sizes.length === 0) return { candidates: null, expectedMatches: 0 };
  sizes.sort((a, b) => a.size - b.size);
  let before = 0;
  const median = sizes.find(({ count }) => {
    before += count;
    return before * 2 >= events;
  });
  const expectedMatches = sizes.reduce((sum, { size, count }) => sum + count / size, 0);
  const maxSize = sizes[sizes.length - 1].size;
  return {
    candidates: { distinctSets: pools.count, minSize: sizes[0].size, medianSize: median?.size ?? maxSize, maxSize },
    expectedMatches,
  };
}

function payoffSummary(log: EventLog): Inspection['payoff'] {
  const { scale, steps, rangeBasis } = log.payoff;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  let sum = 0;
  for (const k of steps) {
    if (k < min) min = k;
    if (k > max) max = k;
    sum += k;
  }
  const empty = steps.length === 0;
  return {
    low: scale.low,
    high: scale.high,
    range: rangeBasis ?? 'declared',
    step: stepSize(scale),
    rounded: scale.rounded,
    min: empty ? null : totalPayoff(scale, 1, min),
    max: empty ? null : totalPayoff(scale, 1, max),
    total: totalPayoff(scale, steps.length, sum),
    mean: meanPayoff(scale, steps.length, sum),
  };
}

function contextSummaries({ contexts }: EventLog): Inspection['context']['columns'] {
  const { dimension, rows, values } = contexts;
  return contexts.columns.map((name, j) => {
    const seen = new Set<number>();
    let min: number | null = null;
    let max: number | null = null;
    for (let row = 0; row < rows; row++) {
      const value = values[row * dimension + j];
      if (min === null || value < min) min = value;
      if (max === null || value > max) max = value;
      if (seen.size <= MOST_DISTINCT) seen.add(value);
    }
    return { name, distinct: seen.size > MOST_DISTINCT ? null : seen.size, min, max };
  });
}

function distinctContexts({ contexts, events }: EventLog): number | null {
  if (contexts.dimension === 0) return Math.min(events, 1);
  if (contexts.row !== null) return contexts.rows;
  if (events > MOST_COUNTED) return null;
  const { values, dimension } = contexts;
  const words = new Int32Array(values.buffer, values.byteOffset, values.byteLength / 4);
  const width = (dimension * values.BYTES_PER_ELEMENT) / 4;
  const interner = new WordInterner();
  for (let t = 0; t < events; t++) interner.intern(words, t * width, (t + 1) * width);
  return interner.count;
}
