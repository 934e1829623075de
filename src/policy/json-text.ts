/** JSON text with syntax errors that name line and column, whichever engine parses it. */

import { InputError } from '../errors.js';
import { repeatedName } from '../files/json-names.js';

/**
 * @param what the text is to hold, for one that does not even begin as JSON: most likely the wrong file was named.
 * @throws InputError with the line and column of the first character that cannot be JSON, or of a name that an object has twice.
 */
export function parseJson(text: string, file?: string, what?: string): unknown {
  const body = text.replace(/^\ufeff/, '');
  const value = parsed(body, file, what);
  const repeated = repeatedName(body);
  if (repeated === null) return value;
  const { line, column } = placeOf(body, repeated.at);
  throw new InputError({
    file,
    line,
    problem: `JSON names a member twice, at column ${column}`,
    got: JSON.stringify(repeated.name),
    needed: 'each name once in an object',
    hint: 'leave one of the two out: programs differ in which of them counts',
  });
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - (before.lastIndexOf('\n') + 1) + 1 };
}

function parsed(body: string, file: string | undefined, what: string | undefined): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch (cause) {
    const error = firstSyntaxError(body);
    const { line, column } = placeOf(body, error.offset);
    const found = body.slice(error.offset, error.offset + 20).split('\n', 1)[0] ?? '';
    throw new InputError(
      {
        file,
        line,
        problem: `not valid JSON at column ${column}`,
        got: error.offset >= body.length ? 'the end of the text' : JSON.stringify(found),
        needed: error.expected,
        hint:
          hintFor(found) ??
          (what !== undefined && body.slice(0, error.offset).trim() === '' ? `name ${what}` : undefined),
      },
      { cause },
    );
  }
}

function hintFor(found: string): string | undefined {
  if (/^(-?Infinity|NaN)/.test(found)) return 'JSON has no NaN or Infinity; give a finite number';
  if (found.startsWith("'")) return 'JSON text stands in double quotes';
  if (found.startsWith('//') || found.startsWith('/*')) return 'JSON has no comments';
  if (/^[\]}]/.test(found)) return 'a comma before a closing bracket?';
  return undefined;
}

type State = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'after' | 'end';

const EXPECTED: Record<State, string> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  key: 'a key in double quotes',
  'key or }': 'a key in double quotes or }',
  colon: ':',
  after: ', or a closing bracket',
  end: 'the end of the text',
};

// One token and the white space before it: punctuation, string, or number and literals.
const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** Walks the text until a token does not fit; only called for text that is known to be wrong somewhere. */
function firstSyntaxError(text: string): { offset: number; expected: string } {
  const open: ('[' | '{')[] = [];
  let state: State = 'value';
  let offset = 0;
  for (;;) {
    TOKEN.lastIndex = offset;
    const match = TOKEN.exec(text);
    const start = /[^ \t\r\n]/g;
    start.lastIndex = offset;
    const at = start.exec(text)?.index ?? text.length;
    const next: State | undefined =
      match === null ? undefined : step(state, match[1] ?? (match[2] === undefined ? 'value' : 'string'), open);
    if (next === undefined) return { offset: at, expected: EXPECTED[state] };
    state = next;
    offset = TOKEN.lastIndex;
  }
}

/** State after a token (`value` stands for numbers and literals); `undefined` where the token does not fit. */
function step(state: State, token: string, open: ('[' | '{')[]): State | undefined {
  const wantsValue = state === 'value' || state === 'value or ]';
  const closed = (): State => {
    open.pop();
    return open.length === 0 ? 'end' : 'after';
  };
  if (token === 'value') return wantsValue ? (open.length === 0 ? 'end' : 'after') : undefined;
  if (token === 'string') {
    if (state === 'key' || state === 'key or }') return 'colon';
    return step(state, 'value', open);
  }
  if (token === '[' || token === '{') {
    if (!wantsValue) return undefined;
    open.push(token);
    return token === '[' ? 'value or ]' : 'key or }';
  }
  const inner = open.at(-1);
  if (token === ']') return inner === '[' && (state === 'value or ]' || state === 'after') ? closed() : undefined;
  if (token === '}') return inner === '{' && (state === 'key or }' || state === 'after') ? closed() : undefined;
  if (token === ':') return state === 'colon' ? 'value' : undefined;
  return state === 'after' ? (inner === '{' ? 'key' : 'value') : undefined;
}
