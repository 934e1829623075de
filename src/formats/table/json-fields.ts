/** The members of a JSON object as its text has them: numbers with all their digits. */

import { endOfString } from '../../files/json-names.js';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = '\\';
/** Of what opens; what closes has a code larger by two. */
const BRACE = 123;
const BRACKET = 91;

/** Told of a member: its name between the quotes, and its value `text[from .. to)`. */
export type VisitMember = (name: string, from: number, to: number) => void;

/** Goes through the members of an object. @param text valid JSON. */
export function visitMembers(text: string, visit: VisitMember): void {
  let i = text.indexOf('{') + 1;
  for (;;) {
    const open = text.indexOf('"', i);
    if (open < 0) return;
    const close = endOfString(text, open);
    let from = text.indexOf(':', close) + 1;
    while (text.charCodeAt(from) <= 32) from++;
    const end = endOfValue(text, from);
    let to = end;
    while (text.charCodeAt(to - 1) <= 32) to--;
    visit(text.slice(open + 1, close), from, to);
    if (text.charCodeAt(end) !== COMMA) return;
    i = end + 1;
  }
}

/** Place of the comma or brace that follows a value. */
function endOfValue(text: string, from: number): number {
  let open = 0;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COMMA && open === 0) return i;
    else if (code === BRACE || code === BRACKET) open++;
    else if ((code === BRACE + 2 || code === BRACKET + 2) && open-- === 0) return i;
  }
  return text.length;
}

/** The text between the quotes of a string, escapes resolved. */
export function unescaped(inside: string): string {
  return inside.includes(BACKSLASH) ? String(JSON.parse(`"${inside}"`)) : inside;
}

/** A member, or a field within members: the steps to it, and its value `text[from .. to)`. */
export type VisitField = (path: readonly string[], text: string, from: number, to: number) => void;

/**
 * Goes through the fields of a member that is an object, those of its objects among them; objects themselves are no fields.
 *
 * @param enters whether a field within this member may be looked for.
 */
export function visitFields(
  text: string,
  path: readonly string[],
  enters: (name: string) => boolean,
  visit: VisitField,
): void {
  if (!enters(path.join('.'))) return;
  visitMembers(text, (written, from, to) => {
    const inner = [...path, unescaped(written)];
    if (text[from] === '{') visitFields(text.slice(from, to), inner, enters, visit);
    else visit(inner, text, from, to);
  });
}
