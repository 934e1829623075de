/** The features of a VowpalWabbit line: what stands from the first `|` on. */

import { badRow, shown } from '../decisions/rows.js';
import type { FeatureBag } from '../decisions/vocabulary.js';
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
  for (let bar = from; bar >= 0; ) {
    const next = line.indexOf('|', bar + 1);
    parseNamespace(line.slice(bar + 1, next < 0 ? line.length : next), bag);
    bar = next;
  }
}

function parseNamespace(text: string, bag: FeatureBag): void {
  const words = text.split(/[ \t]/);
  const [name, weight] = namespaceOf(words[0]);
  let anonymous = 0;
  for (let i = 1; i < words.length; i++) {
    const word = words[i];
    if (word === '') continue;
    const colon = word.indexOf(':');
    if (colon < 0) {
      bag.add(name, word, weight, word);
      continue;
    }
    const value = word.slice(colon + 1);
    const number = numberOf(value);
    const feature = word.slice(0, colon);
    if (number !== null) bag.add(name, feature === '' ? String(anonymous++) : feature, weight * number, word);
    else if (value === '' || /^[+-]?\.?\d/.test(value)) {
      // VowpalWabbit takes the digits and drops the rest of the line, with a warning.
      const problem = 'feature value is neither a number nor a name';
      badRow({ problem, got: shown(word), needed: 'name, name:number or name:text' });
    } else bag.add(name, feature === '' ? `=${value}` : `${feature}=${value}`, weight, word);
  }
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
