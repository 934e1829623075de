/** The label of a decision-service event: what was chosen, with which probability, and what it cost. */

import { plural } from '../../words.js';
import { badRow, shown } from '../decisions/rows.js';
import type { JsonObject } from './json.js';

/** What was chosen and observed. */
export interface Label {
  readonly cost: number;
  readonly probability: number;
  /** 0-based. */
  readonly index: number;
}

/** Label and probability of the logged action may differ by this, relatively: one is f32. */
const TOLERANCE = 1e-5;
/** Sums of f32 probabilities of a hundred actions, printed to six digits, are nearer to 1. */
const SUM_TOLERANCE = 1e-3;

/** The label; `null` where there is no cost. @param actions n, the number of actions. @throws RowFault */
export function parseLabel(event: JsonObject, actions: number): Label | null {
  const members = labelMembers(event);
  const cost = numberMember(members, '_label_cost');
  if (cost === null) return null;
  const probability = numberMember(members, '_label_probability');
  if (probability === null) {
    badRow({
      problem: 'label without a probability',
      path: '_label_probability',
      needed: 'the probability of the logged action',
    });
  }
  const action = indexMember(members, '_label_action', 1);
  const index = indexMember(members, '_labelindex', 0) ?? (action === null ? null : action - 1);
  if (index === null) {
    badRow({
      problem: 'label without an action',
      path: '_labelIndex',
      needed: '_labelIndex (from 0) or _label_Action (from 1)',
    });
  }
  if (action !== null && action !== index + 1) {
    badRow({
      problem: '_label_Action and _labelIndex disagree',
      got: `_label_Action ${action}, _labelIndex ${index}`,
      needed: '_label_Action = _labelIndex + 1',
    });
  }
  if (index >= actions) {
    badRow({
      problem: 'logged action is not in _multi',
      path: '_labelIndex',
      got: String(index),
      needed: `0 to ${actions - 1}`,
    });
  }
  return { cost, probability, index };
}

/** True where an event says what an action cost. @throws RowFault */
export function hasLabel(event: JsonObject): boolean {
  return (labelMembers(event).get('_label_cost')?.value ?? null) !== null;
}

/** Members whose names begin with `_label`, by name in lower case, as VowpalWabbit compares them. */
function labelMembers(event: JsonObject): Map<string, { name: string; value: unknown }> {
  const members = new Map<string, { name: string; value: unknown }>();
  for (const [name, value] of Object.entries(event)) {
    if (!name.startsWith('_label')) continue;
    const key = name.toLowerCase();
    if (members.has(key))
      badRow({ problem: 'JSON names a member twice', path: name, needed: 'each name once, in whatever case' });
    members.set(key, { name, value });
  }
  if (members.has('_label')) {
    badRow({
      problem: '_label in place of _label_cost and its like',
      path: '_label',
      needed: '_label_cost, _label_probability, _label_Action',
    });
  }
  return members;
}

type Members = ReturnType<typeof labelMembers>;

function numberMember(members: Members, key: string): number | null {
  const { name, value } = members.get(key) ?? { name: key, value: null };
  if (value === null) return null;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  const what = key === '_label_cost' ? 'cost' : 'probability';
  return badRow({
    problem: `${what} is not a finite number`,
    path: name,
    got: shown(JSON.stringify(value)),
    needed: 'a finite number',
  });
}

function indexMember(members: Members, key: string, lowest: number): number | null {
  const { name, value } = members.get(key) ?? { name: key, value: null };
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= lowest) return value;
  const needed = `a whole number of at least ${lowest}`;
  return badRow({ problem: `${name} is not an action`, path: name, got: shown(JSON.stringify(value)), needed });
}

/**
 * Checks a label against the ranking `a` (the logged action first) and its probabilities `p`, where the event has them.
 *
 * @returns true where `a` counts from 0, which some writers do.
 * @throws RowFault
 */
export function checkRanking({ a, p }: JsonObject, { index, probability }: Label, actions: number): boolean {
  const ranking = a === undefined || a === null ? null : numbers('a', a);
  const probabilities = p === undefined || p === null ? null : numbers('p', p);
  for (const [name, list] of [
    ['a', ranking],
    ['p', probabilities],
  ] as const) {
    if (list === null || list.length === actions) continue;
    badRow({
      problem: `${name} and _multi differ in length`,
      path: name,
      got: `${plural(list.length, 'entry', 'entries')}`,
      needed: `${actions}, one per action`,
    });
  }
  const fromZero = ranking?.includes(0) ?? false;
  if (ranking !== null && ranking[0] !== index + (fromZero ? 0 : 1)) {
    badRow({
      problem: 'a does not begin with the logged action',
      path: 'a[0]',
      got: String(ranking[0]),
      needed: `${index + (fromZero ? 0 : 1)}, as the label says`,
    });
  }
  if (probabilities !== null && !(Math.abs(probabilities[0] - probability) <= TOLERANCE * Math.max(probability, 0))) {
    badRow({
      problem: 'p and _label_probability disagree',
      path: 'p[0]',
      got: String(probabilities[0]),
      needed: `${probability}, as _label_probability says`,
    });
  }
  // What is no probability is told as such.
  const sum = probability > 0 && probability <= 1 ? (probabilities?.reduce((all, one) => all + one, 0) ?? 1) : 1;
  if (!(Math.abs(sum - 1) <= SUM_TOLERANCE)) {
    badRow({
      problem: 'the probabilities p do not sum to 1',
      path: 'p',
      got: String(sum),
      needed: `1 ± ${SUM_TOLERANCE}: the probability of every action, the logged one first`,
    });
  }
  return fromZero;
}

function numbers(name: string, list: unknown): number[] {
  if (Array.isArray(list) && list.every((value) => typeof value === 'number')) return list;
  return badRow({
    problem: `${name} is not a list of numbers`,
    path: name,
    got: shown(JSON.stringify(list)),
    needed: 'a list of numbers',
  });
}
