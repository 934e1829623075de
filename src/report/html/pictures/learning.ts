/** Learners over the course of a log: how their replicas went on, and how far these are apart. */

import * as Plot from '@observablehq/plot';
import { printable } from '../../../printable.js';
import { plural } from '../../../words.js';
import { count, fixed } from '../../numbers.js';
import { displayWidth, shortenAll } from '../../text.js';
import type { Range, Report, Row } from '../model.js';
import { type Course, courseOf, drawnRows, loggedValues, matchesSoFar, soFar, valuesOf } from '../series.js';
import { reportDecimals, valueText } from '../values.js';
import { drawLines, type Line } from './lines.js';
import { axis, gridX, MARGINS, references } from './marks.js';
import type { Picture } from './picture.js';
import { as, draw } from './plot.js';

const SPREAD = 'Area: one standard deviation over replicas either way.';

/** Payoff per valid event in each part of the log. */
export function learningCurves(report: Report): Picture | null {
  const course = courseOf(report);
  const drawn = curves(report, course, valuesOf, () => course?.x ?? []);
  if (course === null || drawn === null) return null;
  const logged = loggedValues(course);
  const lines = logged === null ? drawn : [...drawn, { name: 'the log itself', index: null, x: course.x, y: logged }];
  const value = valueText(reportDecimals(report));
  const [{ name, y }] = drawn;
  return {
    name: 'learning-curves',
    title: 'Learning curves',
    finding: `${printable(name)} had ${value(y.find((point) => point !== null) ?? null)} in the first part of the log and ${value(y.findLast((point) => point !== null) ?? null)} in the last, on average over its replicas.`,
    key: `Each point: payoff per valid event in ${plural(course.blocks, 'neighbouring block')} of ${count(report.blocks.count)}, the mean over replicas. ${SPREAD}`,
    draw: (width, palette) =>
      drawLines(
        { lines, xLabel: course.isTime ? 'start, UTC' : 'event of the log', isTime: course.isTime },
        width,
        palette,
      ),
  };
}

/** Payoff per valid event against the number of valid events, T. */
export function againstT(report: Report): Picture | null {
  const course = courseOf(report, true);
  if (course === null) return null;
  const meanMatches = ({ replicas }: Row): number[] => {
    const all = (replicas ?? []).flatMap(({ blocks }) => (blocks === undefined ? [] : [matchesSoFar(blocks, course)]));
    return course.stretches.map((_, i) => all.reduce((sum, matches) => sum + matches[i], 0) / Math.max(1, all.length));
  };
  const lines = curves(report, course, soFar, meanMatches);
  if (lines === null) return null;
  const value = valueText(reportDecimals(report));
  const [{ name, x, y }] = lines;
  return {
    name: 'against-t',
    title: 'Value against T, the valid events so far',
    finding: `After ${plural(Math.round(x[x.length - 1]), 'valid event')} ${printable(name)} has ${value(y.at(-1) ?? null)}, on average over its replicas.`,
    key: `Each point: payoff per valid event from the first one up to there, the mean over replicas. ${SPREAD}`,
    draw: (width, palette) => drawLines({ lines, xLabel: 'valid events so far, T', isTime: false }, width, palette),
  };
}

/** Every replica of the first learners. */
export function runs(report: Report): Picture | null {
  const rows = report.rows.slice(0, 20).filter(({ replicas, value }) => value !== null && (replicas?.length ?? 0) > 1);
  if (rows.length === 0) return null;
  const points = rows.flatMap(({ index, replicas }) =>
    (replicas ?? []).flatMap(({ value }) => (value === null ? [] : [{ place: String(index), value }])),
  );
  const value = valueText(reportDecimals(report));
  const [{ name, learner }] = rows;
  return {
    name: 'runs',
    title: 'Every run by itself',
    finding: `The runs of ${printable(name)} earned from ${value(learner?.min ?? null)} to ${value(learner?.max ?? null)}; their standard deviation is ${value(learner?.std ?? null)}.`,
    key: `Ticks: replicas, ${count(points.length)} in all. Dots: their means. Dashed line: what the log itself earned.`,
    draw: (width, palette) => {
      const room = width < 500 ? 15 : 34;
      const labels = shortenAll(
        rows.map(({ name }) => name),
        room,
      );
      const named = new Map(rows.map(({ index }, i) => [String(index), labels[i]]));
      return draw(
        {
          ...{ width, height: rows.length * 24 + 52, ...MARGINS, marginTop: 8 },
          marginLeft: Math.min(Math.max(...labels.map(displayWidth), 4), room) * 6.7 + 14,
          x: axis('payoff per valid event', width),
          y: {
            ...{ type: 'band', domain: [...named.keys()], label: null, tickSize: 0, padding: 0.2 },
            tickFormat: (place: string) => named.get(place) ?? place,
          },
        },
        [
          gridX(palette),
          ...references(report.logged.value, report.baseline, palette),
          Plot.tickX(points, { x: 'value', y: 'place', stroke: palette.value, strokeOpacity: 0.4, ...as('run') }),
          Plot.dot(rows, {
            ...{ x: 'value', y: (row: Row) => String(row.index), r: 4, fill: palette.value, stroke: palette.paper },
            ...as(
              'mean',
              rows.map(({ index }) => index),
            ),
          }),
        ],
      );
    },
  };
}

/** Mean and standard deviation over replicas; `null`: no replica has statistics per block. */
function curves(
  report: Report,
  course: Course | null,
  of: typeof valuesOf,
  xOf: (row: Row) => readonly number[],
): Line[] | null {
  if (course === null) return null;
  const hasBlocks = ({ replicas }: Row): boolean => replicas?.some(({ blocks }) => blocks !== undefined) === true;
  const lines = drawnRows(report, hasBlocks).map((row): Line => {
    const all = (row.replicas ?? []).flatMap(({ blocks }) => (blocks === undefined ? [] : [of(blocks, course)]));
    const points = course.stretches.map((_, i) => spreadOf(all.flatMap((values) => values[i] ?? [])));
    return {
      ...{ name: row.name, index: row.index, x: xOf(row), y: points.map(({ mean }) => mean) },
      ...(all.length < 2 ? {} : { spread: points.map(({ range }) => range) }),
    };
  });
  return lines.length === 0 ? null : lines;
}

function spreadOf(values: readonly number[]): { mean: number | null; range: Range | null } {
  if (values.length === 0) return { mean: null, range: null };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { mean, range: null };
  const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
  return { mean, range: [mean - std, mean + std] };
}

/** Table 1 of the paper: algorithm, mean, standard deviation, largest and smallest value of a run, in the order of the file. */
export function tableOne(report: Report): { heads: [string, boolean][]; rows: string[][] } {
  const { result } = report;
  const decimals = reportDecimals(report);
  const text = (value: number | null): string => (value === null ? '–' : fixed(value, decimals));
  const learners = 'learners' in result ? result.learners : [];
  return {
    heads: [
      ['algorithm', false],
      ['mean', true],
      ['std', true],
      ['max', true],
      ['min', true],
    ],
    rows: learners.map(({ name, mean, std, max, min }) => [
      name,
      mean === null ? 'none' : text(mean),
      text(std),
      text(max),
      text(min),
    ]),
  };
}
