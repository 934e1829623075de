/** A line of JSON as an object, and what JSON.parse alone would let pass. */

import { endOfString, repeatedName } from '../../files/json-names.js';
import { badRow, shown } from '../decisions/rows.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Objects and arrays within one another, at most. */
const DEEPEST = 64;

const QUOTE = 34;
const COLON = 58;
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
  // Objects of thousands of members are slow to walk: one that holds no other says itself how many it has.
  if ((depth === 1 ? Object.keys(value).length : membersOf(value)) !== members) {
    // JSON.parse keeps the last one, other readers the first one, or both.
    badRow({
      problem: 'JSON names a member twice',
      got: shown(repeatedName(text)?.name ?? text),
      needed: 'each name once in an object',
    });
  }
  return value;
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
