/** A small parser of JSON lines: JSON.parse says what is JSON, a list of tokens what is written. The judge of the reader. */

import { isUtf8 } from 'node:buffer';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const DEEPEST = 64;
/** Longest line, in bytes. */
const LONGEST = 64e6;

/** Members of the outermost object as written: name → text, or null; or the fault of a line. */
function membersOf(line) {
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return { fault: 'no JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'no object' };
  const tokens = [...line.matchAll(TOKEN)];
  const values = new Map();
  // Names of each object that is open; null: an array.
  const open = [];
  let [deepest, name, from] = [0, null, -1];
  for (const [i, { 0: token }] of tokens.entries()) {
    const next = tokens[i + 1]?.[0];
    const isOutermost = open.length === 1;
    if (isOutermost && (token === ',' || token === '}') && name !== null) {
      const last = tokens[i - 1];
      values.set(name, line.slice(from, last.index + last[0].length));
      name = null;
    }
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null);
    else if (token === '}' || token === ']') open.pop();
    else if (next === ':') {
      const names = open.at(-1);
      const key = JSON.parse(token);
      if (names.has(key)) return { fault: 'a name twice' };
      names.add(key);
      if (isOutermost) [name, from] = [key, tokens[i + 2].index];
    }
    deepest = Math.max(deepest, open.length);
  }
  if (deepest > DEEPEST) return { fault: 'too deep' };
  for (const [key, text] of values) {
    if (text === 'null') values.set(key, null);
    else if (text.startsWith('"')) values.set(key, JSON.parse(text));
  }
  return { values };
}

/** As that of CSV; a name that a row does not have has no value there. */
export function referenceJsonl(bytes, columns) {
  if (/^(?:fffe|feff)/.test(bytes.toString('hex', 0, 2))) return { fault: 'UTF-16' };
  const rows = [];
  const names = new Set();
  const start = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (start === '') return { fault: 'empty' };
  if (start[0] === '[') return { fault: 'an array' };
  for (const latin1 of bytes.toString('latin1').split('\n')) {
    const raw = Buffer.from(latin1.replace(/\r$/, ''), 'latin1');
    if (!isUtf8(raw) || raw.length > LONGEST) {
      rows.push({ fault: 'not UTF-8' });
      continue;
    }
    const line = raw.toString('utf8').replace(/^\ufeff/, '');
    if (/^[ \t\r]*$/.test(line)) continue;
    const row = membersOf(line);
    const isHalf = columns.some((name) => /\p{Surrogate}/u.test(row.values?.get(name) ?? ''));
    // Names that only a bad row has are no columns.
    if (!isHalf) for (const name of row.values?.keys() ?? []) names.add(name);
    rows.push(isHalf ? { fault: 'half of a character' } : row);
  }
  return { rows, names };
}
