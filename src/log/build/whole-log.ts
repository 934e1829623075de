/** A log in memory: one batch of all of its events. */

import type { EventBatch } from '../batch.js';
import type { EventLog, KeyColumn } from '../event-log.js';
import { onSharedMemory, u32Column } from './memory.js';
import { stepCounter } from './scale-finder.js';

/** @param head the log without its events, whose dictionaries the batch's codes are of. */
export function wholeLog(head: EventLog, batch: EventBatch): EventLog {
  const { events, payoff } = batch;
  const steps = u32Column(events);
  const stepsOf = stepCounter(head.payoff.scale);
  for (let t = 0; t < events; t++) steps[t] = stepsOf(payoff[t]);
  const column = <T extends Uint32Array | Float64Array>(wanted: T | null, values: T | null): T | null =>
    wanted === null || values === null ? null : onSharedMemory(values);
  const key = ({ levels }: KeyColumn, codes: Uint32Array): KeyColumn => ({ levels, code: onSharedMemory(codes) });
  const { contexts } = head;
  return {
    ...head,
    events,
    arm: onSharedMemory(batch.arm),
    payoff: { ...head.payoff, steps },
    contexts:
      contexts.row === null
        ? { ...contexts, rows: events, values: onSharedMemory(batch.context) }
        : { ...contexts, row: column(contexts.row, batch.contextRow) },
    pools: { ...head.pools, pool: column(head.pools.pool, batch.pool) },
    propensity: column(head.propensity, batch.propensity),
    time: column(head.time, batch.time),
    user: head.user === null || batch.user === null ? null : key(head.user, batch.user),
    keys: new Map([...head.keys].map(([name, one], k) => [name, key(one, batch.keys[k])])),
    sourceRow: column(head.sourceRow, batch.sourceRow),
  };
}
