/** Rates at which a service dropped events, as an evaluation goes by them; and what does not go with them. */

import { filesText, InputError } from '../../errors.js';
import { countsOf } from '../../estimate/blocks/rates.js';
import type { ChosenEstimator } from '../../estimate/estimators/choose.js';
import { DROP_RATE, type EventLog } from '../../log/event-log.js';

/** They differ: events do not count alike. */
export function hasRates({ source }: Pick<EventLog, 'source'>): boolean {
  return (source.dropRates?.length ?? 0) > 1;
}

/** c of the events of each rate, by their codes in the log; absent: all count alike. */
export function rateCounts(head: EventLog): readonly bigint[] | undefined {
  return hasRates(head) ? countsOf((head.keys.get(DROP_RATE)?.levels ?? []).map(Number)) : undefined;
}

/** Events were dropped at different rates, and what is asked takes them for a fair sample. @param asked what that is. */
export function refuseRates({ source }: EventLog, asked: string, needed: string): void {
  if (!hasRates({ source })) return;
  throw new InputError({
    file: source.files.length === 0 ? undefined : filesText(source.files),
    path: DROP_RATE,
    problem: `events were dropped at different rates, so that some stand for more than others, and ${asked} counts all alike`,
    got: `pdrop ${source.dropRates?.join(', ')}`,
    needed,
    hint: 'split the log by pdrop, and evaluate each part by itself',
  });
}

/** @throws InputError for estimators, and what is asked of them, that hold for events which count alike. */
export function checkRates(
  head: EventLog,
  chosen: readonly ChosenEstimator[],
  { interval, sequence, validEvents }: { interval?: string; sequence?: string; validEvents?: number | null },
): void {
  const alike = chosen.find(({ estimator }) => ['replay', 'cressie-read'].includes(estimator.name));
  if (alike !== undefined)
    refuseRates(head, `the estimator ${alike.estimator.name}`, '--estimator snips, ips, dm, dr or their kin');
  if (interval === 'empirical-bernstein') refuseRates(head, `the interval ${interval}`, 'another interval, or none');
  if (sequence !== undefined) refuseRates(head, 'a confidence sequence', 'no option sequence');
  if ((validEvents ?? null) !== null) refuseRates(head, 'Algorithm 1', 'the whole log: no option validEvents');
}
