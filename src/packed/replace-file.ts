/** A file that appears whole or not at all, for callers without a command line. */

import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { EngineError, InputError } from '../errors.js';
import { AtomicFile } from '../files/atomic-file.js';
import { readHead } from '../files/files.js';
import { isPacked } from './layout.js';

/**
 * Opens a temporary file beside `path`, has `write` fill it, flushes it to disk and gives it its name. On any failure
 * nothing is left, and an older file stays.
 *
 * @throws InputError where there is no such folder or no permission; EngineError where writing fails, e.g. on a full disk.
 */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const file = await AtomicFile.create(target).catch((cause: unknown) => {
    const got = cause instanceof Error ? cause.message : String(cause);
    throw new InputError({ file: path, problem: 'the file cannot be written', got, hint: 'another place' }, { cause });
  });
  try {
    await writing(path, () => write(file.handle));
    await writing(path, async () => {
      await file.flush();
      await file.rename();
    });
  } finally {
    await file.discard();
  }
}

/**
 * Tells a file system that fails from everything else that may go wrong meanwhile.
 *
 * @param temporary what the file is called until it is whole: messages name `path`.
 */
export async function writing<T>(path: string, step: () => Promise<T>, temporary = path): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = error.message.replaceAll(temporary, path);
    if ('code' in error && 'syscall' in error) {
      throw new EngineError(`${path}: writing failed, and nothing was left there\n  got:    ${message}`, {
        cause: error,
      });
    }
    throw error instanceof EngineError ? new EngineError(message, { cause: error }) : error;
  }
}

/**
 * A packed log replaces nothing but an older packed log: `convert *.csv` without an output would overwrite the last input.
 *
 * @throws InputError where `path` is one of the inputs, or a file that holds something else.
 */
export async function checkReplaceable(path: string, inputs: readonly string[]): Promise<void> {
  const status = await stat(path).catch(() => null);
  if (status === null || !status.isFile()) return;
  const real = await realpath(path);
  for (const input of inputs) {
    if ((await realpath(input).catch(() => null)) !== real) continue;
    throw new InputError({
      file: path,
      problem: 'the output is also an input and would be overwritten',
      hint: 'name another file for the packed log',
    });
  }
  if (status.size === 0) return;
  const head = await readHead(path);
  if (isPacked(head)) return;
  throw new InputError({
    file: path,
    problem: 'the output is a file that is no packed log, and would be overwritten',
    needed: 'a new file, or a packed log to replace',
    hint: 'name the output last: hindcast convert DAY1.csv DAY2.csv LOG.parquet; or remove the file first',
  });
}
