/** A policy that was clicked, in every picture. */

import type { TableData } from '../table/cells.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Draws row `row` into the pictures, in place of what was chosen before; `null`: none. */
export function showChosen(data: TableData, row: number | null): void {
  for (const old of document.querySelectorAll('.mark-chosen')) old.remove();
  if (row === null) return;
  const cell = (name: string): number | null => {
    const value = data.columns.find((column) => column.name === name)?.cells[row];
    return typeof value === 'number' ? value : null;
  };
  const value = cell('value') ?? cell('mean');
  const index = cell('index');
  for (const svg of document.querySelectorAll<SVGSVGElement>('figure svg')) {
    const picture = svg.closest('figure')?.dataset.picture ?? '';
    const across = scaleOf(svg.dataset.x);
    const up = scaleOf(svg.dataset.y);
    if (picture === 'forest') outline(svg, index);
    if (picture === 'distribution' || picture === 'forest' || picture === 'winner') rule(svg, across, value);
    if (picture === 'matches') rule(svg, across, cell('ess') ?? cell('matches'));
    const series = data.series[picture];
    const points = index === null ? undefined : series?.rows[String(index)];
    if (series !== undefined && points !== undefined && across !== null && up !== null) {
      const path = made(svg, 'path', { 'stroke-width': '3', 'stroke-linejoin': 'round' });
      path.setAttribute('d', pathOf(series.x, points, across, up));
    }
  }
}

type Scale = (value: number) => number;

/** Of `[from, to, at, at]`: values to pixels; `null` beyond its ends is left to `rule`. */
function scaleOf(text: string | undefined): Scale | null {
  if (text === undefined) return null;
  const [from, to, start, end] = JSON.parse(text) as [number, number, number, number];
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

/** A line from top to bottom at a value, where the picture has room for it. */
function rule(svg: SVGSVGElement, across: Scale | null, value: number | null): void {
  if (across === null || value === null) return;
  const at = across(value);
  const { width, height } = svg.viewBox.baseVal;
  if (!(at >= 0 && at <= width)) return;
  made(svg, 'path', { d: `M${at},4V${height - 44}`, 'stroke-width': '2.5' });
}

/** A frame around the row of a policy, where it is one of those shown. */
function outline(svg: SVGSVGElement, index: number | null): void {
  const dot = svg.querySelector<SVGCircleElement>(`[data-mark="value"] [data-index="${index}"]`);
  if (dot === null) return;
  const y = dot.cy.baseVal.value;
  made(svg, 'rect', {
    x: '2',
    y: String(y - 11),
    width: String(svg.viewBox.baseVal.width - 4),
    height: '22',
    rx: '3',
    'stroke-width': '2',
  });
}

function pathOf(xs: readonly number[], ys: readonly (number | null)[], across: Scale, up: Scale): string {
  let path = '';
  let isDown = false;
  xs.forEach((x, i) => {
    const y = ys[i];
    if (y !== null) path += `${isDown ? 'L' : 'M'}${across(x)},${up(y)}`;
    isDown = y !== null;
  });
  return path;
}

function made(svg: SVGSVGElement, name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  element.setAttribute('class', 'mark-chosen');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  svg.append(element);
  return element;
}
