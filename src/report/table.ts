/** Result → a ranking that fits 80 columns. */

import { plural } from '../words.js';
import { describeResult } from './describe.js';
import { factLines } from './facts.js';
import { type Column, gridLines } from './grid.js';
import { count, decimalsFor, fixed, nonzero, percent, significant } from './numbers.js';
import type { EvaluationResult, PolicyResult } from './result.js';
import { PLAIN, type Style } from './style.js';
import { wrap } from './text.js';

/** Facts, then the policies of the result, best first, then what a reader of the ranking must know. */
export function toTable(result: EvaluationResult, style: Style = PLAIN): string {
  const lines = [...factLines(describeResult(result), style), ''];
  if (result.policies.length > 0) lines.push(...ranking(result, style));
  const below = notes(result);
  if (below.length > 0 && result.policies.length > 0) lines.push('');
  lines.push(...below.flatMap((note) => wrap(note, style.width)));
  return `${lines.join('\n')}\n`;
}

function ranking(result: EvaluationResult, style: Style): string[] {
  const shown = result.policies;
  const { estimator, estimators } = result;
  const [, ...others] = estimators;
  const weighted = shown.some(({ weights }) => weights !== undefined);
  const early = estimator.algorithm === 1;
  const decimals = decimalsFor(shown.filter((p) => p.value !== null).map((p) => (p.interval[1] - p.interval[0]) / 2));
  const payoffs = payoffText(shown);
  const columns: Column[] = [
    { head: 'rank', align: 'right', optional: 2 },
    { head: 'policy', align: 'left', flexible: 'shorten' },
    // Several estimators side by side take the room.
    { head: 'index', align: 'right', ...(others.length > 0 ? { optional: 3 } : {}) },
    { head: 'matches', align: 'right', ...(others.length > 0 ? { optional: 4 } : {}) },
    ...(early ? [{ head: 'consumed', align: 'right' } as const] : []),
    ...(weighted
      ? [{ head: 'ESS', align: 'right' } as const, { head: 'largest', align: 'right', optional: 1 } as const]
      : [{ head: 'payoff', align: 'right', optional: 1 } as const]),
    { head: 'value', align: 'right' },
    { head: `${percent(result.interval.confidence)} interval`, align: 'right' },
    ...others.map(({ name }, i) => ({ head: name, align: 'right', optional: 5 + others.length - i }) as const),
  ];
  const rows = shown.map((policy, i) => [
    policy.value === null ? '–' : count(i + 1),
    policy.name,
    String(policy.index),
    count(policy.matches),
    ...(early ? [consumed(policy)] : []),
    ...(weighted
      ? [shortCount(policy.weights?.ess ?? 0), percent(roundShare(policy.weights?.largestShare ?? 0))]
      : [payoffs(policy.payoff)]),
    policy.value === null ? 'none' : nonzero(policy.value, decimals),
    policy.value === null
      ? `${significant(policy.interval[0], 6)} to ${significant(policy.interval[1], 6)}`
      : `${fixed(policy.interval[0], decimals)} to ${fixed(policy.interval[1], decimals)}`,
    ...others.map(({ name }) => {
      const value = policy.estimates[name]?.value ?? null;
      return value === null ? 'none' : nonzero(value, decimals);
    }),
  ]);
  return gridLines(columns, rows, style);
}

/** Effective events: whole ones, or one decimal where they are few. */
function shortCount(events: number): string {
  return events < 10 ? fixed(events, 1) : count(Math.round(events));
}

/** To a tenth of a per cent, as shares of single events may be small. */
function roundShare(share: number): number {
  return Math.round(share * 1000) / 1000;
}

/** Payoffs of a column with one number of decimals: none for clicks, two for cents. */
function payoffText(policies: readonly PolicyResult[]): (payoff: number) => string {
  const decimals = policies.every((p) => Number.isInteger(p.payoff)) ? 0 : 2;
  return (payoff) =>
    Math.abs(payoff) > 0 && Math.abs(payoff) < 0.01 ? significant(payoff, 3) : fixed(payoff, decimals);
}

function consumed(policy: PolicyResult): string {
  if (policy.consumed === undefined) return '–';
  return `${count(policy.consumed)}${policy.complete === false ? '*' : ''}`;
}

function notes(result: EvaluationResult): string[] {
  const { policies } = result;
  const omitted = result.omitted ?? 0;
  const total = policies.length + omitted;
  const lines: string[] = [];
  if (total === 0) lines.push('The policy set is empty: nothing was evaluated.');
  if (omitted > 0)
    lines.push(`${count(omitted)} of ${plural(total, 'policy', 'policies')} not shown (--top ${policies.length}).`);
  if (policies.some((p) => p.value === null)) {
    lines.push('none: no event matched, so there is no estimate; the interval is the whole payoff range.');
  }
  if (policies.some((p) => p.complete === false)) {
    lines.push('*: the log ended first; the estimate uses the valid events there were.');
  }
  if (total > 1) {
    lines.push(
      `Each interval holds for one policy by itself; that of the best of ${count(total)} is not corrected for having been selected as the best.`,
    );
  }
  return lines;
}
