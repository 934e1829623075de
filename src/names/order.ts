/**
 * Order of identifiers (docs/architecture.md, rule 1): numeric where every identifier is an integer, else by code point;
 * never by appearance, so that shuffling or cutting a log renumbers nothing.
 */

import { lookAlikeOf } from './look-alike.js';

/** An integer as people write it: no leading zeros, no `+`, no `-0`. `007` is a name, not the number 7. */
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;

/** True for the canonical text of an integer of any size. */
export function isIntegerText(text: string): boolean {
  return INTEGER.test(text);
}

/** Code-point order. JavaScript's `<` orders UTF-16 units, which puts astral characters before U+E000..U+FFFF. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Moves surrogates above all other units, so that comparing ranks compares code points. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Numeric order of canonical integers of any size, without rounding. */
export function compareIntegerTexts(a: string, b: string): number {
  const negative = a.startsWith('-');
  if (negative !== b.startsWith('-')) return negative ? -1 : 1;
  const magnitude = a.length !== b.length ? a.length - b.length : a < b ? -1 : a > b ? 1 : 0;
  return negative ? -magnitude : magnitude;
}

/** Sorts distinct identifiers by the rule above, in place. */
export function sortIds(ids: string[]): string[] {
  return ids.sort(ids.every(isIntegerText) ? compareIntegerTexts : compareCodePoints);
}

/**
 * The name that looks like `name`, else the closest by edit distance, if it is close enough to be a likely typing error: never of
 * integers and single characters, which are as close to many others.
 */
export function nearestName(name: string, names: readonly string[]): string | null {
  const alike = lookAlikeOf(name, names);
  if (alike !== null || name.length < 2 || isIntegerText(name)) return alike;
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(name.length / 2)) + 0.5;
  for (const candidate of names) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours, three rows at a time. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      current[j] = Math.min(substitution, previous[j] + 1, current[j - 1] + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) current[j] = Math.min(current[j], before[j - 2] + 1);
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length];
}

/** Names for a message: the first few, and how many more. */
export function listNames(names: readonly string[], most = 12): string {
  const shown = names.slice(0, most).map((name) => JSON.stringify(name));
  return names.length > most ? `${shown.join(', ')} and ${names.length - most} more` : shown.join(', ');
}
