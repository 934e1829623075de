/** What was picked on one part of a log, on the other part. */

import * as Plot from '@observablehq/plot';
import { printable } from '../../../printable.js';
import { decimalsFor, fixed, percent } from '../../numbers.js';
import type { EvaluationResult } from '../../result.js';
import { displayWidth, shortenAll } from '../../text.js';
import type { Report } from '../model.js';
import { axis, gridX, MARGINS, ruleX } from './marks.js';
import type { Picture } from './picture.js';
import { as, draw } from './plot.js';

/** `null`: there is no hold-out, or nothing is known on it. */
export function heldOut({ result, level }: Report): Picture | null {
  const { holdOut } = result as EvaluationResult;
  const rows = (holdOut?.policies ?? []).flatMap(({ index, name, selected, value, interval: [low, high] }) =>
    value === null ? [] : [{ place: String(index), index, name, selected, value, low, high }],
  );
  if (holdOut === undefined || rows.length === 0) return null;
  const decimals = decimalsFor(rows.map(({ low, high }) => (high - low) / 2));
  const [pick] = rows;
  const { value: logged } = holdOut.logged;
  const indices = rows.map(({ index }) => index);
  return {
    name: 'held-out',
    title: 'On the part of the log that had no share in picking',
    finding: `${printable(pick.name)} is worth ${fixed(pick.value, decimals)} there (${percent(level)}: ${fixed(pick.low, decimals)} to ${fixed(pick.high, decimals)})${pick.selected === null ? '' : `, and ${fixed(pick.selected, decimals)} on the part that it was picked on`}.`,
    key: `Dots and lines: values there with ${percent(level)} intervals, each for one policy by itself. Rings: on the part to pick on.${logged === null ? '' : ' Dashed line: the log itself there.'}`,
    draw: (width, palette) => {
      const room = width < 500 ? 15 : 34;
      const labels = shortenAll(
        rows.map(({ name }) => name),
        room,
      );
      const named = new Map(rows.map(({ place }, i) => [place, labels[i]]));
      const picked = rows.filter(({ selected }) => selected !== null);
      return draw(
        {
          ...{ width, height: rows.length * 24 + 52, ...MARGINS, marginTop: 8 },
          marginLeft: Math.min(Math.max(...labels.map(displayWidth), 4), room) * 6.7 + 14,
          x: axis('value per decision', width),
          y: {
            ...{ type: 'band', domain: [...named.keys()], label: null, tickSize: 0, padding: 0 },
            tickFormat: (place: string) => named.get(place) ?? place,
          },
        },
        [
          gridX(palette),
          ...ruleX(logged, 'log', palette.log, '5,3'),
          Plot.ruleY(rows, {
            ...{ x1: 'low', x2: 'high', y: 'place', stroke: palette.value, strokeWidth: 1.75 },
            ...as('interval', indices),
          }),
          Plot.dot(picked, {
            ...{ x: 'selected', y: 'place', r: 4, stroke: palette.faint, strokeWidth: 1.5 },
            ...as(
              'selected',
              picked.map(({ index }) => index),
            ),
          }),
          Plot.dot(rows, { x: 'value', y: 'place', r: 4, fill: palette.value, ...as('value', indices) }),
        ],
      );
    },
  };
}
