/** Whether the log is fit for the question: how it was logged, what was lost, what matches there are. */

import { plural } from '../../../words.js';
import { describeDropped, describeThinning } from '../../describe.js';
import type { Fact } from '../../facts.js';
import { count, percent, significant } from '../../numbers.js';
import type { Child } from '../markup.js';
import type { Report } from '../model.js';
import { factList, grid } from './parts.js';

/** Tests that are shown. */
const MOST_FACTORS = 12;

/** The section's content but its pictures. */
export function fitness(report: Report): Child[] {
  const { log, uniformity } = report.result;
  const facts: Fact[] = [
    { label: 'events', text: count(log.events) },
    { label: 'logging', text: uniformity.detail, warn: uniformity.assumed },
    ...describeThinning(log),
    ...dueMatches(report),
    ...describeDropped(log.droppedRows),
    ...(log.droppedRows.length === 0 ? [{ label: 'dropped', text: 'no row' }] : []),
  ];
  const { factors, untestedColumns = 0 } = uniformity;
  const shown = factors.slice(0, MOST_FACTORS);
  const more = factors.length - shown.length + untestedColumns;
  const caption = `Tests whether the logged ${log.arms === 1 ? 'arm' : 'arms'} depend on something, smallest p first${more > 0 ? ` (${count(more)} more, not shown or not tested)` : ''}`;
  return [
    factList(facts),
    shown.length > 0 &&
      grid(
        caption,
        [
          ['might depend on', false],
          ['events', true],
          ['chi-square', true],
          ['degrees', true],
          ['p', true],
          ['p, corrected', true],
        ],
        shown.map(({ factor, events, statistic, degrees, p, corrected }) => [
          factor,
          count(events),
          statistic === null ? '–' : significant(statistic, 4),
          degrees === null ? '–' : count(degrees),
          significant(p, 3),
          significant(corrected, 3),
        ]),
      ),
  ];
}

/** The policy whose matches are furthest from what is due, and the weights' tails. */
function dueMatches({ result, rows, noun }: Report): Fact[] {
  const facts: Fact[] = [];
  const { matches } = result.uniformity;
  if (matches !== null) {
    facts.push({
      label: 'matches due',
      text: `of all ${noun[1]} ${matches.name} is furthest from the matches that are due: z = ${significant(matches.z, 3)}, p at most ${significant(matches.p, 3)} for all of them`,
    });
  }
  const weighted = rows.filter(({ ess, matches: own }) => ess !== null && own > 0);
  const none = rows.filter(({ value }) => value === null).length;
  if (none > 0)
    facts.push({ label: 'no match', text: `${plural(none, ...noun)} of which nothing is known`, warn: true });
  if (weighted.length > 0) {
    const heavy = weighted.filter(({ largestShare }) => (largestShare ?? 0) > 0.05).length;
    const [first] = weighted;
    facts.push({
      label: 'weights',
      text: `${first.name}: ${count(first.matches)} matches weigh as much as ${significant(first.ess ?? 0, 4)} equal ones, the heaviest has ${percent(Math.round((first.largestShare ?? 0) * 1000) / 1000)} of all weight; of ${plural(heavy, noun[0], noun[1])} one event has more than 5 %`,
    });
  }
  return facts;
}
