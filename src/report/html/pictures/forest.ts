/** The first policies with what is known of each: bands that hold for all at once, and within them what holds for each by itself. */

import * as Plot from '@observablehq/plot';
import { printable } from '../../../printable.js';
import { plural } from '../../../words.js';
import { count, percent } from '../../numbers.js';
import { displayWidth, shortenAll } from '../../text.js';
import { type Range, type Report, type Row, widest } from '../model.js';
import { reportDecimals, valueText } from '../values.js';
import { axis, gridX, MARGINS, references } from './marks.js';
import type { Palette, Picture } from './picture.js';
import { as, draw } from './plot.js';

/** Rows of the picture. */
export const FOREST_ROWS = 20;
const ROW_HEIGHT = 24;
/** Width of a character of a label, roughly. */
const CHARACTER = 6.7;

/** The first rows, and the baseline where it is one that stands further down. */
export function forestRows({ rows, baseline }: Report): Row[] {
  const shown = rows.slice(0, FOREST_ROWS).filter(({ value }) => value !== null);
  const base = baseline === null ? undefined : rows.find(({ index }) => index === baseline.index);
  return base === undefined || base.value === null || shown.includes(base) ? shown : [...shown, base];
}

/** `null`: no row has a value. */
export function forest(report: Report): Picture | null {
  const shown = forestRows(report);
  if (shown.length === 0) return null;
  const { noun, bandName, level, kind, rows, logged, baseline } = report;
  const firsts = shown.filter((row) => rows.indexOf(row) < FOREST_ROWS).length;
  const and = firsts < shown.length ? ' and the baseline' : '';
  const many = shown.length < rows.length ? `The first ${plural(firsts, ...noun)}${and}` : `All ${noun[1]}`;
  const wide =
    bandName === null
      ? ''
      : bandName === 'band'
        ? `Wide bars: ${percent(level)} bands, which hold for all ${noun[1]} at once. `
        : `Wide bars: ${percent(level)} confidence sequences, which hold at all looks for one policy by itself. `;
  const thin =
    kind === 'evaluation'
      ? `Thin lines: ${percent(level)} intervals, each for one policy by itself. `
      : shown.some(({ interval }) => interval !== null)
        ? `Thin lines: ${percent(level)} intervals of the mean over replicas, which share this log. `
        : '';
  const log = logged.value === null ? '' : 'Dashed line: what the log itself earned. ';
  const base = baseline === null || baseline.index === null ? '' : 'Dotted line: the baseline. ';
  const best = shown.some(({ mayBeBest }) => mayBeBest) ? 'Shaded: may be the best.' : '';
  return {
    name: 'forest',
    title: shown.length === 1 ? `The ${noun[0]} and what is known of it` : `${many}, and what is known of each`,
    finding: finding(report, shown),
    key: `Dots: ${kind === 'replay' ? 'means over replicas' : 'estimates, uncorrected'}. ${wide}${thin}${log}${base}${best}`.trim(),
    draw: (width, palette) => drawForest(report, shown, width, palette),
  };
}

function finding(report: Report, shown: readonly Row[]): string {
  const { noun, logged, selection } = report;
  const value = valueText(reportDecimals(report));
  const [first] = shown;
  const range = widest(first);
  const sentences = [
    `${printable(first.name)} has ${report.total === 1 ? '' : 'the largest value, '}${value(first.value)}${range === null ? '' : ` (${value(range[0])} to ${value(range[1])})`}.`,
  ];
  if (selection !== null && report.total > 1)
    sentences.push(`${count(selection.bestSet.size)} of ${plural(report.total, ...noun)} may be the best.`);
  if (logged.value !== null) {
    const above = shown.filter((row) => (widest(row)?.[0] ?? Number.NEGATIVE_INFINITY) > (logged.value ?? 0)).length;
    const what = report.bandName === null ? 'interval' : report.bandName;
    sentences.push(
      `The log itself earned ${value(logged.value)}; the whole ${what} of ${above === 0 ? 'none' : count(above)} of the ${count(shown.length)} shown lies above that.`,
    );
  }
  return sentences.join(' ');
}

function drawForest(report: Report, shown: readonly Row[], width: number, palette: Palette): string {
  const { logged, baseline, kind } = report;
  const room = width < 500 ? 15 : 34;
  const labels = shortenAll(
    shown.map(({ name }) => name),
    room,
  );
  const named = new Map(shown.map((row, i) => [place(row), labels[i]]));
  const indices = shown.map(({ index }) => index);
  const best = shown.filter(({ mayBeBest }) => mayBeBest);
  const known = (of: (row: Row) => Range | null): Row[] => shown.filter((row) => of(row) !== null);
  const bars = (name: string, of: (row: Row) => Range | null, stroke: string, strokeWidth: number): Plot.Markish =>
    Plot.ruleY(known(of), {
      ...{ x1: (row: Row) => of(row)?.[0], x2: (row: Row) => of(row)?.[1], y: place, stroke, strokeWidth },
      ...as(
        name,
        known(of).map(({ index }) => index),
      ),
    });
  const label = kind === 'replay' ? 'mean payoff per valid event' : 'value per decision';
  return draw(
    {
      width,
      height: shown.length * ROW_HEIGHT + 52,
      ...{ ...MARGINS, marginTop: 8 },
      marginLeft: Math.min(Math.max(...labels.map(displayWidth), 4), room) * CHARACTER + 14,
      x: axis(label, width),
      y: {
        ...{ type: 'band', domain: indices.map(String), label: null, tickSize: 0, padding: 0 },
        tickFormat: (index: string) => named.get(index) ?? index,
      },
    },
    [
      gridX(palette),
      Plot.cell(best, {
        ...{ y: place, fill: palette.best, inset: 0 },
        ...as(
          'may be best',
          best.map(({ index }) => index),
        ),
      }),
      ...references(logged.value, baseline, palette),
      bars('band', ({ band }) => band, palette.band, 10),
      bars('interval', ({ interval }) => interval, palette.value, 1.75),
      Plot.dot([...shown], {
        ...{ x: 'value', y: place, r: 3.75, fill: palette.value, stroke: palette.paper, strokeWidth: 1 },
        ...as('value', indices),
      }),
    ],
  );
}

function place({ index }: Row): string {
  return String(index);
}
