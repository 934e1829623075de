/** Columns of weights by name: checked against those of the log, and put in its order. */

import { listNames, nearestName } from '../../names/order.js';
import { plural } from '../../words.js';
import type { SpecPlace } from '../family.js';
import { specFault } from '../spec-faults.js';
import type { TypedWeights } from './weights.js';

/** What the last axis of the weights runs over, e.g. `context columns`, and the names there are. */
export interface NamedAxis {
  readonly what: string;
  readonly names: readonly string[];
}

/**
 * Weights whose last axis is in the order of `given`, in the order of the log.
 *
 * @throws InputError for a name that the log does not have, one that is given twice, one that is missing, and where there is
 *   not a weight for each.
 */
export function inLogOrder(
  weights: TypedWeights,
  given: readonly string[],
  axis: NamedAxis,
  place: SpecPlace,
): TypedWeights {
  const from = columnOrder(given, axis, place);
  const { data, shape } = weights;
  const d = shape.at(-1);
  if (d !== given.length) {
    throw specFault(place, ['columns'], {
      problem: 'not a name for each column of the weights',
      got: `${plural(given.length, 'name')}, ${plural(d ?? 0, 'column')}`,
      needed: `one each, of the log's ${axis.names.length} ${axis.what}`,
    });
  }
  if (from.every((column, j) => column === j)) return weights;
  const out = data.slice();
  for (let at = 0; at < data.length; at += d) {
    for (let j = 0; j < d; j++) out[at + j] = data[at + from[j]];
  }
  return { data: out, shape };
}

/** Where in `given` each column of the log stands. */
function columnOrder(given: readonly string[], { what, names }: NamedAxis, place: SpecPlace): number[] {
  const known = new Set(names);
  if (known.size < names.length) {
    const twice = names.find((name, j) => names.indexOf(name) !== j);
    throw specFault(place, ['columns'], {
      problem: `two of the log's ${what} have the same name, so names do not tell which is which`,
      got: String(twice),
      hint: 'leave "columns" out: weights are then taken by place',
    });
  }
  const at = new Map<string, number>();
  for (const [i, name] of given.entries()) {
    if (!known.has(name)) {
      const near = nearestName(name, names);
      throw specFault(place, ['columns', i], {
        problem: `the log has no such column among its ${what}`,
        got: JSON.stringify(name),
        needed: `one of ${listNames(names)}`,
        hint: near === null ? 'hindcast inspect --format json lists them' : `did you mean ${JSON.stringify(near)}?`,
      });
    }
    const before = at.get(name);
    if (before !== undefined) {
      throw specFault(place, ['columns', i], {
        problem: 'a column is named twice',
        got: `${JSON.stringify(name)} as columns[${before}] and columns[${i}]`,
      });
    }
    at.set(name, i);
  }
  const missing = names.filter((name) => !at.has(name));
  if (missing.length > 0) {
    throw specFault(place, ['columns'], {
      problem: `${missing.length} of the log's ${what} ${missing.length === 1 ? 'has' : 'have'} no weights`,
      got: listNames(missing),
      needed: `a weight for each of ${names.length}`,
      hint: 'the log has levels or columns that the weights were not made for: give them weights, or leave the columns out of the mapping',
    });
  }
  return names.map((name) => at.get(name) ?? 0);
}

/**
 * A warning for a file that gives its columns names of which the log has none, so that they are taken by place. Numbered
 * names (`c0`, `c1`, …) mean places.
 */
export function otherNamesWarning(
  given: readonly string[],
  { what, names }: NamedAxis,
  { file }: { file: string | undefined },
): string[] {
  const stem = given[0]?.replace(/\d+$/, '');
  if (given.every((name) => /\d$/.test(name) && name.replace(/\d+$/, '') === stem)) return [];
  return [
    `the columns of ${file} are called ${listNames(given)}, and none of the log's ${what} is (${listNames(names)}): they are taken by place; call them as the log does, or say which are meant with "columns" in the entry`,
  ];
}

/**
 * A warning for weights of a file that are taken by place where the log's columns depend on the levels it happens to have: as
 * many columns need not be the same ones.
 *
 * @param listed where `hindcast inspect --format json` has the names.
 */
export function byPlaceWarning(family: string, { what, names }: NamedAxis, listed: string): string[] {
  const levels = names.filter((name) => name.includes('='));
  if (levels.length === 0) return [];
  return [
    `weights of ${family} policies are taken by place, and ${levels.length} of the log's ${names.length} ${what} ${levels.length === 1 ? 'stands for a level' : 'stand for levels'} found in its files (the first is ${JSON.stringify(levels[0])}): weights made for a log with other levels would meet the wrong columns; say which are meant with "columns" in the entry, as hindcast inspect --format json lists them (${listed})`,
  ];
}
