/** How many events policies rest on: their matches, or where there are weights their effective events. */

import * as Plot from '@observablehq/plot';
import { printable } from '../../../printable.js';
import { plural } from '../../../words.js';
import { count } from '../../numbers.js';
import { leader, type Report } from '../model.js';
import { binned } from './distribution.js';
import { axis, gridY, MARGINS, ruleX } from './marks.js';
import type { Picture } from './picture.js';
import { as, draw } from './plot.js';

/** Fewer are read from the table. */
const FEWEST = 21;

/** `null`: too few policies, or all rest on as many events. */
export function matches(report: Report): Picture | null {
  const { rows, noun } = report;
  const first = leader(report);
  const isWeighted = rows.some(({ ess }) => ess !== null);
  const sizes = rows.map(({ ess, matches: own }) => ess ?? own);
  const bins = sizes.length < FEWEST ? [] : binned(sizes);
  if (first === null || bins.length === 0) return null;
  const what = isWeighted ? 'effective events' : 'matches';
  const own = first.ess ?? first.matches;
  return {
    name: 'matches',
    title: isWeighted ? 'What the values rest on: effective events' : 'What the values rest on: matches',
    finding: `${plural(rows.length, ...noun)} rest on ${count(Math.round(sizes.reduce((a, b) => Math.min(a, b))))} to ${count(Math.round(sizes.reduce((a, b) => Math.max(a, b))))} ${what}, ${printable(first.name)} on ${count(Math.round(own))}.`,
    key: `Bars: how many ${noun[1]} rest on so many ${what}.${isWeighted ? ' Effective events (ESS): as many events of equal weight would tell as much.' : ''} Full line: ${printable(first.name)}.`,
    draw: (width, palette) =>
      draw(
        {
          ...{ width, height: 220, ...MARGINS, marginTop: 26 },
          x: axis(what, width),
          y: { label: noun[1], labelArrow: 'none', nice: true, ticks: 4 },
        },
        [
          gridY(palette),
          Plot.rectY(
            bins.filter(({ count }) => count > 0),
            {
              ...{ x1: 'x1', x2: 'x2', y: 'count', fill: palette.band, insetLeft: 0.5, insetRight: 0.5 },
              ...as('count'),
            },
          ),
          ...ruleX(own, 'best', palette.value),
        ],
      ),
  };
}
