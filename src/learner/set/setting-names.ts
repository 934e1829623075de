/** Names and places of settings. */

import { InputError } from '../../errors.js';
import { pathText } from '../../options/path-text.js';
import type { SpecPlace } from '../../policy/family.js';

/**
 * `linucb alpha=0.25`: the algorithm and the parameters that were given, as far as they are numbers, text or truth
 * values. A tie tolerance is named only where it is a list.
 */
export function settingName(
  algorithm: string,
  given: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): string {
  const parts = Object.entries(values).flatMap(([key, value]) => {
    if (key === 'tieTolerance' && !Array.isArray(given[key])) return [];
    if (typeof value === 'object' || value === undefined) return [];
    return [`${key}=${String(value)}`];
  });
  return [algorithm, ...parts].join(' ');
}

/** Numbers settings of the same name from the second on: `ucb1`, `ucb1 #2`. */
export function uniqueNames<S extends { readonly name: string }>(settings: readonly S[]): S[] {
  const taken = new Set<string>();
  return settings.map((setting) => {
    let { name } = setting;
    for (let n = 2; taken.has(name); n++) name = `${setting.name} #${n}`;
    taken.add(name);
    return { ...setting, name };
  });
}

/**
 * A fault of an entry with its file and its path from the start of the set.
 *
 * @param index place in its list of each value that came from a list: `[0].alpha` becomes `[0].alpha[2]`.
 */
export function pathedFault(error: unknown, place: SpecPlace, index: ReadonlyMap<string, number> = new Map()): unknown {
  if (!(error instanceof InputError)) return error;
  const { fault } = error;
  let path = fault.path ?? '';
  // Checks against a log know the parameter's name alone.
  if (!path.startsWith(place.path)) path = path === '' ? place.path : `${place.path}.${path}`;
  for (const [key, i] of index) {
    const whole = pathText(place.path, [key]);
    if (path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}[`))
      path = `${whole}[${i}]${path.slice(whole.length)}`;
  }
  return new InputError({ ...fault, file: fault.file ?? place.file, path }, { cause: error });
}
