/** Several files that a command writes by itself: all of them appear, whole, or none does. */

import { open, realpath, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { InputError } from '../errors.js';
import { forget, removeOnExit } from './interrupt.js';
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
  const written = targets.map(({ path, special }) =>
    special ? path : join(dirname(path), `.${basename(path).slice(0, 80)}.${process.pid}.tmp`),
  );
  const temporary = written.filter((_, i) => !targets[i].special);
  for (const path of temporary) removeOnExit(path);
  try {
    // What writes the file may replace it by another, with permissions of its own.
    const modes: number[] = [];
    for (const [i, { asked, mode, special }] of targets.entries())
      modes.push(special ? mode : await refuse(asked, () => create(written[i], mode)));
    const result = await produce(written);
    io.signal.throwIfAborted();
    for (const [i, { asked, special }] of targets.entries())
      if (!special) await fail(asked, () => flush(written[i], modes[i]));
    for (const [i, { asked, path, special }] of targets.entries())
      if (!special) await fail(asked, () => rename(written[i], path));
    return result;
  } finally {
    // Those that were renamed are gone.
    for (const path of temporary) {
      await unlink(path).catch(() => undefined);
      forget(path);
    }
  }
}

/** Creates a file; returns its permissions. */
async function create(path: string, mode: number): Promise<number> {
  const file = await open(path, 'wx', mode);
  try {
    return (await file.stat()).mode & 0o777;
  } finally {
    await file.close();
  }
}

async function flush(path: string, mode: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
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
