/** What an inspection warns of: what results of the log would. */

import { PropensityCheck } from '../estimate/weights/propensity-check.js';
import { ConstantPayoff } from '../log/checks/constant-payoff.js';
import { CopiedColumns } from '../log/checks/copied-columns.js';
import { RepeatedRows } from '../log/checks/repeated-rows.js';
import { repeatedWarnings } from '../log/checks/repeated-warnings.js';
import type { EventLog } from '../log/event-log.js';

/** As results have them. */
export function contentWarnings(log: EventLog): string[] {
  const repeated = new RepeatedRows(log, log.events).add(log);
  const row = (event: number): number => log.sourceRow?.[event] ?? (log.firstEvent ?? 0) + event;
  return [
    ...new ConstantPayoff(log).add(log).warnings(),
    ...new CopiedColumns(log).add(log).warnings(),
    ...repeatedWarnings(repeated, row),
    ...propensityWarnings(log),
  ];
}

/** Whatever policy logged the events, their propensities can be wrong. */
function propensityWarnings(log: EventLog): string[] {
  if (log.propensity === null) return [];
  const check = new PropensityCheck(log);
  check.add(log);
  return check.warnings();
}
