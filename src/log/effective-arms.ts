import type { EventLog } from './event-log.js';

/** L / Σ 1/|A_t|: the number of arms as matches see it, so that L over it is the matches to expect. */
export function effectiveArms(log: EventLog): number {
  const { pool, offsets } = log.pools;
  if (log.events === 0) return Math.max(1, log.arms.ids.length);
  if (pool === null) return offsets[1] - offsets[0];
  const inverse = Float64Array.from({ length: log.pools.count }, (_, s) => 1 / (offsets[s + 1] - offsets[s]));
  let expected = 0;
  for (let t = 0; t < log.events; t++) expected += inverse[pool[t]];
  return log.events / expected;
}
