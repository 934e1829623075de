/** Files of a log that are there twice: by another name, by a link, or as a copy. */

import { stat } from 'node:fs/promises';
import { hashOf } from '../files/digest.js';
import type { LogSource } from '../log/event-log.js';
import { plural } from '../words.js';

interface Known {
  readonly path: string;
  readonly key: string;
  readonly size: number;
  hash: string | null;
}

/**
 * What to say where files of a log are the same as others; nothing where all differ. Contents are read only of files of the
 * same size. What is no regular file is left alone.
 */
export async function repeatedFiles(paths: readonly string[]): Promise<string[]> {
  const known: Known[] = [];
  let count = 0;
  let first: [again: number, path: string] | null = null;
  for (const [i, path] of paths.entries()) {
    const found = await stat(path, { bigint: true }).catch(() => null);
    if (found === null || !found.isFile() || found.size === 0n) continue;
    const one: Known = { path, key: `${found.dev}:${found.ino}`, size: Number(found.size), hash: null };
    const same = await firstLike(one, known);
    if (same === null) known.push(one);
    else {
      count++;
      first ??= [i, same.path];
    }
  }
  if (first === null) return [];
  const [again, path] = first;
  const files = `${plural(count, 'file')} of the log ${count === 1 ? 'is' : 'are'}`;
  return [
    `${files} there twice, so that events count twice: file ${again + 1}, ${paths[again]}, is ${path === paths[again] ? 'given before' : `the same as ${path}`}; leave ${count === 1 ? 'it' : 'them'} out`,
  ];
}

async function firstLike(one: Known, known: readonly Known[]): Promise<Known | null> {
  for (const other of known) {
    if (other.key === one.key) return other;
    if (other.size !== one.size) continue;
    other.hash ??= (await hashOf(other.path)).xxh64;
    one.hash ??= (await hashOf(one.path)).xxh64;
    if (other.hash === one.hash) return other;
  }
  return null;
}

/** The same source with more to say. */
export function alsoWarned(source: LogSource, more: readonly string[]): LogSource {
  return more.length === 0 ? source : { ...source, warnings: [...(source.warnings ?? []), ...more] };
}
