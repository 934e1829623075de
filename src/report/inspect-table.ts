/** An inspection → facts about the log, its arms and its context columns. */

import { filledWith } from '../log/build/missing.js';
import type { Inspection, Rate, ViewEffect } from '../open/inspect.js';
import { printable } from '../printable.js';
import { plural } from '../words.js';
import { describeCost, describeDropped, describeEvents, describeFiles, describePayoff } from './describe.js';
import { type Fact, factLines } from './facts.js';
import { type Column, gridLines } from './grid.js';
import { count, fixed, significant } from './numbers.js';
import { PLAIN, type Style } from './style.js';

/** Rows shown of the arms and of the context columns; JSON has all. */
const ROWS = 30;

/** Facts, then a table of arms, then one of context columns. */
export function inspectTable(log: Inspection, style: Style = PLAIN): string {
  const lines = factLines(facts(log), style);
  if (log.uniformity.table.length > 0) lines.push('', ...log.uniformity.table.map(printable));
  lines.push('', ...cut(armTable(log, style), log.arms.length, 'arm', style));
  if (log.context.columns.length > 0) {
    lines.push('', ...cut(contextTable(log, style), log.context.columns.length, 'context column', style));
  }
  return `${lines.join('\n')}\n`;
}

function facts(log: Inspection): Fact[] {
  const { uniformity, period } = log;
  const list: Fact[] = [
    { label: 'log', text: describeFiles(log) },
    { label: 'events', text: events(log) },
    { label: 'arms', text: arms(log) },
    { label: 'payoff', text: payoff(log) },
    { label: 'context', text: context(log) },
  ];
  if (log.armFeatures !== null) list.push({ label: 'features', text: features(log.armFeatures, log.arms.length) });
  if (log.users !== null) list.push({ label: 'users', text: count(log.users) });
  for (const { name, values } of log.keys) list.push({ label: 'key', text: `${name}: ${plural(values, 'value')}` });
  if (log.distinctViews !== undefined) list.push({ label: 'views', text: views(log.distinctViews) });
  list.push({
    label: uniformity.uniform ? 'uniform' : 'biased',
    text: uniformity.uniform
      ? uniformity.detail
      : `${uniformity.detail}; replay would be biased, and evaluate refuses this log`,
    warn: !uniformity.uniform,
  });
  list.push({ label: 'matches', text: `about ${count(Math.round(log.expectedMatches))} for any fixed policy` });
  if (uniformity.warning !== null) list.push({ label: 'warning', text: uniformity.warning, warn: true });
  if (period !== null && !period.ascending) {
    list.push({ label: 'order', text: 'times are not ascending: the order of the files is the order of events' });
  }
  list.push(...describeDropped(log.badRows));
  if (log.missing.length > 0) list.push({ label: 'missing', text: missing(log) });
  for (const warning of log.warnings) list.push({ label: 'warning', text: warning, warn: true });
  return list;
}

function events(log: Inspection): string {
  const period: [string, string] | null = log.period === null ? null : [log.period.first, log.period.last];
  const { distinctViews } = log;
  const text = describeEvents({ events: log.events, period, distinctViews: distinctViews?.before });
  return log.rows === null || log.rows === (distinctViews?.before ?? log).events
    ? text
    : `${text}; ${plural(log.rows, 'row')} in the files`;
}

function arms(log: Inspection): string {
  const { candidates } = log;
  if (candidates === null) return count(log.arms.length);
  const { distinctSets, minSize, medianSize, maxSize } = candidates;
  const sizes = minSize === maxSize ? `of ${minSize}` : `of ${minSize} to ${maxSize}, median ${medianSize}`;
  return `${count(log.arms.length)}; ${plural(distinctSets, 'candidate set')} ${sizes}`;
}

function payoff(log: Inspection): string {
  const { payoff: p } = log;
  const basis = { declared: 'declared', unit: 'as all payoffs lie in it', observed: 'as observed' }[p.range];
  const seen =
    p.min === null || p.max === null || p.mean === null
      ? ''
      : `; seen ${significant(p.min, 6)} to ${significant(p.max, 6)}, mean ${significant(p.mean, 5)}`;
  return `${describePayoff(p)} (range ${basis})${seen}${describeCost(log)}`;
}

/** `visits at 12 rows, filled in with the mean of the others, 4.5; age at 3 rows, dropped`. */
function missing(log: Inspection): string {
  const texts = log.missing.slice(0, ROWS).map(({ column, rows, filled, with: what }) => {
    const fate = filled === 0 ? 'dropped' : filledWith(what);
    return `${column} at ${plural(rows, 'row')}, ${fate}${filled > 0 && filled < rows ? ` at ${count(filled)} that are kept` : ''}`;
  });
  return `${texts.join('; ')}${log.missing.length > ROWS ? `; and ${plural(log.missing.length - ROWS, 'more column')}` : ''}`;
}

/** `14 of each arm, in 155 versions: item_feature_0, item_feature_1=4ae3… and 12 more`. */
function features({ dimension, rows, columns }: NonNullable<Inspection['armFeatures']>, arms: number): string {
  const versions = rows === arms ? '' : `, in ${plural(rows, 'version')}`;
  const more = columns.length > 2 ? ` and ${count(columns.length - 2)} more` : '';
  return `${count(dimension)} of each arm${versions}: ${columns.slice(0, 2).join(', ')}${more}`;
}

/** `mean payoff 0.0312 of all 10,000 events, 0.0397 (+27.2 %) of the 7,800 distinct views`. */
function views({ before, after }: ViewEffect): string {
  const mean = (rate: Rate): string => (rate.mean === null ? 'none' : significant(rate.mean, 5));
  const change =
    before.mean === null || after.mean === null || before.mean === 0
      ? ''
      : ` (${signed(100 * (after.mean / before.mean - 1))} %)`;
  return `mean payoff ${mean(before)} of all ${plural(before.events, 'event')}, ${mean(after)}${change} of the ${plural(after.events, 'distinct view')}`;
}

function signed(value: number): string {
  const text = fixed(Math.abs(value), 1);
  return `${text === '0.0' ? '±' : value < 0 ? '−' : '+'}${text}`;
}

function context({ context: c }: Inspection): string {
  if (c.dimension === 0) return 'none';
  const distinct = c.distinctContexts === null ? 'nearly all distinct' : `${count(c.distinctContexts)} distinct`;
  const pairs = c.distinctPairs === null ? '' : `; ${plural(c.distinctPairs, 'pair')} with candidate sets`;
  return `${plural(c.dimension, 'column')} (${c.type}), ${distinct}${pairs}`;
}

/** Arms; where repeated views count as one, with all their views and the mean of those. */
function armTable(log: Inspection, style: Style): string[] {
  const effect = log.distinctViews;
  const columns: Column[] = [
    { head: 'index', align: 'right' },
    { head: 'arm', align: 'left', flexible: 'shorten' },
    ...(effect === undefined ? [] : [{ head: 'views', align: 'right' } as const]),
    { head: effect === undefined ? 'events' : 'distinct', align: 'right' },
    { head: 'share', align: 'right' },
    { head: 'payoff', align: 'right' },
    ...(effect === undefined ? [] : [{ head: 'mean of views', align: 'right' } as const]),
    { head: effect === undefined ? 'mean' : 'of distinct', align: 'right' },
  ];
  const shown = log.arms.slice(0, ROWS);
  const decimals = shown.every((arm) => Number.isInteger(arm.payoff)) ? 0 : 2;
  const mean = (value: number | null): string => (value === null ? 'none' : fixed(value, 4));
  const rows = shown.map((arm, a) => [
    String(a),
    arm.id,
    ...(effect === undefined ? [] : [count(effect.arms[a].before.events)]),
    count(arm.events),
    log.events === 0 ? '–' : `${fixed((100 * arm.events) / log.events, 2)} %`,
    fixed(arm.payoff, decimals),
    ...(effect === undefined ? [] : [mean(effect.arms[a].before.mean)]),
    mean(arm.mean),
  ]);
  return gridLines(columns, rows, style);
}

function contextTable(log: Inspection, style: Style): string[] {
  const columns: Column[] = [
    { head: 'index', align: 'right' },
    { head: 'context column', align: 'left', flexible: 'shorten' },
    { head: 'distinct', align: 'right' },
    { head: 'min', align: 'right' },
    { head: 'max', align: 'right' },
  ];
  const rows = log.context.columns
    .slice(0, ROWS)
    .map((column, j) => [
      String(j),
      column.name,
      column.distinct === null ? 'many' : count(column.distinct),
      column.min === null ? '–' : significant(column.min, 5),
      column.max === null ? '–' : significant(column.max, 5),
    ]);
  return gridLines(columns, rows, style);
}

function cut(lines: string[], total: number, what: string, style: Style): string[] {
  if (total <= ROWS) return lines;
  return [...lines, style.faint(`${plural(total - ROWS, `more ${what}`)} not shown (--format json has all).`)];
}
