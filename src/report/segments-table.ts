/** The segments of a result as a table: one line each. */

import { printable } from '../printable.js';
import { plural } from '../words.js';
import type { Fact } from './facts.js';
import { type Column, gridLines } from './grid.js';
import { count, decimalsFor, fixed, nonzero, percent } from './numbers.js';
import type { EvaluationResult } from './result.js';
import type { Style } from './style.js';
import { shortenAll } from './text.js';

/** Lines of the table. */
const MOST = 50;
/** Columns of a segment's name. */
const NAME_WIDTH = 18;
const CANNOT_TELL = 'unclear';

type Levels = NonNullable<EvaluationResult['segments']>['levels'];

/** `new, phone` */
export function segmentName({ level }: Pick<Levels[number], 'level'>): string {
  return Object.values(level)
    .map((value) => (value === '' ? '""' : value))
    .join(', ');
}

/** What the log is told apart by. */
export function segmentFacts({ segments }: EvaluationResult): Fact[] {
  if (segments === undefined) return [];
  const { keys, levels } = segments;
  return [{ label: 'segments', text: `${count(levels.length)} by ${keys.map(printable).join(', ')}` }];
}

/** Of each segment the overall winner, and the policy that is best there. */
export function segmentsTable(result: EvaluationResult, style: Style): string[] {
  const { segments, policies, interval } = result;
  if (segments === undefined || segments.levels.length === 0) return [];
  const [overall] = policies;
  const shown = segments.levels.slice(0, MOST);
  const bands = segments.criticalValue !== null;
  const range = ({ winner }: Levels[number]): readonly [number, number] => winner?.band ?? winner?.interval ?? [0, 0];
  const halves = shown.filter(({ winner }) => winner !== null).map((one) => (range(one)[1] - range(one)[0]) / 2);
  // Bands of segments are wide: a digit less leaves room for the log's own mean.
  const decimals = Math.max(1, decimalsFor(halves) - 1);
  const value = (payoff: number | null | undefined): string => (payoff == null ? 'none' : nonzero(payoff, decimals));
  const names = shortenAll(shown.map(segmentName).map(printable), NAME_WIDTH);
  const columns: Column[] = [
    { head: 'segment', align: 'left' },
    { head: 'events', align: 'right', optional: 2 },
    { head: 'log', align: 'right', optional: 1 },
    { head: 'overall', align: 'right' },
    { head: 'best there', align: 'left', flexible: 'shorten' },
    { head: 'value', align: 'right' },
    { head: `${percent(interval.confidence)} ${bands ? 'band' : 'interval'}`, align: 'right' },
    ...(bands ? [{ head: 'differs', align: 'left' } as const] : []),
  ];
  const rows = shown.map((segment, v) => {
    const { events, logged, winner } = segment;
    const [low, high] = range(segment);
    return [
      names[v],
      count(events),
      value(logged),
      value(overall?.segments?.[v]?.value),
      winner?.name ?? '–',
      value(winner?.value),
      winner === null ? '' : `${fixed(low, decimals)} to ${fixed(high, decimals)}`,
      ...(bands ? [differs(winner, overall?.index)] : []),
    ];
  });
  return [style.strong(`By ${segments.keys.map(printable).join(', ')}:`), '', ...gridLines(columns, rows, style)];
}

/** What a reader of the table must know. @param shown segments that the table has at most. */
export function segmentNotes({ segments, policies }: EvaluationResult, shown = MOST): string[] {
  if (segments === undefined || segments.levels.length === 0) return [];
  const { levels, criticalValue } = segments;
  const overall = printable(policies[0]?.name ?? '');
  const more = levels.length - shown;
  return [
    ...(more > 0 ? [`${plural(more, 'segment')} not shown; files hold every one.`] : []),
    criticalValue === null
      ? `overall: ${overall} there. Each interval by segment holds for one policy by itself, and the best is not corrected for having been picked.`
      : `overall: ${overall} there. Bands by segment hold for all policies in all segments at once. differs: whether the best there is credibly better than ${overall}; unclear: the log cannot tell, as where a segment has few events.`,
  ];
}

/** Whether the best of a segment is another than the overall winner. */
export function differs(winner: Levels[number]['winner'], overall: number | undefined): string {
  if (winner === null) return '';
  return winner.differs === true ? 'yes' : winner.index === overall ? 'same' : CANNOT_TELL;
}
