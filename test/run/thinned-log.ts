/** The small log of the tests of streaming, as another policy might have logged it. */

import type { EventLog } from '#dist/log/event-log.js';
import { type StreamLogOptions, streamLog } from './stream-log.js';

/** Propensities of half, once and one and a half times 1/|A_t|, in turn; 1 where there is one candidate. */
export function skewedLog(options: StreamLogOptions = {}): EventLog {
  const log = streamLog(options);
  const { offsets, pool } = log.pools;
  const propensity = Float64Array.from({ length: log.events }, (_, t) => {
    const set = pool === null ? 0 : pool[t];
    const candidates = offsets[set + 1] - offsets[set];
    return candidates === 1 ? 1 : (0.5 + (t % 3) / 2) / candidates;
  });
  return { ...log, propensity };
}

/** How it is thinned in these tests: the least of candidates × propensity is 0.5. */
export const THIN = { thin: true, leastPropensity: 0.5, thinSeed: 3 } as const;
