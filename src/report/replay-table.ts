/** Result of a replay → a table that fits 80 columns: the paper's Table 1. */

import { printable } from '../printable.js';
import { plural } from '../words.js';
import { describeLearnersAnswer } from './answer.js';
import { describeBands, describeEngine, describeEstimator, describeLogFacts, describeLosses } from './describe.js';
import { describeMemory } from './describe-memory.js';
import { type Fact, factLines } from './facts.js';
import { type Column, flexibleRoom, gridLines } from './grid.js';
import { shortNames } from './learner-names.js';
import { count, decimalsFor, fixed, nonzero, percent, signed, significant } from './numbers.js';
import type { ReplayResult } from './replay-result.js';
import { PLAIN, type Style } from './style.js';
import { displayWidth, wrap } from './text.js';

/** The answer, facts, one row per learner and setting, then what a reader must know. */
export function toReplayTable(result: ReplayResult, style: Style = PLAIN): string {
  const { lines: table, shared } = grid(result, style);
  const answer = describeLearnersAnswer(result);
  const above = answer === null ? [] : [...wrap(answer, style.width).map(style.strong), ''];
  const lines = [...above, ...factLines(describeReplayResult(result), style), '', ...table, ''];
  lines.push(...notes(result, shared).flatMap((note) => wrap(note, style.width)));
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Everything above the table but the answer, from the log to the warnings. */
export function describeReplayResult(result: ReplayResult): Fact[] {
  return [
    ...describeLogFacts(result.log),
    { label: 'uniform', text: result.uniformity.detail, warn: result.uniformity.assumed },
    { label: 'estimator', text: describeEstimator(result) },
    { label: 'replicas', text: describeReplay(result.replay) },
    ...describeScale(result.scale),
    ...describeIntervals(result),
    { label: 'engine', text: describeEngine({ engine: { ...result.engine, verified: null } }) },
    ...describeMemory(result.engine),
    ...describeVerification(result.engine.verified),
    ...describeLosses(result),
  ];
}

/** Bands, or where there are none the intervals of means over replicas. */
function describeIntervals({ selection, interval }: ReplayResult): Fact[] {
  if (selection !== null)
    return describeBands({ selection }, ['learner', 'learners'], (pairs) => `${plural(pairs, 'pair')} of blocks`);
  const text = `of the mean over replicas: ${interval.method}, ${percent(interval.confidence)}`;
  return [{ label: 'interval', text }];
}

function describeReplay({ repeats, subsample, seed, updateEvery, learnFrom }: ReplayResult['replay']): string {
  const parts = [
    `${count(repeats)} per learner`,
    subsample === 1 ? 'all events' : `each event with probability ${subsample}`,
    `seed ${seed}`,
  ];
  if (typeof updateEvery === 'number') parts.push(`updates every ${plural(updateEvery, 'event')}`);
  else if (updateEvery !== null) parts.push(`updates every ${periodText(updateEvery.period)}`);
  if (learnFrom === 'all') parts.push('learners learn from every event, and payoffs count on matches');
  return parts.join('; ');
}

function describeScale(scale: ReplayResult['scale']): Fact[] {
  if (scale === undefined) return [];
  const columns = [...scale.contexts, ...scale.armFeatures];
  const changed = columns.filter(({ offset, divisor }) => offset !== 0 || divisor !== 1).length;
  const how =
    scale.method === 'max' ? 'divided by their largest size' : 'less their mean, divided by their standard deviation';
  const text = `${count(changed)} of ${plural(columns.length, 'column')} ${how}, of the whole log, which looks ahead`;
  return [{ label: 'scaled', text }];
}

/** `3 replicas, 1,234 decisions: all as computed anew`; a failure is for all to see. */
function describeVerification(verified: ReplayResult['engine']['verified']): Fact[] {
  if (verified === null) return [];
  const { replicas, decisions, differing, beyond, largest, broken, tolerance, every, passed } = verified;
  const checked = `${plural(replicas, 'replica')}, ${plural(decisions, 'decision')}${every ? '' : ' at retained events'}`;
  const within = differing - beyond;
  const allowed = `the tolerance of ${significant(tolerance, 3)}`;
  const found: string[] = [];
  if (beyond > 0) found.push(`${count(beyond)} differ${beyond === 1 ? 's' : ''}, computed anew, beyond ${allowed}`);
  if (within > 0) found.push(`${count(within)} differ${within === 1 ? 's' : ''}, computed anew, within ${allowed}`);
  if (largest > 0) found.push(`largest difference ${significant(largest, 3)}`);
  if (broken > 0)
    found.push(`${plural(broken, 'replica')} ${broken === 1 ? 'contradicts itself' : 'contradict themselves'}`);
  if (found.length === 0) found.push(decisions === 0 ? 'nothing to compare' : 'all as computed anew');
  return [{ label: 'verified', text: `${passed ? '' : 'FAILED: '}${checked}: ${found.join(', ')}`, warn: !passed }];
}

/** `5 min`, `1 d`: the largest unit that leaves no rest. */
function periodText(milliseconds: number): string {
  const units = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000, ms: 1 };
  const found = Object.entries(units).find(([, size]) => milliseconds % size === 0);
  return found === undefined ? `${milliseconds} ms` : `${milliseconds / found[1]}\u00a0${found[0]}`;
}

/** Decimals of means: two digits of the narrowest spread. */
export function learnerDecimals(learners: readonly { readonly std: number | null }[]): number {
  const spreads = learners.map(({ std }) => std ?? 0).filter((std) => std > 0);
  return spreads.length > 0 ? Math.min(6, Math.max(0, decimalsFor(spreads) - 1)) : 4;
}

/** The table's lines, and what its names leave out. */
function grid(result: ReplayResult, style: Style): { lines: string[]; shared: readonly string[] } {
  const { learners, logged, selection } = result;
  const decimals = learnerDecimals(learners);
  const isCompared = selection?.baseline != null;
  const number = (value: number | null): string => (value === null ? '–' : fixed(value, decimals));
  const columns: Column[] = [
    { head: 'learner', align: 'left', flexible: 'wrap' },
    { head: 'mean', align: 'right' },
    { head: 'std', align: 'right' },
    { head: 'min', align: 'right', optional: 1 },
    { head: 'max', align: 'right', optional: 2 },
    { head: 'matches', align: 'right' },
    { head: `${percent(result.interval.confidence)} ${selection === null ? 'interval' : 'band'}`, align: 'right' },
    ...(selection === null ? [] : [{ head: '', align: 'left' } as const]),
    ...(isCompared ? [{ head: 'better by ≥', align: 'right' } as const] : []),
  ];
  const rows = learners.map((row) => [
    row.name,
    row.mean === null ? 'none' : nonzero(row.mean, decimals),
    number(row.std),
    number(row.min),
    number(row.max),
    `${count(Math.round(row.matches))}${row.empty > 0 && row.estimates > 0 ? '*' : ''}`,
    selection === null || row.mean === null ? between(row.interval, decimals) : between(row.band, decimals),
    ...(selection === null ? [] : [row.mayBeBest === true ? '*' : '']),
    ...(isCompared ? [row.difference?.lower == null ? '' : signed(row.difference.lower, decimals)] : []),
  ]);
  if (logged.value !== null)
    rows.push([
      ...['(the log)', nonzero(logged.value, decimals), '', '', '', count(logged.events)],
      ...[between(logged.interval, decimals), '', ''].slice(0, columns.length - 6),
    ]);
  const room = flexibleRoom(columns, rows, style.width);
  if (rows.every(([name]) => displayWidth(printable(name)) <= room)) {
    return { lines: gridLines(columns, rows, style), shared: [] };
  }
  const { names, shared } = shortNames(learners);
  // The log's own line keeps its name.
  const short = rows.map(([name, ...cells], i) => [names[i] ?? name, ...cells]);
  return { lines: gridLines(columns, short, style), shared };
}

function between(interval: readonly [number, number] | null | undefined, decimals: number): string {
  return interval == null ? '–' : `${fixed(interval[0], decimals)} to ${fixed(interval[1], decimals)}`;
}

function notes({ learners, replay, selection }: ReplayResult, shared: readonly string[]): string[] {
  const lines = ['matches: valid events of a replica, on average.'];
  if (shared.length > 0) lines.push(`Names leave out what all rows of an algorithm share: ${shared.join('; ')}.`);
  if (learners.some(({ mean }) => mean === null))
    lines.push('none: no replica retained an event, so there is no estimate.');
  const partly = learners.filter(({ empty, estimates }) => empty > 0 && estimates > 0);
  if (partly.length > 0) {
    const most = Math.max(...partly.map(({ empty }) => empty));
    lines.push(`*: up to ${plural(most, 'replica')} retained nothing and is left out of the statistics.`);
  }
  if (selection !== null) {
    lines.push(
      'Bands hold for all learners at once, for what the decisions of these runs were worth; the line of the log has an interval of its own. *: in the set that holds the best of them.',
      ...(selection.baseline === null
        ? []
        : [`better by ≥: lower bounds, for all at once, on the difference to ${selection.baseline.name}.`]),
    );
    if (learners.some(({ runsDiffer }) => runsDiffer === null))
      lines.push(
        'Fewer than ten replicas, or replicas that are alike, cannot tell whether what a learner earns hangs on what it happens to see first.',
      );
  } else if (replay.repeats > 1) {
    lines.push('Replicas share one log: intervals do not say how another log would differ.');
  }
  return lines;
}
