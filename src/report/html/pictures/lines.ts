/** Lines over the course of a log, with their names above them. */

import * as Plot from '@observablehq/plot';
import { shorten } from '../../text.js';
import { gridY, MARGINS } from './marks.js';
import type { Palette } from './picture.js';
import { as, draw } from './plot.js';

/** One line; where it has a spread there is an area around it. */
export interface Line {
  readonly name: string;
  /** Of a policy or learner; `null`: of the log itself. */
  readonly index: number | null;
  readonly x: readonly number[];
  readonly y: readonly (number | null)[];
  readonly spread?: readonly (readonly [low: number, high: number] | null)[];
}

export interface LinesPicture {
  readonly lines: readonly Line[];
  readonly xLabel: string;
  readonly isTime: boolean;
}

/** Not by colour alone. */
const DASHES = ['none', '7,3', '2,2.5', '9,3,2,3', '5,5'];
const SAMPLES = ['━━━', '━ ━', '┅┅┅', '━·━', '─ ─'];
const LOG_DASH = '5,3';
const NAME_HEIGHT = 17;

export function drawLines({ lines, xLabel, isTime }: LinesPicture, width: number, palette: Palette): string {
  const room = Math.floor(width / 8.5);
  const styled = lines.map((line, i) => ({
    ...line,
    colour: line.index === null ? palette.log : palette.lines[i % palette.lines.length],
    dash: line.index === null ? LOG_DASH : DASHES[i % DASHES.length],
    sample: line.index === null ? '- - -' : SAMPLES[i % SAMPLES.length],
  }));
  const marginTop = NAME_HEIGHT * lines.length + 16;
  return draw(
    {
      width,
      height: 250 + marginTop,
      ...{ ...MARGINS, marginTop, marginLeft: 58 },
      x: {
        ...{ label: xLabel, labelAnchor: 'center', labelArrow: 'none', ticks: width < 500 ? 4 : 8 },
        ...(isTime ? { type: 'utc' as const } : { nice: true, zero: true }),
      },
      y: { label: null, nice: true, ticks: 5 },
    },
    [
      gridY(palette),
      ...styled.flatMap(({ spread, x, colour, index }) => {
        if (spread === undefined) return [];
        const parts = spread.map((range, i) => ({
          x: x[i],
          low: range?.[0] ?? Number.NaN,
          high: range?.[1] ?? Number.NaN,
        }));
        return [
          Plot.areaY(parts, {
            x: 'x',
            y1: 'low',
            y2: 'high',
            fill: colour,
            fillOpacity: 0.13,
            ...as(`spread ${index ?? 'log'}`),
          }),
        ];
      }),
      ...styled.map(({ x, y, colour, dash, index }) =>
        Plot.lineY(
          y.map((value, i) => ({ x: x[i], y: value ?? Number.NaN })),
          { x: 'x', y: 'y', stroke: colour, strokeWidth: 2, strokeDasharray: dash, ...as(`line ${index ?? 'log'}`) },
        ),
      ),
      ...styled.map(({ x, y, colour, index }) =>
        Plot.dot(
          y.flatMap((value, i) => (value === null ? [] : [{ x: x[i], y: value }])),
          { x: 'x', y: 'y', r: 2, fill: colour, ...as(`points ${index ?? 'log'}`) },
        ),
      ),
      ...styled.map(({ name, colour, sample }, i) =>
        Plot.text([`${sample} ${shorten(name, room)}`], {
          ...{ frameAnchor: 'top-left', lineAnchor: 'top', fill: colour, dy: NAME_HEIGHT * i - marginTop + 4, dx: -50 },
          ...as('name'),
        }),
      ),
    ],
  );
}
