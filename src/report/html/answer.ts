/** The answer of a report in words: never more than the result says. */

import { printable } from '../../printable.js';
import { plural } from '../../words.js';
import { describeAnswer, describeLearnersAnswer, OTHER_LOGS } from '../answer.js';
import { describeThinning } from '../describe.js';
import { describeHoldOut } from '../hold-out.js';
import { count, fixed, percent } from '../numbers.js';
import type { ReplayResult } from '../replay-result.js';
import type { EvaluationResult } from '../result.js';
import { leader, type Report, type Row } from './model.js';
import { rangeText, reportDecimals, valueText } from './values.js';

/** Which one, what it is worth, and against what. */
export function answerOf(report: Report): string {
  return asTold(report) ?? plainAnswer(report);
}

/** As tables say it, where something is said of all at once or of a hold-out. */
function asTold({ kind, result, total }: Report): string | null {
  if (kind === 'replay') return describeLearnersAnswer(result as ReplayResult);
  if (total === 0) return 'The policy set is empty: nothing was evaluated.';
  return describeHoldOut(result as EvaluationResult) ?? describeAnswer(result as EvaluationResult);
}

/** Where each interval holds by itself alone. */
function plainAnswer(report: Report): string {
  const { noun, total, logged, level, kind, result } = report;
  const [one, many] = noun;
  const first = leader(report);
  if (first === null) {
    const which = total === 1 ? `The ${one}` : `None of ${plural(total, ...noun)}`;
    return `${which} ${total === 1 ? 'matched no event' : 'matched an event'}: nothing is known of what ${total === 1 ? 'it is' : 'they are'} worth.`;
  }
  const decimals = reportDecimals(report);
  const value = valueText(decimals);
  const range = first.interval === null ? '' : ` (${percent(level)}: ${rangeText(first.interval, decimals)})`;
  const name = printable(first.name);
  const sentences = [
    kind === 'replay'
      ? `${total === 1 ? `${name} earned` : `Of ${plural(total, ...noun)} ${name} earned the most,`} ${value(first.value)} per valid event${range}.`
      : total === 1
        ? `${name} is estimated to be worth ${value(first.value)}${range}.`
        : `Of ${plural(total, ...noun)} ${name} has the largest value, ${value(first.value)}${range}.`,
  ];
  if (total > 1)
    sentences.push(
      'That is not corrected for having been picked, and how many others may be the best this result does not say.',
    );
  if (kind === 'evaluation' && (result as EvaluationResult).sequence !== undefined && first.band !== null)
    sentences.push(`At all looks it is within ${rangeText(first.band, decimals)}.`);
  if (logged.value !== null) sentences.push(`The log itself earned ${value(logged.value)}.`);
  if (kind === 'replay') {
    if (first.interval !== null)
      sentences.push(`The interval is that of the mean over replicas, which share this log.`);
    sentences.push(OTHER_LOGS);
  }
  if (total > 1 && report.rows.some(({ value }) => value === null))
    sentences.push(`Of some ${many} nothing is known: they matched no event.`);
  return sentences.join(' ');
}

/** What the answer rests on. */
export function restsOn(report: Report): string | null {
  const row = leader(report);
  if (row === null) return null;
  const { result, kind } = report;
  const of = plural(result.log.events, 'event');
  if (kind === 'replay') {
    const { repeats, subsample } = (result as ReplayResult).replay;
    const each = subsample === 1 ? '' : `, each of which saw an event with probability ${subsample}`;
    return `It rests on ${plural(Math.round(row.matches), 'valid event')} of ${of} per replica, on average over ${plural(repeats, 'replica')}${each}.`;
  }
  const { holdOut } = result as EvaluationResult;
  if (holdOut !== undefined) {
    const pick = holdOut.policies[0];
    return pick === undefined
      ? null
      : `It rests on ${plural(pick.matches, 'match', 'matches')} among ${plural(holdOut.evaluation.events, 'event')} that had no part in picking it.`;
  }
  return `It rests on ${plural(row.matches, 'match', 'matches')} among ${of}${effective(row)}.`;
}

function effective({ ess, largestShare, matches }: Row): string {
  if (ess === null) return '';
  const events = ess < 10 ? fixed(ess, 1) : count(Math.round(ess));
  const heaviest =
    largestShare === null ? '' : `; the heaviest has ${percent(Math.round(largestShare * 1000) / 1000)} of all weight`;
  return matches === 0 ? '' : `, which weigh as much as ${events} equal ones (ESS)${heaviest}`;
}

/** What speaks against the answer: warnings as they are, and what else a reader must know first. */
export function against({ result, kind }: Report): string[] {
  const { log, uniformity, warnings } = result;
  const found: string[] = [];
  if (kind === 'replay') {
    const { verified } = (result as ReplayResult).engine;
    if (verified !== null && !verified.passed)
      found.push(
        `Verification failed: ${verified.first ?? 'decisions differ from those of the CPU'}. Do not rely on this result.`,
      );
  }
  if (uniformity.assumed) found.push(`That decisions were uniformly random was assumed: ${uniformity.detail}`);
  for (const { text, warn } of describeThinning(log)) if (warn === true) found.push(`The log was thinned out: ${text}`);
  for (const { kind: dropped, count: rows, lost = 'row' } of log.droppedRows)
    if (lost !== 'nothing')
      found.push(`${plural(rows, lost, lost === 'stretch' ? 'stretches' : undefined)} not used: ${dropped}`);
  return [...found, ...warnings];
}
