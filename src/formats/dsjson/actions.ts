/** Where the actions of a decision-service event stand. */

import { isObject, type JsonObject } from './json.js';

/** The list of actions, and what all of them share. */
export interface Actions {
  /** The value of `_multi`, of whatever type. */
  readonly list: unknown;
  /** Of the list, for messages. */
  readonly path: string;
  /** The context without the list. */
  readonly shared: JsonObject;
}

/**
 * Takes the actions out of a context: `_multi` of the context itself or of a namespace in it, however deep, as
 * VowpalWabbit does. A second list stays among the features, which have none. `null`: there is no list.
 */
export function splitActions(context: JsonObject, path = 'c'): Actions | null {
  if ('_multi' in context) {
    const { _multi: list, ...shared } = context;
    return { list, path: `${path}._multi`, shared };
  }
  for (const [name, value] of Object.entries(context)) {
    if (name.startsWith('_') || !isObject(value)) continue;
    const found = splitActions(value, `${path}.${name}`);
    if (found !== null) return { ...found, shared: { ...context, [name]: found.shared } };
  }
  return null;
}
