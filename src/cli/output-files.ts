/** Several files that a command writes by itself: all of them appear, whole, or none does. */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InputError } from '../errors.js';
import { AtomicFile } from '../files/atomic-file.js';
import type { Io } from './io.js';
import { checkTarget, fail, refuse, type Target } from './output.js';

/** A file to be written. */
export interface OutputFile {
  readonly path: string;
  /** The option that names it, or stands for it. */
  readonly option: string;
}

/**
 * Runs `produce`, which writes each file under the name that it is given: a temporary one beside the file, or the path itself
 * where that is a device or a pipe. When all are written they are flushed to disk and renamed.
 *
 * @throws InputError where a path cannot be written, or two are the same.
 */
export async function withFiles<T>(
  files: readonly OutputFile[],
  io: Io,
  produce: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  await checkDistinct(files);
  const targets: (Target & { asked: string })[] = [];
  for (const { path, option } of files) targets.push({ asked: path, ...(await checkTarget(path, [], option)) });
  const created: AtomicFile[] = [];
  try {
    const written: string[] = [];
    for (const { asked, path, mode, special } of targets) {
      if (special) {
        written.push(path);
        continue;
      }
      const file = await refuse(asked, () => AtomicFile.create(path, mode));
      created.push(file);
      written.push(file.temporary);
    }
    const result = await produce(written);
    io.signal.throwIfAborted();
    const named = targets.filter(({ special }) => !special);
    for (const [i, file] of created.entries()) await fail(named[i].asked, () => file.flush());
    for (const [i, file] of created.entries()) await fail(named[i].asked, () => file.rename());
    return result;
  } finally {
    for (const file of created) await file.discard();
  }
}

async function checkDistinct(files: readonly OutputFile[]): Promise<void> {
  const seen = new Map<string, string>();
  for (const { path, option } of files) {
    const real = await realpath(path).catch(() => resolve(path));
    const other = seen.get(real);
    if (other !== undefined) {
      throw new InputError({
        file: path,
        problem: `${other} and ${option} name the same file`,
        hint: `another name for ${option}`,
      });
    }
    seen.set(real, option);
  }
}
