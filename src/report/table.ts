/** Result → a ranking that fits 80 columns. */

import { plural } from '../words.js';
import { describeAnswer } from './answer.js';
import { describeResult, describeThinning } from './describe.js';
import { factLines } from './facts.js';
import { type Column, gridLines } from './grid.js';
import { describeHoldOut, holdOutNotes, holdOutTable } from './hold-out.js';
import { count, decimalsFor, fixed, nonzero, percent, signed, significant } from './numbers.js';
import type { EvaluationResult, PolicyResult } from './result.js';
import { segmentNotes, segmentsTable } from './segments-table.js';
import { PLAIN, type Style } from './style.js';
import { wrap } from './text.js';

/** The answer, facts, the policies of the result, best first, then what a reader of the ranking must know. */
export function toTable(result: EvaluationResult, style: Style = PLAIN): string {
  const answer = describeHoldOut(result) ?? describeAnswer(result);
  const lines = factLines(describeThinning(result.log), style);
  if (lines.length > 0 && answer !== null) lines.push('');
  if (answer !== null) lines.push(...wrap(answer, style.width).map(style.strong), '');
  lines.push(...factLines(describeResult(result), style), '');
  if (result.policies.length > 0) lines.push(...ranking(result, style));
  for (const more of [holdOutTable(result, style), segmentsTable(result, style)])
    if (more.length > 0) lines.push('', ...more);
  const below = notes(result);
  if (below.length > 0 && result.policies.length > 0) lines.push('');
  lines.push(...below.flatMap((note) => wrap(note, style.width)));
  return `${lines.join('\n')}\n`;
}

/** A line of the ranking: of a policy, or of the log itself. */
type Line = Pick<PolicyResult, 'name' | 'matches' | 'value' | 'interval'> & Partial<PolicyResult>;

function ranking(result: EvaluationResult, style: Style): string[] {
  const lines: readonly Line[] = withLog(result);
  const shown = result.policies;
  const { estimator, estimators, selection, sequence } = result;
  const [, ...others] = estimators;
  const weighted = shown.some(({ weights }) => weights !== undefined);
  const early = estimator.algorithm === 1;
  const decimals = decimalsFor(shown.filter((p) => p.value !== null).map((p) => (range(p)[1] - range(p)[0]) / 2));
  const payoffs = payoffText(shown);
  const level = percent(result.interval.confidence);
  const compared = selection?.baseline != null;
  const columns: Column[] = [
    { head: 'rank', align: 'right', optional: 2 },
    { head: 'policy', align: 'left', flexible: 'shorten' },
    // Several estimators side by side take the room.
    { head: 'index', align: 'right', ...(others.length > 0 || compared ? { optional: 3 } : {}) },
    { head: 'matches', align: 'right', ...(others.length > 0 ? { optional: 4 } : {}) },
    ...(early ? [{ head: 'consumed', align: 'right' } as const] : []),
    ...(weighted
      ? [{ head: 'ESS', align: 'right' } as const, { head: 'largest', align: 'right', optional: 1 } as const]
      : [{ head: 'payoff', align: 'right', optional: selection === null ? 1 : 0 } as const]),
    { head: 'value', align: 'right' },
    {
      head: `${level} ${sequence === undefined ? (selection === null ? 'interval' : 'band') : 'sequence'}`,
      align: 'right',
    },
    ...(selection === null ? [] : [{ head: '', align: 'left' } as const]),
    ...(compared ? [{ head: 'better by ≥', align: 'right' } as const] : []),
    ...others.map(({ name }, i) => ({ head: name, align: 'right', optional: 5 + others.length - i }) as const),
  ];
  let rank = 0;
  const rows = lines.map((line) => {
    if (line.index !== undefined) rank++;
    const { value } = line;
    const [low, high] = range(line);
    return [
      value === null || line.index === undefined ? '–' : count(rank),
      line.name,
      line.index === undefined ? '' : String(line.index),
      count(line.matches),
      ...(early ? [consumed(line)] : []),
      ...(weighted ? weightTexts(line) : [line.payoff === undefined ? '' : payoffs(line.payoff)]),
      value === null ? 'none' : nonzero(value, decimals),
      value === null
        ? `${significant(low, 6)} to ${significant(high, 6)}`
        : `${fixed(low, decimals)} to ${fixed(high, decimals)}`,
      ...(selection === null ? [] : [line.mayBeBest === true ? '*' : '']),
      ...(compared ? [line.difference?.lower == null ? '' : signed(line.difference.lower, decimals)] : []),
      ...others.map(({ name }) => {
        if (line.index === undefined) return '';
        const value = line.estimates?.[name]?.value ?? null;
        return value === null ? 'none' : nonzero(value, decimals);
      }),
    ];
  });
  return gridLines(columns, rows, style);
}

/** Policies, best first, with the log itself where its own mean stands among them. */
function withLog({ policies, logged }: EvaluationResult): Line[] {
  const { value, events, interval } = logged;
  if (value === null) return [...policies];
  const line: Line = { name: '(the log)', matches: events, value, interval };
  const behind = policies.findIndex((policy) => policy.value === null || policy.value < value);
  return behind < 0 ? [...policies, line] : [...policies.slice(0, behind), line, ...policies.slice(behind)];
}

function weightTexts({ index, weights }: Line): string[] {
  if (index === undefined) return ['', ''];
  return [shortCount(weights?.ess ?? 0), percent(roundShare(weights?.largestShare ?? 0))];
}

/** What the table shows of a line: bounds after the last look where there are looks, else the band, else the interval. */
function range({ interval, band, sequence }: Line): readonly [low: number, high: number] {
  if (sequence === undefined) return band ?? interval;
  return [sequence.lower.at(-1) ?? interval[0], sequence.upper.at(-1) ?? interval[1]];
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

function consumed(policy: Line): string {
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
  lines.push(...holdOutNotes(result), ...segmentNotes(result));
  const { selection, sequence } = result;
  if (sequence !== undefined && total > 1) {
    lines.push(
      `Each sequence holds for one policy by itself, at all looks; for all ${count(total)} at once the confidence would have to be ${significant(1 - (1 - sequence.level) / total, 9)}.${selection === null ? '' : ' What is said of all policies at once (the best, the set that holds it, differences) holds at one look.'}`,
    );
  }
  if (selection !== null) {
    const { baseline } = selection;
    lines.push(
      `${sequence === undefined ? 'Bands hold for all policies at once; the' : 'The'} line of the log has an interval of its own. *: in the set that holds the best policy. What was fitted on this log is covered by none of this.`,
      ...(baseline === null
        ? []
        : [`better by ≥: lower bounds, for all at once, on the difference to ${baseline.name}.`]),
    );
  } else if (total > 1 && sequence === undefined) {
    lines.push(
      `Each interval holds for one policy by itself; that of the best of ${count(total)} is not corrected for having been selected as the best.`,
    );
  }
  return lines;
}
