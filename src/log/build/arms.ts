/** The arm dictionary. */

import { InputError } from '../../errors.js';
import { sortIds } from '../../names/order.js';
import type { ArmDictionary } from '../event-log.js';

/** Identifier as text. Numbers are written as JavaScript writes them (`3`, `2.5`); NaN and infinities are refused by the caller. */
export function idText(id: string | number): string {
  // Adding 0 turns −0 into 0.
  return typeof id === 'number' ? String(id + 0) : id;
}

/**
 * Dictionary of the arms seen, in the order of identifiers (`names/order.ts`), or in the `explicit` order, which may hold arms that
 * were never seen. That every arm seen is in an explicit list is for the caller to check: it knows the row.
 *
 * @throws InputError if the explicit list is empty or names an arm twice.
 */
export function armDictionary(seen: Iterable<string>, explicit?: readonly (string | number)[]): ArmDictionary {
  const ids = explicit === undefined ? sortIds([...new Set(seen)]) : explicit.map(idText);
  const index = new Map<string, number>();
  for (const [a, id] of ids.entries()) {
    const earlier = index.get(id);
    if (earlier !== undefined) {
      throw new InputError({
        column: 'arms',
        problem: 'the list of arms names an arm twice',
        got: `${JSON.stringify(id)} at positions ${earlier} and ${a}`,
        needed: 'each arm once',
      });
    }
    index.set(id, a);
  }
  if (explicit !== undefined && ids.length === 0) {
    throw new InputError({
      column: 'arms',
      problem: 'the list of arms is empty',
      needed: 'at least one arm, or no list',
    });
  }
  return { ids, index };
}
