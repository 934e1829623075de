/** One short hash over every column of a log: two logs with the same are the same to the last bit. */
import { createHash } from 'node:crypto';
import type { EventLog } from '#dist/log/event-log.js';

export function bytesOf(log: EventLog): string {
  const hash = createHash('sha256');
  const columns = [
    log.arm,
    log.payoff.steps,
    log.contexts.values,
    log.contexts.row,
    log.pools.offsets,
    log.pools.arms,
    log.pools.pool,
    log.propensity,
    log.time,
    log.user?.code ?? null,
    ...[...log.keys.values()].map(({ code }) => code),
    log.armFeatures?.values ?? null,
  ];
  for (const column of columns)
    if (column !== null) hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  return hash.digest('hex').slice(0, 16);
}

/** Arm indices that could be shown at an event. */
export function candidates({ pools }: EventLog, event: number): number[] {
  const s = pools.pool?.[event] ?? 0;
  return [...pools.arms.subarray(pools.offsets[s], pools.offsets[s + 1])];
}
