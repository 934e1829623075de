/** Values over the course of a log, from statistics per block: what pictures over time are drawn from. */

import type { BlockRows } from '../block-rows.js';
import { leader, type Report, type Row } from './model.js';

/** Points of a line at most, and at least where there are as many blocks; neighbouring blocks are added up until there are so few. */
const MOST_POINTS = 40;
const LEAST_POINTS = 8;
/** Matches that a point is to rest on, as a rule: fewer show chance and little else. */
const POINT_MATCHES = 200;
/** Lines of a picture, beside that of the log. */
const MOST_LINES = 4;

/** Blocks that make a point: `[from, to)`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Events of the log before it, and up to its end. */
  readonly start: number;
  readonly end: number;
}

/** Where lines have points. */
export interface Course {
  readonly stretches: readonly Stretch[];
  /** The middle of each: a number of events, or a time in milliseconds. */
  readonly x: readonly number[];
  readonly isTime: boolean;
  /** Blocks of a point. */
  readonly blocks: number;
  /** What the log itself earned, stretch by stretch; `null`: the result does not say. */
  readonly logged: readonly number[] | null;
}

/**
 * `null`: the result has no statistics per block, or blocks that have no order.
 *
 * @param sums points are of the log up to there, and not of a part of it each.
 */
export function courseOf({ blocks, unweighted, rows }: Report, sums = false): Course | null {
  const { count, kind, events, labels, logged } = blocks;
  if (!unweighted || events === undefined || count < 2 || (kind !== 'run' && kind !== 'period')) return null;
  const most = rows.reduce((size, { matches, value }) => (value === null ? size : Math.max(size, matches)), 0);
  const wanted = sums || kind === 'period' ? MOST_POINTS : Math.max(LEAST_POINTS, Math.floor(most / POINT_MATCHES));
  const size = Math.ceil(count / Math.min(MOST_POINTS, wanted));
  const before = [0];
  for (const length of events) before.push(before[before.length - 1] + length);
  const stretches = Array.from({ length: Math.ceil(count / size) }, (_, i): Stretch => {
    const [from, to] = [i * size, Math.min(count, (i + 1) * size)];
    return { from, to, start: before[from], end: before[to] };
  });
  const times = kind === 'period' ? (labels ?? []).map((label) => Date.parse(label)) : [];
  const isTime = times.length === count && times.every((time) => Number.isFinite(time));
  return {
    ...{ stretches, isTime, blocks: size },
    x: stretches.map(({ from, start, end }) => (isTime ? times[from] : (start + end) / 2)),
    logged: logged === undefined ? null : stretches.map(({ from, to }) => sum(logged, from, to)),
  };
}

/** Payoff per match in each stretch; `null`: no match. */
export function valuesOf({ matches, payoff }: BlockRows, { stretches }: Course): (number | null)[] {
  return stretches.map(({ from, to }) => quotient(sum(payoff, from, to), sum(matches, from, to)));
}

/** Payoff per match from the first event to the end of each stretch; `null`: no match so far. */
export function soFar({ matches, payoff }: BlockRows, { stretches }: Course): (number | null)[] {
  return stretches.map(({ to }) => quotient(sum(payoff, 0, to), sum(matches, 0, to)));
}

/** Matches from the first event to the end of each stretch. */
export function matchesSoFar({ matches }: BlockRows, { stretches }: Course): number[] {
  return stretches.map(({ to }) => sum(matches, 0, to));
}

/** Mean payoff of the log in each stretch. */
export function loggedValues({ logged, stretches }: Course): (number | null)[] | null {
  return logged?.map((payoff, i) => quotient(payoff, stretches[i].end - stretches[i].start)) ?? null;
}

/** Mean payoff of the log from its first event to the end of each stretch. */
export function loggedSoFar({ logged, stretches }: Course): (number | null)[] | null {
  return logged?.map((_, i) => quotient(sum(logged, 0, i + 1), stretches[i].end)) ?? null;
}

/** The rows whose lines are drawn: the first, the baseline, and the next best. */
export function drawnRows(report: Report, has: (row: Row) => boolean): Row[] {
  const { rows, baseline } = report;
  const known = rows.filter((row) => row.value !== null && has(row));
  const base = baseline === null ? undefined : known.find(({ index }) => index === baseline.index);
  const first = leader(report);
  const chosen = new Set([...known.filter((row) => row === first), ...(base === undefined ? [] : [base]), ...known]);
  return [...chosen].slice(0, MOST_LINES);
}

function sum(numbers: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let i = from; i < to; i++) total += numbers[i];
  return total;
}

function quotient(sum: number, count: number): number | null {
  return count > 0 ? sum / count : null;
}
