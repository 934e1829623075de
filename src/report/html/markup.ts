/** HTML and SVG as text, made so that no text from a result can become markup. */

import { printable } from '../../printable.js';

/** Text that is markup already. Made by `tag` and by pictures alone. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What an element may hold; text is escaped, `null` and `false` are nothing. */
export type Child = string | number | Markup | null | false | readonly Child[];

/** Values of attributes; `null` and `false` leave one out, `true` is one without a value. */
export type Attributes = Readonly<Record<string, string | number | boolean | null>>;

const VOID = new Set(['meta', 'link', 'input', 'br']);
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** An element. Names of elements and attributes are ours. */
export function tag(name: string, attributes: Attributes = {}, ...children: readonly Child[]): Markup {
  const head = Object.entries(attributes).map(([key, value]) =>
    value === null || value === false ? '' : value === true ? ` ${key}` : ` ${key}="${escapeText(String(value))}"`,
  );
  const open = `<${name}${head.join('')}>`;
  return new Markup(VOID.has(name) ? open : `${open}${inner(children)}</${name}>`);
}

/** Several in a row. */
export function all(...children: readonly Child[]): Markup {
  return new Markup(inner(children));
}

/** Text for a text node or an attribute; what cannot be seen (controls, marks of direction) is spelt out as everywhere else. */
export function escapeText(text: string): string {
  return printable(text).replace(/[&<>"']/g, (sign) => ESCAPES[sign]);
}

function inner(children: readonly Child[]): string {
  let text = '';
  for (const child of children) {
    if (child === null || child === false) continue;
    if (child instanceof Markup) text += child.text;
    else text += typeof child === 'object' ? inner(child) : escapeText(String(child));
  }
  return text;
}

/** JSON for a script element: nothing in it ends the element or a line of a script. */
export function scriptJson(value: unknown): Markup {
  const spelt = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new Markup(JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, spelt));
}
