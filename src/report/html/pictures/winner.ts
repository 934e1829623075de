/** What the winner seems to be worth, and what it is worth once one allows for its having been picked. */

import * as Plot from '@observablehq/plot';
import { printable } from '../../../printable.js';
import { decimalsFor, fixed, percent } from '../../numbers.js';
import { leader, type Report } from '../model.js';
import { axis, gridX, MARGINS, references } from './marks.js';
import type { Palette, Picture } from './picture.js';
import { as, draw } from './plot.js';

interface Line {
  readonly what: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** `null`: nothing was picked, or nothing corrects it. */
export function winner(report: Report): Picture | null {
  const { selection, logged, kind, baseline } = report;
  const row = leader(report);
  if (selection?.winner == null || selection.winner.corrected === null || row === null) return null;
  const { uncorrected, corrected, interval, lower } = selection.winner;
  const text = (value: number): string => fixed(value, decimalsFor([(interval[1] - interval[0]) / 2]));
  const alone = row.interval;
  const lines: Line[] = [
    { what: 'uncorrected', value: uncorrected, low: alone?.[0] ?? uncorrected, high: alone?.[1] ?? uncorrected },
    { what: 'corrected', value: corrected, low: interval[0], high: interval[1] },
  ];
  const own =
    alone === null
      ? ''
      : kind === 'replay'
        ? ' with the interval of its mean over replicas'
        : ' with its interval by itself, which flatters the one that was picked';
  return {
    name: 'winner',
    title: `${printable(row.name)}: uncorrected and corrected`,
    finding: `Uncorrected ${printable(row.name)} has ${text(uncorrected)}; corrected for having been picked ${text(corrected)} (${percent(selection.level)}: ${text(interval[0])} to ${text(interval[1])}). The lower end of its band, ${text(lower)}, holds whatever was picked.`,
    key: `Above: the estimate${own}. Below: less what picking adds on average over redrawn blocks, with the interval that allows for it. Tick: the lower end of its band.${logged.value === null ? '' : ' Dashed line: the log itself.'}${baseline === null || baseline.index === null ? '' : ' Dotted line: the baseline.'}`,
    draw: (width, palette) => drawn(report, lines, lower, width, palette),
  };
}

function drawn(
  { logged, baseline }: Report,
  lines: readonly Line[],
  lower: number,
  width: number,
  palette: Palette,
): string {
  return draw(
    {
      ...{ width, height: 136, ...MARGINS, marginTop: 8, marginLeft: 96 },
      x: axis('value per decision', width),
      y: { type: 'band', domain: lines.map(({ what }) => what), label: null, tickSize: 0 },
    },
    [
      gridX(palette),
      ...references(logged.value, baseline, palette),
      Plot.ruleY(lines, {
        ...{ x1: 'low', x2: 'high', y: 'what', stroke: palette.value, strokeWidth: 1.75 },
        ...as('interval'),
      }),
      Plot.tickX([{ what: 'corrected', lower }], {
        ...{ x: 'lower', y: 'what', stroke: palette.value, strokeWidth: 2, inset: 12 },
        ...as('lower'),
      }),
      Plot.dot(lines, { x: 'value', y: 'what', r: 4.5, fill: palette.value, stroke: palette.paper, ...as('value') }),
    ],
  );
}
