/** The values of all policies, counted: where the winner, the baseline and the log stand among them. */

import * as Plot from '@observablehq/plot';
import { printable } from '../../../printable.js';
import { plural } from '../../../words.js';
import { count } from '../../numbers.js';
import { leader, type Report } from '../model.js';
import { reportDecimals, valueText } from '../values.js';
import { axis, gridY, MARGINS, references, ruleX } from './marks.js';
import type { Palette, Picture } from './picture.js';
import { as, draw } from './plot.js';

/** Fewer are all in the forest. */
const FEWEST = 21;
/** Bins at most, and at least. */
const MOST_BINS = 40;
const LEAST_BINS = 8;

/** Values from `x1` up to `x2`, the last bin with its end. */
export interface Bin {
  readonly x1: number;
  readonly x2: number;
  count: number;
}

/** `null`: too few values, or all are the same. */
export function distribution(report: Report): Picture | null {
  const values = report.rows.flatMap(({ value }) => value ?? []);
  const bins = binned(values);
  const first = leader(report);
  if (values.length < FEWEST || bins.length === 0 || first === null) return null;
  const { noun, total, logged, baseline } = report;
  const text = valueText(reportDecimals(report));
  const left = total - values.length;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const above = logged.value === null ? 0 : values.filter((value) => value > (logged.value ?? 0)).length;
  return {
    name: 'distribution',
    title: `The values of all ${noun[1]}`,
    finding: [
      `${plural(values.length, ...noun)} have values from ${text(sorted[0])} to ${text(sorted[sorted.length - 1])}, half of them above ${text(middle)}.`,
      `${printable(first.name)} has ${text(first.value)}.`,
      ...(logged.value === null
        ? []
        : [`The log itself earned ${text(logged.value)}: the estimates of ${count(above)} are above that.`]),
      ...(baseline === null || baseline.index === null
        ? []
        : [`The baseline, ${printable(baseline.name)}, has ${text(baseline.value)}.`]),
      ...(left === 0 ? [] : [`${count(left)} more are not in it: they have no value, or are not in the result.`]),
    ].join(' '),
    key: `Bars: how many ${noun[1]} have such a value, uncorrected. Full line: ${printable(first.name)}. Dashed line: the log itself.${baseline === null || baseline.index === null ? '' : ' Dotted line: the baseline.'}`,
    draw: (width, palette) => drawn(report, bins, first.value, width, palette),
  };
}

/** Equal bins over all values, more of them where there are more values. */
export function binned(values: readonly number[]): Bin[] {
  const bins = Math.min(MOST_BINS, Math.max(LEAST_BINS, Math.round(2 * Math.sqrt(values.length))));
  // Policies may be too many to be arguments.
  const low = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const high = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const step = (high - low) / bins;
  if (!(step > 0)) return [];
  const found = Array.from(
    { length: bins },
    (_, b): Bin => ({
      x1: low + b * step,
      x2: b === bins - 1 ? high : low + (b + 1) * step,
      count: 0,
    }),
  );
  for (const value of values) found[Math.min(bins - 1, Math.floor((value - low) / step))].count++;
  return found;
}

function drawn(report: Report, bins: readonly Bin[], best: number | null, width: number, palette: Palette): string {
  const { logged, baseline, noun } = report;
  const full = bins.filter(({ count }) => count > 0);
  return draw(
    {
      ...{ width, height: 240, ...MARGINS, marginTop: 26 },
      x: axis('value per decision', width),
      y: { label: noun[1], labelArrow: 'none', nice: true, ticks: 4 },
    },
    [
      gridY(palette),
      Plot.rectY(full, {
        ...{ x1: 'x1', x2: 'x2', y: 'count', fill: palette.band, insetLeft: 0.5, insetRight: 0.5 },
        ...as('count'),
      }),
      ...references(logged.value, baseline, palette),
      ...ruleX(best, 'best', palette.value),
    ],
  );
}
