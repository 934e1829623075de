/** The log's part of a result. */

import { stepSize } from '../estimate/sums/payoff-scale.js';
import { TimeSpan } from '../log/build/time-span.js';
import { partsOf } from '../log/column-uses.js';
import type { EventLog } from '../log/event-log.js';
import type { Mapping } from '../log/mapping.js';
import type { LogDescription } from './result.js';

/**
 * @param log the log itself, or the head of one that was gone through batch by batch; then its events and times.
 */
export function describeLog(log: EventLog, events = log.events, time = new TimeSpan().add(log)): LogDescription {
  const { scale } = log.payoff;
  const { payoffFromCost, estimatedPropensities, dropRates } = log.source;
  return {
    files: [...log.source.files],
    format: log.source.format,
    where: log.source.where,
    mapping: (log.source.mapping as Mapping | undefined) ?? null,
    columns: [...(log.source.uses ?? partsOf(log))],
    options: { ...log.source.options },
    events,
    ...(dropRates === undefined ? {} : { dropRates: [...dropRates] }),
    ...(log.source.distinctViews === undefined ? {} : { distinctViews: { ...log.source.distinctViews } }),
    ...(log.source.thinned === undefined ? {} : { thinned: { ...log.source.thinned } }),
    ...(estimatedPropensities === undefined ? {} : { estimatedPropensities: { ...estimatedPropensities } }),
    arms: log.arms.ids.length,
    pools: log.pools.count,
    contextDimension: log.contexts.dimension,
    distinctContexts: log.contexts.row === null ? null : log.contexts.rows,
    period: time.empty ? null : [isoText(time.first), isoText(time.last)],
    payoff: { low: scale.low, high: scale.high, step: stepSize(scale), rounded: scale.rounded },
    droppedRows: log.source.badRows.map((rows) => ({ ...rows })),
    ...(payoffFromCost === undefined ? {} : { payoffFromCost: { ...payoffFromCost } }),
  };
}

/** Times beyond what a Date holds are shown as numbers: most likely the unit is not milliseconds. */
function isoText(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : `${milliseconds} ms`;
}
