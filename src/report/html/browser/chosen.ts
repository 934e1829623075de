/** A policy that was clicked, in every picture. */

import type { TableData } from '../table/cells.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Room below a picture for a row that it does not have. */
const ROOM = 40;
/** Letters of a name there. */
const MOST_LETTERS = 44;

/** What pictures need of a row; `null`: not known. */
interface Chosen {
  readonly name: string;
  readonly index: number | null;
  readonly value: number | null;
  readonly matches: number | null;
  readonly band: readonly [number, number] | null;
  readonly interval: readonly [number, number] | null;
}

/** Draws row `row` into the pictures, in place of what was chosen before; `null`: none. */
export function showChosen(data: TableData, row: number | null): void {
  for (const old of document.querySelectorAll('.mark-chosen')) old.remove();
  for (const svg of document.querySelectorAll<SVGSVGElement>('figure svg[data-box]')) {
    svg.setAttribute('viewBox', svg.dataset.box ?? '');
    delete svg.dataset.box;
  }
  if (row === null) return;
  const chosen = read(data, row);
  for (const svg of document.querySelectorAll<SVGSVGElement>('figure svg')) {
    const picture = svg.closest('figure')?.dataset.picture ?? '';
    const across = scaleOf(svg.dataset.x);
    const up = scaleOf(svg.dataset.y);
    if (picture === 'forest' && across !== null && !outlined(svg, chosen)) below(svg, chosen, across);
    if (picture === 'held-out') outlined(svg, chosen);
    if (picture === 'distribution' || picture === 'winner') rule(svg, across, chosen.value);
    if (picture === 'matches') rule(svg, across, chosen.matches);
    const series = data.series[picture];
    const points = series?.rows[String(chosen.index)];
    if (series !== undefined && points !== undefined && across !== null && up !== null)
      made(svg, 'path', { d: pathOf(series.x, points, across, up), 'stroke-width': 3, 'stroke-linejoin': 'round' });
  }
}

/** Whether there are pictures over time, and this row is in none of them. */
export function lacksSeries(data: TableData, row: number): boolean {
  const all = Object.values(data.series);
  return all.length > 0 && !all.some(({ rows }) => rows[String(read(data, row).index)] !== undefined);
}

function read(data: TableData, row: number): Chosen {
  const cell = (name: string): number | null => {
    const value = data.columns.find((column) => column.name === name)?.cells[row];
    return typeof value === 'number' ? value : null;
  };
  const range = (name: string): readonly [number, number] | null => {
    const [low, high] = [cell(`${name}Lower`), cell(`${name}Upper`)];
    return low === null || high === null ? null : [low, high];
  };
  return {
    name: String(data.columns.find(({ name }) => name === 'name')?.cells[row] ?? ''),
    ...{ index: cell('index'), value: cell('value') ?? cell('mean'), matches: cell('ess') ?? cell('matches') },
    ...{ band: range('band') ?? range('sequence'), interval: range('interval') },
  };
}

type Scale = (value: number) => number;

/** Of `[from, to, at, at]`: values to pixels. */
function scaleOf(text: string | undefined): Scale | null {
  if (text === undefined) return null;
  const [from, to, start, end] = JSON.parse(text) as [number, number, number, number];
  // Where all values are one, it is in the middle.
  if (to === from) return () => (start + end) / 2;
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

/** A line from top to bottom at a value, where the picture has room for it. */
function rule(svg: SVGSVGElement, across: Scale | null, value: number | null): void {
  if (across === null || value === null) return;
  const { width, height } = svg.viewBox.baseVal;
  const at = across(value);
  if (at >= 0 && at <= width) made(svg, 'path', { d: `M${at},4V${height - 44}`, 'stroke-width': 2.5 });
}

/** A frame around the row of a policy, where it is one of those shown. */
function outlined(svg: SVGSVGElement, { index }: Chosen): boolean {
  const dot = svg.querySelector<SVGCircleElement>(`[data-mark="value"] [data-index="${index}"]`);
  const group = dot?.parentElement;
  if (dot == null || group == null) return false;
  const { width } = svg.viewBox.baseVal;
  const y = dot.cy.baseVal.value - 11;
  made(group, 'rect', { x: 2, y, width: width - 4, height: 22, rx: 3, 'stroke-width': 2 });
  return true;
}

/** A row of its own below the picture, which becomes higher; what lies beyond the axis is cut off at its ends. */
function below(svg: SVGSVGElement, { name, value, band, interval }: Chosen, across: Scale): void {
  if (value === null) return;
  const { width, height } = svg.viewBox.baseVal;
  svg.dataset.box = svg.getAttribute('viewBox') ?? '';
  svg.setAttribute('viewBox', `0 0 ${width} ${height + ROOM}`);
  const letters = [...name];
  const label = made(svg, 'text', { x: 4, y: height + 12, 'text-anchor': 'start' });
  label.textContent = letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join('')}…` : name;
  const y = height + 26;
  const within = (of: number): number => Math.min(width - 1, Math.max(1, across(of)));
  const bar = ([low, high]: readonly [number, number], size: number, opacity: number): void => {
    made(svg, 'path', { d: `M${within(low)},${y}H${within(high)}`, 'stroke-width': size, 'stroke-opacity': opacity });
  };
  if (band !== null) bar(band, 10, 0.35);
  if (interval !== null) bar(interval, 1.75, 1);
  if (across(value) >= 0 && across(value) <= width) made(svg, 'circle', { cx: across(value), cy: y, r: 3.75 });
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

function made(parent: Element, name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  element.setAttribute('class', 'mark-chosen');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  parent.append(element);
  return element;
}
