/** `inspectLog`: what is in a log, as a plain JSON object. */

import { meanPayoff, stepSize, totalPayoff } from '../estimate/payoff-scale.js';
import { roundingWarning } from '../estimate/rounding.js';
import { contextCells } from './cells.js';
import type { BadRows, EventLog } from './event-log.js';
import { WordInterner } from './interner.js';
import { testUniformity, type UniformityReport } from './uniformity.js';

/** Distinct values counted per context column before counting is given up. */
const MOST_DISTINCT = 10000;

/** Events up to which distinct contexts are counted even where nearly all differ. */
const MOST_COUNTED = 1_000_000;

export interface Inspection {
  files: string[];
  format: string;
  where: string | null;
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
  armFeatures: { dimension: number; rows: number; columns: string[] } | null;
  users: number | null;
  keys: { name: string; values: number }[];
  uniformity: UniformityReport;
  /** Σ 1/|A_t|: matches that a fixed policy can expect if logging was uniform. */
  expectedMatches: number;
  badRows: BadRows[];
  /** What every result of this log says first. */
  warnings: string[];
  /** Where the log has costs: payoff = offset + scale · cost. */
  payoffFromCost?: { scale: number; offset: number };
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
          },
    users: user === null ? null : new Set(user.code).size,
    keys: [...log.keys].map(([name, { code }]) => ({ name, values: new Set(code).size })),
    uniformity: testUniformity(log),
    badRows: [...source.badRows],
    warnings: [...(source.warnings ?? []), ...(rounding === null ? [] : [rounding])],
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
