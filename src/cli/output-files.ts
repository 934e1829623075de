/** Several files that a command writes by itself: all of them appear, whole, or none does. */

import { type FileHandle, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InputError } from '../errors.js';
import { AtomicFile } from '../files/atomic-file.js';
import type { Io } from './io.js';
import { checkTarget, fail, openSpecial, refuse, type Target } from './output.js';

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
 * @param produce is to wait for `ready` before it opens a file: a pipe is, when somebody reads it.
 * @throws InputError where a path cannot be written, or two are the same.
 */
export async function withFiles<T>(
  files: readonly OutputFile[],
  io: Io,
  produce: (paths: readonly string[], ready: (file: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  await checkDistinct(files);
  const targets: (Target & { asked: string })[] = [];
  for (const { path, option } of files) targets.push({ asked: path, ...(await checkTarget(path, [], option)) });
  const created: AtomicFile[] = [];
  const held: FileHandle[] = [];
  const ready = async (file: number): Promise<void> => {
    const { asked, path, special } = targets[file];
    if (special) held.push(await refuse(asked, () => openSpecial(path, io.signal)));
  };
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
    const result = await produce(written, ready);
    io.signal.throwIfAborted();
    const named = targets.filter(({ special }) => !special);
    for (const [i, file] of created.entries()) await fail(named[i].asked, () => file.flush());
    for (const [i, file] of created.entries()) await fail(named[i].asked, () => file.rename());
    return result;
  } finally {
    for (const file of created) await file.discard();
    for (const file of held) await file.close();
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
