/** A confidence sequence: what was known of the first policy after each look at the log. */

import * as Plot from '@observablehq/plot';
import { printable } from '../../../printable.js';
import { plural } from '../../../words.js';
import { fixed, percent } from '../../numbers.js';
import type { EvaluationResult } from '../../result.js';
import { leader, type Report } from '../model.js';
import { reportDecimals } from '../values.js';
import { axis, gridY, MARGINS, ruleY } from './marks.js';
import type { Picture } from './picture.js';
import { as, draw } from './plot.js';

/** `null`: there is no sequence. */
export function looks(report: Report): Picture | null {
  const { sequence, policies } = report.result as EvaluationResult;
  const row = leader(report);
  const bounds = policies?.find(({ index }) => index === row?.index)?.sequence;
  if (sequence === undefined || row === null || bounds === undefined || sequence.looks.length < 2) return null;
  const points = sequence.looks.map((events, i) => ({ events, low: bounds.lower[i], high: bounds.upper[i] }));
  const decimals = reportDecimals(report);
  const { low, high, events } = points[points.length - 1];
  const { value } = report.logged;
  const out = value === null ? undefined : points.find((point) => point.low > value);
  return {
    name: 'looks',
    title: `${printable(row.name)}: what was known after each look`,
    finding: [
      `After ${plural(points.length, 'look')}, at ${plural(events, 'event')}, ${printable(row.name)} is within ${fixed(low, decimals)} to ${fixed(high, decimals)}.`,
      ...(out === undefined
        ? []
        : [
            `Its lower bound was first above what the whole log earned, ${fixed(value ?? 0, decimals)}, at ${plural(out.events, 'event')}.`,
          ]),
    ].join(' '),
    key: `Area: ${percent(sequence.level)} bounds that hold at all looks, for one policy by itself (${sequence.method}).${value === null ? '' : ' Dashed line: what the whole log itself earned.'}`,
    draw: (width, palette) =>
      draw(
        {
          ...{ width, height: 260, ...MARGINS, marginTop: 28 },
          x: axis('events of the log', width),
          y: { label: 'value', labelArrow: 'none', nice: true, ticks: 5 },
        },
        [
          gridY(palette),
          Plot.areaY(points, { x: 'events', y1: 'low', y2: 'high', fill: palette.band, ...as('sequence') }),
          Plot.lineY(points, { x: 'events', y: 'low', stroke: palette.value, ...as('low') }),
          Plot.lineY(points, { x: 'events', y: 'high', stroke: palette.value, ...as('high') }),
          ...ruleY(value, 'log', palette.log, '5,3'),
        ],
      ),
  };
}
