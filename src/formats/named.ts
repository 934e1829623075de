/** A format's name as users write it. */

import { InputError } from '../errors.js';
import { listNames, nearestName } from '../names/order.js';
import { FORMAT_NAMES, type FormatName } from './index.js';

/** @throws InputError for a name that is neither a format nor a preset. */
export function formatNamed(name: string): FormatName {
  const known = FORMAT_NAMES.find((format) => format === name);
  if (known !== undefined) return known;
  const near = nearestName(name, FORMAT_NAMES);
  throw new InputError({
    problem: 'unknown log format',
    got: JSON.stringify(name),
    needed: `one of ${listNames(FORMAT_NAMES)}`,
    hint: near === null ? undefined : `did you mean ${JSON.stringify(near)}?`,
  });
}
