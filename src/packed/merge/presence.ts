/** Columns that all files of a log have, or none. */

import { listNames } from '../../names/order.js';
import type { PackedFile } from '../packed-file.js';
import { nonEmpty, unlike } from './parts.js';

/** @throws InputError for a propensity, time, user or key that one file has and another lacks. */
export function checkPresence(files: readonly PackedFile[]): void {
  const [first, ...others] = nonEmpty(files);
  for (const file of others) {
    for (const column of ['propensity', 'time', 'user'] as const) {
      const [a, b] = [first, file].map(({ header }) => header[column] !== false && header[column] !== null);
      if (a === b) continue;
      const [has, lacks] = a ? [first, file] : [file, first];
      throw unlike(files, {
        file: lacks.name,
        problem: `the packed log has no ${column}, which ${has.name} has`,
        needed: `files that all have a ${column}, or none`,
        hint: `convert both with the same mapping`,
      });
    }
    checkKeyNames(first, file);
  }
}

function checkKeyNames(first: PackedFile, file: PackedFile): void {
  const [a, b] = [first, file].map(({ header }) => header.keys.map(({ name }) => name));
  const missing = a.find((name) => !b.includes(name)) ?? b.find((name) => !a.includes(name));
  if (missing === undefined) return;
  const [has, lacks, names] = a.includes(missing) ? [first, file, b] : [file, first, a];
  throw unlike([first, file], {
    file: lacks.name,
    problem: `the packed log has no key ${JSON.stringify(missing)}, which ${has.name} has`,
    got: names.length === 0 ? 'no keys' : `keys ${listNames(names)}`,
    needed: 'the same keys in every file',
    hint: `convert both with the same --keys, or "keys" in their mapping`,
  });
}
