/** What a reader of a result of a thinned log must be told, in whole sentences. */

import { plural } from '../../words.js';
import { PROPENSITY_TOLERANCE } from '../checks/uniform/propensity.js';
import type { Thinned } from '../event-log.js';

/** Below this share of the events another way is named. */
const FEW = 0.1;

/** @param leastLogged the least propensity of all events. */
export function thinningWarnings(thinned: Thinned, leastLogged: number): string[] {
  const { events, kept, leastPropensity: least, declared } = thinned;
  if (events === 0) return [];
  const shown = String(Number(least.toPrecision(3)));
  return [
    ...(kept >= FEW * events
      ? []
      : [
          `thinning kept ${kept.toLocaleString('en')} of ${plural(events, 'event')}: for fixed policies, evaluate --estimator snips goes by all events and needs no thinning`,
        ]),
    ...(declared || kept === events
      ? []
      : [
          `the log is thinned by the least candidates × propensity of its own events, ${shown}: the least of a log depends on what happened to be logged, so that what is kept is not exactly what a uniform logging policy would have logged; declare the least that the logging policy gives any candidate with --least-propensity (in code: leastPropensity), for an epsilon-greedy one epsilon`,
        ]),
    ...(declared && kept < events && Math.abs(least / leastLogged - 1) <= PROPENSITY_TOLERANCE
      ? [
          `the least propensity of the log is ${shown} too: is --least-propensity (in code: leastPropensity) a propensity? It is to be the least of candidates × propensity, and then more events are kept`,
        ]
      : []),
  ];
}
