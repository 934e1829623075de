/** What policies earned in each part of the log, beside what the log itself earned there. */

import { printable } from '../../../printable.js';
import { plural } from '../../../words.js';
import { count } from '../../numbers.js';
import type { Report } from '../model.js';
import { type Course, courseOf, drawnRows, loggedSoFar, loggedValues, soFar, valuesOf } from '../series.js';
import { reportDecimals, valueText } from '../values.js';
import { drawLines, type Line } from './lines.js';
import type { Picture } from './picture.js';

/** Value in each stretch of blocks. */
export function overTime(report: Report): Picture | null {
  const course = courseOf(report);
  if (course === null) return null;
  const lines = linesOf(report, course, course.x, valuesOf, loggedValues(course));
  if (lines === null) return null;
  const value = valueText(Math.max(1, reportDecimals(report) - 1));
  const [first] = lines;
  const known = first.y.flatMap((y, i) =>
    y === null ? [] : [{ y, log: lines.find(({ index }) => index === null)?.y[i] ?? null }],
  );
  const ahead = known.filter(({ y, log }) => log !== null && y > log).length;
  const compared = known.filter(({ log }) => log !== null).length;
  return {
    name: 'over-time',
    title: 'Value over time',
    finding: [
      `${printable(first.name)} had from ${value(Math.min(...known.map(({ y }) => y)))} to ${value(Math.max(...known.map(({ y }) => y)))} in ${count(known.length)} parts of the log.`,
      ...(compared === 0 ? [] : [`It was above the log itself in ${count(ahead)} of ${count(compared)}.`]),
    ].join(' '),
    key: `Each point: payoff per match in ${unitOf(report, course)}. Single points rest on few matches, and differ by chance; no interval is drawn.`,
    draw: (width, palette) =>
      drawLines(
        { lines, xLabel: course.isTime ? 'start, UTC' : 'event of the log', isTime: course.isTime },
        width,
        palette,
      ),
  };
}

/** Value from the first event to the end of each stretch. */
export function convergence(report: Report): Picture | null {
  const course = courseOf(report, true);
  if (course === null) return null;
  const ends = course.stretches.map(({ end }) => end);
  const lines = linesOf(report, course, ends, soFar, loggedSoFar(course));
  if (lines === null) return null;
  const value = valueText(reportDecimals(report));
  const [first] = lines;
  const half = first.y[Math.floor(first.y.length / 2)] ?? null;
  const last = first.y.at(-1) ?? null;
  return {
    name: 'convergence',
    title: 'Value as the log goes by',
    finding: `After half of the log ${printable(first.name)} had ${value(half)}, at its end ${value(last)}.`,
    key: 'Each point: payoff per match from the first event up to there. No interval is drawn, as one that holds at every point is another one (--sequence).',
    draw: (width, palette) => drawLines({ lines, xLabel: 'events of the log so far', isTime: false }, width, palette),
  };
}

/** Lines of the first policies and of the log; `null`: no policy has statistics per block. */
function linesOf(
  report: Report,
  course: Course,
  x: readonly number[],
  of: typeof valuesOf,
  logged: readonly (number | null)[] | null,
): Line[] | null {
  const lines = drawnRows(report, ({ blocks }) => blocks !== null).flatMap(({ name, index, blocks }): Line[] =>
    blocks === null ? [] : [{ name, index, x, y: of(blocks, course) }],
  );
  if (lines.length === 0) return null;
  return logged === null ? lines : [...lines, { name: 'the log itself', index: null, x, y: logged }];
}

function unitOf({ blocks }: Report, course: Course): string {
  if (course.blocks > 1) return `${count(course.blocks)} neighbouring blocks of ${count(blocks.count)}`;
  return blocks.kind === 'period' ? 'one period' : `one of ${plural(blocks.count, 'block')}`;
}
