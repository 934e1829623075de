/** Key columns that learners look up. */

import { InputError } from '../../errors.js';
import type { EventLog, KeyColumn } from '../../log/event-log.js';
import { listNames, nearestName } from '../../names/order.js';

/**
 * The key column of a name.
 *
 * @param learner and its parameter, for the message.
 * @throws InputError where the log has none.
 */
export function segmentColumn(log: EventLog, name: string, learner: string, parameter: string): KeyColumn {
  const column = log.keys.get(name);
  if (column !== undefined) return column;
  const known = [...log.keys.keys()];
  const near = nearestName(name, known);
  throw new InputError({
    path: parameter,
    problem: `${learner}: the log has no key column "${name}"`,
    needed: known.length === 0 ? 'a log that was read with this column kept' : `one of ${listNames(known)}`,
    hint: near === null ? 'keep it with `keys` when the log is read' : `did you mean "${near}"?`,
  });
}
