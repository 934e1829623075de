/** Parts that sections of a report are made of. */

import type { Fact } from '../../facts.js';
import { type Child, Markup, tag } from '../markup.js';
import { PAGE, type Picture, WIDTHS } from '../pictures/picture.js';
import { shortText } from '../short-names.js';

/** A section with a heading; nothing where it would be empty. */
export function section(id: string, heading: string, ...children: readonly Child[]): Markup | null {
  const filled = children.flat(2).filter((child) => child !== null && child !== false);
  if (filled.length === 0) return null;
  return tag('section', { 'aria-labelledby': id }, tag('h2', { id }, heading), filled);
}

/** A picture in two widths, of which the page shows the one that fits. */
export function figure({ name, title, finding, key, draw }: Picture): Markup {
  const id = `figure-${name}`;
  const drawn = (Object.entries(WIDTHS) as [keyof typeof WIDTHS, number][]).map(([size, width]) => {
    const svg = draw(width, PAGE).replace(
      /^<svg /,
      `<svg role="img" aria-labelledby="${id}" aria-describedby="${id}-finding" `,
    );
    return tag('div', { class: size }, new Markup(svg));
  });
  return tag(
    'figure',
    { 'data-picture': name },
    tag('h3', { id }, title),
    drawn,
    tag('figcaption', {}, tag('p', { id: `${id}-finding` }, finding), tag('p', { class: 'note' }, key)),
  );
}

/** Facts as terms and their descriptions; one label of several in a row stands once. */
export function factList(facts: readonly Fact[]): Markup {
  return tag(
    'dl',
    {},
    facts.map(({ label, text, warn }, i) => [
      facts[i - 1]?.label === label ? null : tag('dt', {}, label),
      tag('dd', { class: warn === true ? 'warn' : null }, shortText(text)),
    ]),
  );
}

/** A small table. Texts in the first column are names. */
export function grid(
  caption: string,
  heads: readonly (readonly [head: string, numeric: boolean])[],
  rows: readonly (readonly string[])[],
): Markup {
  return tag(
    'div',
    { class: 'scroll-x', tabindex: '0', role: 'region', 'aria-label': caption },
    tag(
      'table',
      {},
      tag('caption', {}, caption),
      tag(
        'thead',
        {},
        tag(
          'tr',
          {},
          heads.map(([head, numeric]) => tag('th', { scope: 'col', class: numeric ? 'number' : null }, head)),
        ),
      ),
      tag(
        'tbody',
        {},
        rows.map((cells) =>
          tag(
            'tr',
            {},
            cells.map((text, i) =>
              i === 0
                ? tag('th', { scope: 'row' }, tag('bdi', {}, text))
                : tag('td', { class: heads[i][1] ? 'number' : null }, text),
            ),
          ),
        ),
      ),
    ),
  );
}
