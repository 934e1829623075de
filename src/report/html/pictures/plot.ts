/** Observable Plot without a browser: marks in, SVG as text out, fit for a page and for a file. */

import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { escapeText } from '../markup.js';

/** Documents of linkedom are enough of a DOM for Plot. */
interface Element {
  querySelectorAll(selector: string): Iterable<Element>;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  readonly outerHTML: string;
}

/**
 * Options of a mark that name it, so that the script of a page, and tests, find it: its group has `data-mark`, and its parts have
 * `data-index`.
 *
 * @param rows indices of the policies that the parts are of, in the order of the mark's data.
 */
export function as(name: string, rows?: readonly number[]): { render: Plot.RenderFunction } {
  return {
    render(index, scales, values, dimensions, context, next) {
      const group = next?.(index, scales, values, dimensions, context) ?? null;
      group?.setAttribute('data-mark', name);
      if (rows !== undefined)
        for (const [i, part] of [...(group?.children ?? [])].entries())
          part.setAttribute('data-index', String(rows[index[i]]));
      return group;
    },
  };
}

/** Draws marks. */
export function draw(options: Plot.PlotOptions, marks: readonly Plot.Markish[]): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const drawn = Plot.plot({
    ...options,
    document: document as unknown as Document,
    className: 'plot',
    marks: [...marks],
  });
  const svg = drawn as unknown as Element;
  for (const style of svg.querySelectorAll('style')) style.remove();
  // A picture is one thing to a screen reader, and its finding is told beside it.
  for (const group of svg.querySelectorAll('[aria-label]')) {
    group.removeAttribute('aria-label');
    group.removeAttribute('aria-hidden');
  }
  // Where values are found in it: domain and range of each axis.
  for (const axis of ['x', 'y'] as const) {
    const scale = drawn.scale(axis);
    if (scale?.type === 'linear' || scale?.type === 'utc')
      svg.setAttribute(`data-${axis}`, JSON.stringify([...(scale.domain ?? []), ...(scale.range ?? [])].map(Number)));
  }
  svg.setAttribute('font-size', '12');
  return svg.outerHTML;
}

/** As a file: with a name space, a title, a description and a ground of its own. */
export function asFile(svg: string, title: string, finding: string, paper: string): string {
  const head = `xmlns="http://www.w3.org/2000/svg" role="img" `;
  const said = `<title>${escapeText(title)}</title><desc>${escapeText(finding)}</desc><rect width="100%" height="100%" fill="${paper}"/>`;
  const whole = svg.replace(/^<svg /, `<svg ${head}`);
  const end = whole.indexOf('>') + 1;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${whole.slice(0, end)}${said}${whole.slice(end)}\n`;
}
