/** An event log in memory as a stream: batches are views of its columns. */

import { InputError } from '../errors.js';
import type { EventLog, KeyColumn } from './event-log.js';
import type { LogStream } from './stream.js';

/** The stream of a log that is in memory. Nothing is copied. */
export function streamOf(log: EventLog): LogStream {
  return {
    head: headOf(log),
    events: log.events,
    bytesPerEvent: bytesPerEvent(log),
    async read(from, to, signal) {
      signal?.throwIfAborted();
      checkBatch(from, to, log.events);
      // The log itself: what was found out about it once is found again.
      return from === 0 && to === log.events ? log : batchOf(log, from, to);
    },
    async close() {},
  };
}

/** A log without its events: what all its batches share. */
export function headOf(log: EventLog): EventLog {
  return { ...batchOf(log, 0, 0), firstEvent: log.firstEvent };
}

/** Events [from, to) of a log in memory. */
export function batchOf(log: EventLog, from: number, to: number): EventLog {
  const { contexts, pools } = log;
  const { dimension } = contexts;
  const dense = contexts.row === null;
  return {
    ...log,
    firstEvent: (log.firstEvent ?? 0) + from,
    events: to - from,
    arm: log.arm.subarray(from, to),
    payoff: { ...log.payoff, steps: log.payoff.steps.subarray(from, to) },
    contexts: {
      ...contexts,
      rows: dense ? to - from : contexts.rows,
      values: dense ? contexts.values.subarray(from * dimension, to * dimension) : contexts.values,
      row: contexts.row?.subarray(from, to) ?? null,
    },
    pools: { ...pools, pool: pools.pool?.subarray(from, to) ?? null },
    propensity: log.propensity?.subarray(from, to) ?? null,
    time: log.time?.subarray(from, to) ?? null,
    user: log.user === null ? null : keyBatch(log.user, from, to),
    keys: new Map([...log.keys].map(([name, key]) => [name, keyBatch(key, from, to)])),
    sourceRow: log.sourceRow?.subarray(from, to) ?? null,
  };
}

function keyBatch({ levels, code }: KeyColumn, from: number, to: number): KeyColumn {
  return { levels, code: code.subarray(from, to) };
}

/** Bytes of the columns that a log has, per event. */
export function bytesPerEvent({ contexts, pools, propensity, time, user, keys, sourceRow }: EventLog): number {
  const context = contexts.row === null ? contexts.dimension * contexts.values.BYTES_PER_ELEMENT : 4;
  const optional = [pools.pool, propensity, time, user?.code, sourceRow, ...[...keys.values()].map(({ code }) => code)];
  return optional.reduce((sum, column) => sum + (column?.BYTES_PER_ELEMENT ?? 0), 8 + context);
}

/** @throws InputError for a batch that the log does not have. */
export function checkBatch(from: number, to: number, events: number): void {
  if (Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= events) return;
  throw new InputError({
    problem: 'no such batch of the log',
    got: `events ${from} to ${to}`,
    needed: `whole numbers in order, 0 to ${events}`,
  });
}
