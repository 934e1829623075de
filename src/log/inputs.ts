/** What a result says of where it came from: files with their hashes, columns with what became of them. */

import { asCalled } from '../printable.js';

/** A file, or a log made in code, that a result depends on. */
export interface InputFile {
  /**
   * `items`: the description of arms in a directory of the Open Bandit Dataset; `parameters`: a file of weights or choices that
   * policies or learners name.
   */
  readonly role: 'log' | 'items' | 'mapping' | 'policies' | 'learners' | 'parameters';
  /** As the caller named it; of `parameters`, as messages do. `null`: a log made in code. */
  readonly path: string | null;
  /** Size of the file; `null`: a log made in code. */
  readonly bytes: number | null;
  /**
   * `xxh64:…` of the file, as `xxhsum -H64` tells it. A packed log: `crc32:…`, the checksum in its footer, which covers those of all
   * its parts. A log made in code: that of its tables and of every column of its events.
   */
  readonly hash: string;
  /** Of a packed log, what it was made of; of a log in code, the files that it was read from, whatever was done to it since. */
  readonly from?: readonly InputFile[];
}

export type ColumnRole =
  | 'arm'
  | 'payoff'
  | 'propensity'
  | 'candidates'
  | 'time'
  | 'user'
  | 'context'
  | 'key'
  | 'arm feature'
  | 'event id'
  | 'filter';

/** A column of the log. */
export interface ColumnUse {
  readonly name: string;
  /** More than one where a column is, say, a context and part of the filter; none: it was left out. */
  readonly roles: readonly ColumnRole[];
  /** Of contexts in files: how they became numbers. */
  readonly encode?: 'onehot' | 'numeric';
  /** Why it was left out. */
  readonly unused?: string;
}

/** Options other than the mapping that say how a log was read; what was left out is not there. */
export type ReadingRecord = Readonly<Record<string, unknown>>;

export function inputOf(
  role: InputFile['role'],
  path: string,
  { bytes, xxh64 }: { readonly bytes: number; readonly xxh64: string },
): InputFile {
  return { role, path: asCalled(path), bytes, hash: `xxh64:${xxh64}` };
}

const mappingFiles = new WeakMap<object, InputFile>();

/** Notes that a mapping was read from a file, for the results of logs that are read under it. */
export function fromFile<Mapping extends object>(mapping: Mapping, file: InputFile): Mapping {
  mappingFiles.set(mapping, file);
  return mapping;
}

/** The file of a mapping, as a list of one; none where it was made in code or of options. */
export function mappingInputs(mapping: object | undefined): InputFile[] {
  const file = mapping === undefined ? undefined : mappingFiles.get(mapping);
  return file === undefined ? [] : [file];
}
