/** Features of a decision-service context: shared ones, and those of an action. */

import type { FeatureBag } from '../decisions/feature-bag.js';
import { badRow, shown } from '../decisions/rows.js';
import { isObject, type JsonObject } from './json.js';

/**
 * Adds the features of an object with VowpalWabbit's meaning: an object or array is a namespace (by its own name, wherever it
 * stands), a number a value, a text a category `name=text`, `true` a 1, `false` and `null` nothing; `_text` is a list of words, other
 * names that begin with `_` are no features, and a label is none of theirs.
 *
 * @param path of the object, for messages.
 * @throws RowFault
 */
export function addFeatures(object: JsonObject, namespace: string, path: string, bag: FeatureBag): void {
  refuseLabels(object, path);
  for (const [name, value] of Object.entries(object)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (name.startsWith('_')) {
      if (name === '_text') addWords(value, namespace, at, bag);
      else if (name === '_multi' || name === '_slots') {
        badRow({
          problem: `${name} within ${name === '_slots' ? 'an action' : 'features'}`,
          path: at,
          needed: 'one list of actions, c._multi',
        });
      }
      continue;
    }
    addFeature(name, value, namespace, at, bag);
  }
}

/** @throws RowFault for a label among features, where VowpalWabbit would take it for that of the event. */
export function refuseLabels(object: JsonObject, path: string): void {
  for (const name of Object.keys(object)) {
    if (!name.startsWith('_label')) continue;
    badRow({
      problem: 'label among features',
      path: `${path}.${name}`,
      got: shown(JSON.stringify(object[name])),
      needed: 'the label in the event itself, beside c',
    });
  }
}

function addFeature(name: string, value: unknown, namespace: string, at: string, bag: FeatureBag): void {
  if (typeof value === 'number') bag.add(namespace, name, value, `${at}: ${value}`);
  else if (typeof value === 'string') bag.add(namespace, `${name}=${value}`, 1);
  else if (value === true) bag.add(namespace, name, 1);
  else if (Array.isArray(value)) addArray(value, name, at, bag);
  else if (isObject(value)) addFeatures(value, name, at, bag);
}

/** Numbers are features named by their place among the numbers; objects have features of the same namespace. */
function addArray(values: readonly unknown[], namespace: string, path: string, bag: FeatureBag): void {
  let place = 0;
  for (const [i, value] of values.entries()) {
    if (typeof value === 'number') bag.add(namespace, String(place++), value, `${path}[${i}]: ${value}`);
    else if (isObject(value)) addFeatures(value, namespace, `${path}[${i}]`, bag);
    else if (value !== null) {
      badRow({
        problem: 'array of features holds something else than numbers and objects',
        path: `${path}[${i}]`,
        got: shown(JSON.stringify(value)),
        needed: 'numbers, or objects of features',
      });
    }
  }
}

function addWords(value: unknown, namespace: string, at: string, bag: FeatureBag): void {
  if (typeof value !== 'string') {
    badRow({
      problem: '_text is not a text',
      path: at,
      got: shown(JSON.stringify(value)),
      needed: 'words, separated by spaces',
    });
  }
  for (const word of value.split(/[ \t]+/)) if (word !== '') bag.add(namespace, word, 1);
}
