/** Answers of `hindcast plan` in words: how many logged events are needed. */

import type { ErrorPlan, MatchesPlan } from '../estimate/plan.js';
import { plural } from '../words.js';
import { type Fact, factLines } from './facts.js';
import { count, percent, significant } from './numbers.js';
import { PLAIN, type Style } from './style.js';
import { pad, wrap } from './text.js';

/** What was asked and what is needed, as the JSON holds it. */
export interface PlanReport {
  hindcast: string;
  /** K; not whole where it is a mean over candidate sets. */
  arms: number;
  /** δ: how often the answer may be wrong. */
  delta: number;
  /** For T valid events; `null` where it was not asked. */
  matches: (MatchesPlan & { validEvents: number }) | null;
  /** For an error of the estimate; `null` where it was not asked. */
  error: (ErrorPlan & { error: number; value: number; range: readonly [number, number] }) | null;
}

/** Both answers as tables, with what each number promises. */
export function planTable(plan: PlanReport, style: Style = PLAIN): string {
  const facts: Fact[] = [
    { label: 'arms', text: `${significant(plan.arms, 6)}, each shown equally often` },
    { label: 'confidence', text: `${percent(1 - plan.delta)} (delta ${significant(plan.delta, 6)})` },
  ];
  const lines = factLines(facts, style);
  if (plan.matches !== null) lines.push('', ...matchesLines(plan.matches, style));
  if (plan.error !== null) lines.push('', ...errorLines(plan.error, style));
  lines.push('', ...wrap(NOTE, style.width).map(style.faint));
  return `${lines.join('\n')}\n`;
}

const NOTE =
  'These are numbers for one policy. A best policy chosen among many needs more: delta is shared among them ' +
  '(for P policies, ask with delta / P).';

function matchesLines(plan: NonNullable<PlanReport['matches']>, style: Style): string[] {
  return section(
    `For ${plural(plan.validEvents, 'valid event')} per policy`,
    [
      [count(plan.expected), 'logged events on average: K T'],
      [count(plan.exact), 'suffice: exact, from the negative binomial'],
      [count(plan.bound), 'suffice by Theorem 1: 2 K (T + ln 1/delta)'],
    ],
    style,
  );
}

function errorLines(plan: NonNullable<PlanReport['error']>, style: Style): string[] {
  const [low, high] = plan.range;
  const range = low === 0 && high === 1 ? '' : `, payoffs from ${significant(low, 6)} to ${significant(high, 6)}`;
  return section(
    `For a value of about ${significant(plan.value, 6)} to within ${significant(plan.error, 6)}${range}`,
    [
      [count(plan.normal), 'logged events suffice by the normal approximation'],
      [count(plan.theorem2), 'suffice by Theorem 2: for any log, far from tight'],
    ],
    style,
  );
}

function section(title: string, rows: [string, string][], style: Style): string[] {
  const width = Math.max(...rows.map(([number]) => number.length));
  return [
    ...wrap(title, style.width).map(style.strong),
    ...rows.map(([number, text]) => `  ${pad(number, width, 'right')}  ${style.faint(text)}`),
  ];
}
