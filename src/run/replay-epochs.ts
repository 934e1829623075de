/** When queued updates reach a learner (`updateEvery`), the same for every engine. */

import { InputError } from '../errors.js';
import type { EventLog } from '../log/event-log.js';
import type { UpdateEvery } from './replay-backend.js';

/**
 * First event of each epoch but the first: what was learnt since the last of these is applied before event t is decided.
 * Epochs are ⌊t / N⌋ with t counted in the log, or ⌊time / period⌋; in a log that is not sorted by time a new epoch begins
 * wherever the period changes.
 *
 * @returns Ascending event indices; `null` where every event is an epoch of its own.
 * @throws InputError where a period is asked for and the log has no time.
 */
export function epochStarts(
  log: Pick<EventLog, 'events' | 'time'>,
  updateEvery: UpdateEvery | null,
): Uint32Array | null {
  if (updateEvery === null || updateEvery === 1) return null;
  if (typeof updateEvery === 'number') {
    const epochs = Math.ceil(log.events / updateEvery);
    return Uint32Array.from({ length: Math.max(0, epochs - 1) }, (_, i) => (i + 1) * updateEvery);
  }
  const { time } = log;
  if (time === null) {
    throw new InputError({
      problem: 'updates by period need the time of each event, and the log has none',
      hint: '--time COLUMN, or "time" in the mapping; or a number of events',
    });
  }
  const starts: number[] = [];
  for (let t = 1; t < log.events; t++) {
    if (Math.floor(time[t] / updateEvery.period) !== Math.floor(time[t - 1] / updateEvery.period)) starts.push(t);
  }
  return Uint32Array.from(starts);
}
