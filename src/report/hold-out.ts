/** The hold-out of a result in words and as a table: what the policies picked on one part are worth on the other. */

import { printable } from '../printable.js';
import { plural } from '../words.js';
import type { Fact } from './facts.js';
import { type Column, gridLines } from './grid.js';
import { count, decimalsFor, fixed, nonzero, percent, significant } from './numbers.js';
import type { EvaluationResult } from './result.js';
import type { Style } from './style.js';

type Held = NonNullable<EvaluationResult['holdOut']>;

/** The answer of a hold-out, which leads a ranking; `null`: there is none. */
export function describeHoldOut({ holdOut, interval }: EvaluationResult): string | null {
  if (holdOut === undefined) return null;
  const { selection, evaluation, difference, logged, policies } = holdOut;
  const [pick] = policies;
  if (pick === undefined || pick.selected === null) return 'No policy matched an event to pick on: none was picked.';
  const value = payoffText(holdOut);
  const level = percent(interval.confidence);
  const name = printable(pick.name);
  const others = `the other ${plural(evaluation.events, 'event')} (${share(evaluation.share)})`;
  const sentences = [
    `${name} was picked on ${plural(selection.events, 'event')} (${share(selection.share)}), where its value is ${value(pick.selected)}.`,
    pick.value === null
      ? `On ${others} it matched none, so that nothing is known of it there.`
      : `On ${others}, which had no part in picking it, it is worth ${value(pick.value)} (${level}: ${value(pick.interval[0])} to ${value(pick.interval[1])}).`,
  ];
  if (difference !== null) {
    const { name: against, lower, better } = difference;
    sentences.push(
      better
        ? `There it is better than ${printable(against)} by at least ${value(lower)}.`
        : `That it is better than ${printable(against)} is not shown there.`,
    );
  } else if (logged.value !== null) sentences.push(`The log itself earned ${value(logged.value)} there.`);
  return sentences.join(' ');
}

/** What the parts are. */
export function holdOutFacts({ holdOut }: EvaluationResult): Fact[] {
  if (holdOut === undefined) return [];
  const { by, selection, evaluation, leftOut } = holdOut;
  const how = { users: 'by users', days: 'by days (UTC)', blocks: 'by blocks' }[by];
  const rest = leftOut === 0 ? '' : `; ${plural(leftOut, 'event')} left out, of users who are in the part to pick on`;
  const text = `${how}: ${count(selection.events)} to pick on, ${count(evaluation.events)} to evaluate${rest}`;
  return [{ label: 'hold-out', text, ...(leftOut > evaluation.events ? { warn: true } : {}) }];
}

/** Policies on the part that they were not picked on. */
export function holdOutTable({ holdOut, interval }: EvaluationResult, style: Style): string[] {
  if (holdOut === undefined || holdOut.policies.length === 0) return [];
  const value = payoffText(holdOut);
  const columns: Column[] = [
    { head: 'policy', align: 'left', flexible: 'shorten' },
    { head: 'index', align: 'right', optional: 1 },
    { head: 'picked at', align: 'right' },
    { head: 'matches', align: 'right', optional: 2 },
    { head: 'value', align: 'right' },
    { head: `${percent(interval.confidence)} interval`, align: 'right' },
  ];
  const rows = holdOut.policies.map(({ name, index, selected, matches, value: held, interval: [low, high] }) => [
    name,
    String(index),
    selected === null ? 'none' : value(selected),
    count(matches),
    held === null ? 'none' : value(held),
    held === null ? `${significant(low, 6)} to ${significant(high, 6)}` : `${value(low)} to ${value(high)}`,
  ]);
  return [style.strong('On the part that had no share in picking:'), '', ...gridLines(columns, rows, style)];
}

/** What a reader of the two tables must know. */
export function holdOutNotes({ holdOut }: EvaluationResult): string[] {
  if (holdOut === undefined) return [];
  return [
    'The ranking is of the part to pick on. Intervals on the other part hold for one policy by itself: for the pick as it is, and not for whichever looks best there.',
  ];
}

function payoffText({ policies }: Held): (payoff: number) => string {
  const halves = policies.filter(({ value }) => value !== null).map(({ interval: [low, high] }) => (high - low) / 2);
  const decimals = decimalsFor(halves);
  return (payoff) => (payoff === 0 ? fixed(payoff, decimals) : nonzero(payoff, decimals));
}

function share(of: number): string {
  return percent(Math.round(of * 1000) / 1000);
}
