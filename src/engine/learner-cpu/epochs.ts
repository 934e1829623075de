/** When queued updates reach a learner (`updateEvery`), the same for every engine. */

import { InputError } from '../../errors.js';
import type { EventLog } from '../../log/event-log.js';
import type { UpdateEvery } from '../learner-contract.js';

/**
 * First event of each epoch but the first: what was learnt since the last of these is applied before event t is decided.
 * Epochs are ⌊t / N⌋ with t counted in the log, or ⌊time / period⌋; in a log that is not sorted by time a new epoch begins
 * wherever the period changes.
 *
 * @param log the log, or a batch of it.
 * @param before time of the event before the batch; `null`: there is none.
 * @returns Ascending indices of events of the log or batch; `null` where every event is an epoch of its own.
 * @throws InputError where a period is asked for and the log has no time.
 */
export function epochStarts(
  log: Pick<EventLog, 'firstEvent' | 'events' | 'time'>,
  updateEvery: UpdateEvery | null,
  before: number | null = null,
): Uint32Array | null {
  if (updateEvery === null || updateEvery === 1) return null;
  const { firstEvent = 0, events, time } = log;
  if (typeof updateEvery === 'number') {
    const first = Math.max(1, Math.ceil(firstEvent / updateEvery));
    const count = Math.max(0, Math.ceil((firstEvent + events) / updateEvery) - first);
    return Uint32Array.from({ length: count }, (_, i) => (first + i) * updateEvery - firstEvent);
  }
  if (time === null) {
    throw new InputError({
      problem: 'updates by period need the time of each event, and the log has none',
      hint: '--time COLUMN, or "time" in the mapping; or a number of events',
    });
  }
  const starts: number[] = [];
  let last = before === null ? null : Math.floor(before / updateEvery.period);
  for (let t = 0; t < events; t++) {
    const period = Math.floor(time[t] / updateEvery.period);
    if (last !== null && period !== last) starts.push(t);
    last = period;
  }
  return Uint32Array.from(starts);
}
