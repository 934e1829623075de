/** Packed logs that are read as one: which of them say what columns the log has, and what to do where they differ. */

import { type Fault, InputError } from '../../errors.js';
import type { PackedFile } from '../packed-file.js';

/** The files with events. Where none has any, all: what a log of no events lacks, no event of the others lacks. */
export function nonEmpty(files: readonly PackedFile[]): readonly PackedFile[] {
  const some = files.filter(({ header }) => header.events > 0);
  return some.length > 0 ? some : files;
}

/** Names of original files shown in a hint. */
const SHOWN = 3;

/** What helps where packed logs do not fit together, but their original files may. */
export function convertTogether(files: readonly PackedFile[]): string {
  const names = files.flatMap(({ header }) => header.source.files);
  const shown = names.length > SHOWN ? [...names.slice(0, SHOWN), '…'] : names;
  return `convert the original files together: hindcast convert ${[...shown, 'ALL.parquet'].join(' ')}`;
}

/** Packed logs that cannot be one log. */
export function unlike(files: readonly PackedFile[], fault: Fault): InputError {
  return new InputError({ hint: convertTogether(files), ...fault });
}

/** Where two lists of columns first differ. `null`: nowhere. */
export function firstDifference(a: readonly string[], b: readonly string[]): number | null {
  const at = a.findIndex((name, j) => name !== b[j]);
  if (at >= 0) return at;
  return a.length === b.length ? null : a.length;
}

/** A column by its name and place, or how many columns there are where it is none of them. */
export function placed(names: readonly string[], at: number, what: string): string {
  if (at < names.length) return `${JSON.stringify(names[at])} as ${what} ${at + 1} of ${names.length}`;
  return `${names.length === 0 ? 'no' : names.length} ${what}${names.length === 1 ? '' : 's'}`;
}
