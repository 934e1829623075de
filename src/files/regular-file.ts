/** Files that are read whole: on disk, and not larger than what can be done with them. */

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { InputError } from '../errors.js';

/** V8's longest string, about: longer text cannot be parsed as JSON. */
export const MOST_TEXT = 2 ** 29 - 64;
/** Node reads no more at once. */
export const MOST_BYTES = 2 ** 31 - 1;

/**
 * Reads a file of at most so many bytes. A pipe or a device would be waited for, or read without an end, and no signal ends that.
 *
 * @throws InputError where it is no file on disk, or too large; the file system's error where it cannot be opened.
 */
export async function readRegular(file: string, most = MOST_BYTES): Promise<Buffer> {
  const handle = await openRegular(file);
  try {
    const { size } = await handle.stat();
    if (size > most) throw tooLarge(file, size, most);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Opens a file on disk for reading. @throws InputError where it is something else; the file system's error. */
export async function openRegular(file: string): Promise<FileHandle> {
  // Without waiting for somebody to write to it, where it is a pipe.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const status = await handle.stat();
  if (status.isFile()) return handle;
  await handle.close();
  if (status.isDirectory()) throw Object.assign(new Error('EISDIR: a folder'), { code: 'EISDIR' });
  throw new InputError({
    file,
    problem: status.isFIFO() ? 'a pipe, and not a file on disk' : 'a device, and not a file on disk',
    needed: 'a file, whose size is known before it is read',
    hint: status.isFIFO() ? 'write the output of the other program to a file first, in place of <(…)' : undefined,
  });
}

function tooLarge(file: string, size: number, most: number): InputError {
  return new InputError({
    file,
    problem: 'the file is too large to be read whole',
    got: `${Math.ceil(size / 1e6)} MB`,
    needed: `at most ${Math.floor(most / 1e6)} MB`,
    hint: most === MOST_TEXT ? 'weights and choices as .npy or Parquet files, which the set names' : 'several files',
  });
}
