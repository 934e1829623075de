/** From arm ids in a spec to arm indices of a log. */

import type { EventLog } from '../log/event-log.js';
import { listNames, nearestName } from '../names/order.js';
import { plural } from '../words.js';
import type { SpecPlace } from './family.js';
import { specFault } from './spec-faults.js';

/**
 * Arm index of an id.
 *
 * @param path Where in the entry the id stands.
 * @throws InputError for an arm that the log does not have.
 */
export function armIndex(log: EventLog, id: string | number, place: SpecPlace, path: readonly PropertyKey[]): number {
  const index = log.arms.index.get(String(id));
  if (index === undefined)
    throw specFault(place, path, { problem: `unknown arm "${id}"`, ...knownArms(log, String(id)) });
  return index;
}

/**
 * Arm indices of a list of ids.
 *
 * @throws InputError for unknown arms and for an arm that is listed twice.
 */
export function armIndices(log: EventLog, ids: readonly (string | number)[], place: SpecPlace, key: string): number[] {
  const first = new Map<number, number>();
  return ids.map((id, i) => {
    const index = armIndex(log, id, place, [key, i]);
    const before = first.get(index);
    if (before !== undefined) {
      throw specFault(place, [key, i], {
        problem: `arm "${id}" is listed twice`,
        got: `${key}[${before}] and ${key}[${i}]`,
      });
    }
    first.set(index, i);
    return index;
  });
}

/** `needed` and `hint` of an unknown-arm error. */
export function knownArms(log: EventLog, id: string): { needed: string; hint: string | undefined } {
  const { ids } = log.arms;
  const near = nearestName(id, ids);
  return {
    needed: `one of the log's ${plural(ids.length, 'arm')}: ${listNames(ids)}`,
    hint: near === null ? undefined : `did you mean "${near}"?`,
  };
}
