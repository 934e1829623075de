/** The features of a VowpalWabbit line: what stands from the first `|` on. */

import type { FeatureBag } from '../decisions/feature-bag.js';
import { badRow, shown } from '../decisions/rows.js';
import { numberOf } from './label.js';

/**
 * Adds the features of `|namespace[:weight] name[:value] …`, with VowpalWabbit's meaning: a feature without a value is 1,
 * a weight multiplies the values of its namespace, `name:text` is a category, `:value` is named by its place, and a feature that is
 * there twice counts twice.
 *
 * @param from place of the first bar.
 * @throws RowFault
 */
export function parseFeatures(line: string, from: number, bag: FeatureBag): void {
  let at = from;
  while (at < line.length) {
    // At a bar: the namespace touches it.
    const start = at + 1;
    let end = wordEnd(line, start);
    const [name, weight] = end === start ? NO_NAMESPACE : namespaceOf(line.slice(start, end));
    let anonymous = 0;
    for (at = end; at < line.length && line.charCodeAt(at) !== BAR; at = end) {
      end = at + 1;
      const code = line.charCodeAt(at);
      if (code === SPACE || code === TAB) continue;
      end = wordEnd(line, at);
      anonymous += addFeature(line.slice(at, end), name, weight, anonymous, bag);
    }
  }
}

const SPACE = 32;
const TAB = 9;
const BAR = 124;
const NO_NAMESPACE: [string, number] = ['', 1];

/** Place of the first space, tab or bar from a place on; the end of the line where there is none. */
function wordEnd(line: string, from: number): number {
  let at = from;
  for (; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === SPACE || code === TAB || code === BAR) break;
  }
  return at;
}

/** Returns 1 for a feature without a name, which is named by its place among those, else 0. */
function addFeature(word: string, namespace: string, weight: number, place: number, bag: FeatureBag): 0 | 1 {
  const colon = word.indexOf(':');
  if (colon < 0) {
    bag.add(namespace, word, weight, word);
    return 0;
  }
  const text = word.slice(colon + 1);
  const value = numberOf(text);
  if (value !== null) {
    bag.add(namespace, colon === 0 ? String(place) : word.slice(0, colon), weight * value, word);
    return colon === 0 ? 1 : 0;
  }
  if (text === '' || /^[+-]?\.?\d/.test(text)) {
    // VowpalWabbit takes the digits and drops the rest of the line, with a warning.
    const problem = 'feature value is neither a number nor a name';
    badRow({ problem, got: shown(word), needed: 'name, name:number or name:text' });
  }
  bag.add(namespace, `${word.slice(0, colon)}=${text}`, weight, word);
  return 0;
}

function namespaceOf(word: string): [name: string, weight: number] {
  const colon = word.indexOf(':');
  if (colon < 0) return [word, 1];
  const name = word.slice(0, colon);
  const weight = numberOf(word.slice(colon + 1));
  if (name !== '' && weight !== null && Number.isFinite(weight)) return [name, weight];
  const problem = name === '' ? 'namespace has no name' : 'namespace weight is not a finite number';
  return badRow({ problem, got: shown(`|${word}`), needed: '|name or |name:weight; a space after | for no namespace' });
}
