/**
 * Columns that are known only once the decision was made, or that say what could be decided: the payoff, the logged arm, its
 * propensity, the candidates, the time and the user. A policy that sees the payoff or the logged arm "wins" a replay that it
 * could not win in service, so none of them is a context or a key by accident.
 */

import { InputError } from '../../../errors.js';
import type { Mapping } from '../../../log/mapping.js';
import { nearestName } from '../../../names/order.js';

/** What the mapping says each of these columns is. */
export function roleColumns({
  arm,
  payoff,
  propensity,
  candidates,
  time,
  user,
  eventId,
}: Mapping): Map<string, string> {
  const list = typeof candidates === 'object' && 'id' in candidates ? candidates.id : nameOf(candidates);
  const roles: [string, string | undefined][] = [
    ['id of the event', eventId],
    ['user', user],
    ['time', nameOf(time)],
    ['candidates', list],
    ['propensity', propensity],
    ['arm', arm],
    ['payoff', payoff],
  ];
  const byColumn = new Map<string, string>();
  for (const [role, column] of roles) if (column !== undefined) byColumn.set(column, role);
  return byColumn;
}

function nameOf(entry: string | { column: string } | undefined): string | undefined {
  return typeof entry === 'object' ? entry.column : entry;
}

const WHY: Readonly<Record<string, string>> = {
  payoff: 'the payoff is known only after the decision: a policy that sees it wins by looking at the answer',
  arm: 'the logged arm is what a policy is compared with: one that sees it matches every event',
  propensity: 'the propensity is that of the logged arm, which it may give away',
  candidates: 'the candidates are what a policy chooses from, which it knows already',
  time: 'the time differs at nearly every event, so that what is learnt of one never comes back; tables by period read it themselves',
  'id of the event': 'each event has an id of its own, so that what is learnt of one never comes back',
  user: 'the user is what events are grouped by; with as many values as users, contexts and tables learn them by heart',
};

/**
 * Columns with a role that are contexts or keys all the same.
 *
 * @param contexts columns named as contexts, by name and not by a pattern.
 * @param keys columns that the mapping, a policy set or learners look up.
 * @param allowed columns that may be both.
 * @returns a warning per column that may.
 * @throws InputError for one that may not, and for an allowed one that has no role.
 */
export function checkLeaks(
  roles: ReadonlyMap<string, string>,
  contexts: readonly string[],
  keys: readonly string[],
  allowed: readonly string[],
): string[] {
  for (const name of allowed) {
    if (roles.has(name)) continue;
    const near = nearestName(name, [...roles.keys()]);
    throw new InputError({
      column: name,
      problem: '--allow-leak names a column that the mapping gives no role',
      needed: `one of ${[...roles].map(([column, role]) => `${JSON.stringify(column)} (${role})`).join(', ')}`,
      hint: near === null ? 'leave it out: other columns need no leave' : `did you mean ${JSON.stringify(near)}?`,
    });
  }
  const warnings: string[] = [];
  for (const [column, role] of roles) {
    const use = contexts.includes(column) ? 'context' : keys.includes(column) ? 'key' : null;
    if (use === null) continue;
    if (allowed.includes(column)) {
      warnings.push(
        `column ${JSON.stringify(column)} is the ${role} and a ${use} too (--allow-leak): ${WHY[role]}; values hold only if policies in service see it before they decide`,
      );
      continue;
    }
    throw new InputError({
      column,
      problem: `the ${role} is a ${use} too`,
      got: `${JSON.stringify(column)}, ${use === 'key' ? 'which a table, a learner or the mapping looks up' : 'among the contexts'}`,
      needed: 'columns that are known before the decision',
      hint: `${WHY[role]}. Leave it out there, or allow it with --allow-leak ${column} (in code: allowLeak)`,
    });
  }
  return warnings;
}
