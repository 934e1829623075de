/** A line of JSON as an object, and what JSON.parse alone would let pass. */

import { badRow, shown } from '../decisions/rows.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Objects and arrays within one another, at most. */
const DEEPEST = 64;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
/** Of what opens; what closes has a code larger by two. */
const BRACE = 123;
const BRACKET = 91;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws RowFault for what is no object, is nested too deeply, or names a member twice. */
export function parseObject(text: string): JsonObject {
  const { depth, members } = measure(text);
  if (depth > DEEPEST) {
    badRow({ problem: 'JSON is nested too deeply', got: shown(text), needed: `at most ${DEEPEST} levels` });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    badRow({ problem: 'line is not JSON', got: `${shown(text)}: ${shown(reason)}`, needed: 'a JSON object per line' });
  }
  if (!isObject(value))
    badRow({ problem: 'line is not a JSON object', got: shown(text), needed: 'a JSON object per line' });
  if (membersOf(value) !== members) {
    // JSON.parse keeps the last one, other readers the first one, or both.
    badRow({
      problem: 'JSON names a member twice',
      got: repeatedName(text) ?? shown(text),
      needed: 'each name once in an object',
    });
  }
  return value;
}

/** Place of the quote that ends the string which begins at `from`; the end of the text where none does. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote;
  }
  return text.length;
}

/** Of a JSON text: how deep it is nested, and how many members its objects have. */
function measure(text: string): { depth: number; members: number } {
  let open = 0;
  let depth = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) members++;
    else if (code === BRACE || code === BRACKET) depth = Math.max(depth, ++open);
    else if (code === BRACE + 2 || code === BRACKET + 2) open--;
  }
  return { depth, members };
}

/** Members of all objects in a value. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return parts.reduce<number>((sum, part) => sum + membersOf(part), Array.isArray(value) ? 0 : parts.length);
}

/** The first name that an object of a valid JSON text has twice. */
function repeatedName(text: string): string | null {
  // Arrays hold no names, but end as objects do.
  const open: Set<string>[] = [];
  let last = '';
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const from = i;
      i = endOfString(text, i);
      last = text.slice(from, i + 1);
    } else if (code === BRACE || code === BRACKET) open.push(new Set());
    else if (code === BRACE + 2 || code === BRACKET + 2) open.pop();
    else if (code === COLON) {
      const name = String(JSON.parse(last));
      const names = open.at(-1);
      if (names?.has(name) === true) return shown(name);
      names?.add(name);
    }
  }
  return null;
}
