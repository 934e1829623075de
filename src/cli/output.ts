/** Where a command's result goes: standard output, or a file that appears whole or not at all. */

import { constants } from 'node:fs';
import { access, type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError, InputError } from '../errors.js';
import { AtomicFile } from '../files/atomic-file.js';
import { reasonOf } from './failure.js';
import { type Io, isStandardOutput, writeAll } from './io.js';

/**
 * Runs `produce` and writes what it returns to `path`, or to standard output without one.
 *
 * A path is opened before `produce` starts: what cannot be written is refused before hours of work, not after.
 * It goes to a temporary file beside it, is flushed to disk and renamed; on any failure nothing is left behind.
 *
 * @param inputs files that are read by `produce`; none of them may be the output
 * @throws InputError where the path cannot be written
 */
export async function withOutput(
  path: string | undefined,
  inputs: readonly string[],
  io: Io,
  produce: () => Promise<string | Uint8Array>,
): Promise<void> {
  if (isStandardOutput(path)) {
    const content = await produce();
    io.signal.throwIfAborted();
    return writeAll(io.stdout, content);
  }
  const target = await checkTarget(path, inputs);
  if (target.special) return writeSpecial(target.path, path, produce, io.signal);
  const file = await refuse(path, () => AtomicFile.create(target.path, target.mode));
  try {
    const text = await produce();
    io.signal.throwIfAborted();
    await fail(path, async () => {
      await file.handle.writeFile(text);
      await file.flush();
      await file.rename();
    });
  } finally {
    await file.discard();
  }
}

/** Between two looks whether somebody reads a pipe. */
const PATIENCE_MS = 50;

export interface Target {
  /** Links resolved, so that renaming replaces the file and not the link to it. */
  path: string;
  mode: number;
  /** A device or pipe, which has no place for a temporary file: written to directly. */
  special: boolean;
}

/** Looks at where a result is to go. @param option that names it. */
export async function checkTarget(path: string, inputs: readonly string[], option = '--out'): Promise<Target> {
  if (path === '') throw new InputError({ problem: `${option} has an empty path`, needed: 'the name of a file' });
  const existing = await stat(path).catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? null : refusal(path, error),
  );
  if (existing === null) return { path, mode: 0o666, special: false };
  if (existing.isDirectory()) {
    throw new InputError({
      file: path,
      problem: 'the output is a directory',
      needed: 'the name of a file',
      hint: `--out ${join(path, 'result.json')}`,
    });
  }
  // A pipe behind /dev/stdout has no path of its own.
  if (!existing.isFile()) return { path, mode: existing.mode & 0o777, special: true };
  const real = await refuse(path, () => realpath(path));
  for (const input of inputs) {
    const read = await realpath(input).catch(() => null);
    // Of a directory that is an input, the CSV files are.
    if (read === real || (read === dirname(real) && /\.csv\b/i.test(basename(real)))) {
      throw new InputError({
        file: path,
        problem: 'the output is also an input and would be overwritten',
        hint: 'another name for --out',
      });
    }
  }
  // Renaming could replace a write-protected file; its owner protected it for a reason.
  await refuse(path, () => access(path, constants.W_OK));
  return { path: real, mode: existing.mode & 0o777, special: false };
}

async function writeSpecial(
  real: string,
  path: string,
  produce: () => Promise<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const file = await refuse(path, () => openSpecial(real, signal));
  try {
    const text = await produce();
    signal.throwIfAborted();
    await fail(path, () => file.writeFile(text));
  } finally {
    await file.close();
  }
}

/** Opens a pipe or device for writing. A pipe that nobody reads is waited for in steps, so that signals end it. */
export async function openSpecial(real: string, signal: AbortSignal): Promise<FileHandle> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const first = await open(real, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0));
      try {
        return await open(real, 'w');
      } finally {
        // Not before: a reader takes the last writer's leaving for the end.
        await first.close();
      }
    } catch (error) {
      if (codeOf(error) !== 'ENXIO') throw error;
      await sleep(PATIENCE_MS);
    }
  }
}

export async function refuse<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    return refusal(path, error);
  }
}

function refusal(path: string, error: unknown): never {
  const folder = dirname(path);
  const [got, hint] = {
    ENOENT: [`there is no folder ${folder}`, `mkdir -p ${folder}`],
    ENOTDIR: [`${folder} is not a folder`, 'another place for --out'],
    EACCES: ['permission denied', 'another place for --out'],
    EPERM: ['permission denied', 'another place for --out'],
    EROFS: ['the file system is read-only', 'another place for --out'],
    ENAMETOOLONG: ['the name is too long', 'a shorter name'],
  }[codeOf(error)] ?? [error instanceof Error ? error.message : String(error), 'another place for --out'];
  throw new InputError(
    {
      file: path,
      problem: 'the output cannot be written; nothing was computed',
      got,
      needed: 'a file that can be written',
      hint,
    },
    { cause: error },
  );
}

/** A write that fails after the work was done is a failure, not bad input: the disk may have filled up meanwhile. */
export async function fail(path: string, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : String(error);
    throw new EngineError(`${path}: writing the result failed, and nothing was left there\n  got:    ${reason}`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
