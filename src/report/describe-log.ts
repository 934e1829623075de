/** The log's part of a result. */

import { stepSize } from '../estimate/payoff-scale.js';
import type { EventLog } from '../log/event-log.js';
import type { LogDescription } from './result.js';

export function describeLog(log: EventLog): LogDescription {
  const { scale } = log.payoff;
  const { payoffFromCost } = log.source;
  return {
    files: [...log.source.files],
    format: log.source.format,
    where: log.source.where,
    events: log.events,
    arms: log.arms.ids.length,
    pools: log.pools.count,
    contextDimension: log.contexts.dimension,
    distinctContexts: log.contexts.row === null ? null : log.contexts.rows,
    period: period(log.time),
    payoff: { low: scale.low, high: scale.high, step: stepSize(scale), rounded: scale.rounded },
    droppedRows: log.source.badRows.map((rows) => ({ ...rows })),
    ...(payoffFromCost === undefined ? {} : { payoffFromCost: { ...payoffFromCost } }),
  };
}

/** First and last time as ISO 8601; logs need not be sorted. */
function period(time: Float64Array | null): [string, string] | null {
  if (time === null || time.length === 0) return null;
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const t of time) {
    first = Math.min(first, t);
    last = Math.max(last, t);
  }
  return [isoText(first), isoText(last)];
}

/** Times beyond what a Date holds are shown as numbers: most likely the unit is not milliseconds. */
function isoText(milliseconds: number): string {
  return Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : `${milliseconds} ms`;
}
